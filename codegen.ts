import { loadPlugin, withoutDirectives } from '@accord-api/workbench/generate/resolvers';
import { sdlIn } from '@accord-api/workbench/model/sdl-source';
import type { CodegenConfig } from '@graphql-codegen/cli';

/** What `npm run codegen`, and graphql-codegen by itself, make of schema.graphql. The former checks the contract first. */
const config: CodegenConfig = {
  // Only graphql-codegen by itself asks for it: `npm run codegen` has parsed and checked the contract already.
  get schema() {
    return withoutDirectives(sdlIn(import.meta.dirname));
  },
  pluginLoader: loadPlugin,
  generates: {
    'generated/graphql.ts': {
      plugins: ['typescript', 'typescript-resolvers', 'required-resolvers'],
      config: {
        contextType: '../src/application/context.js#GraphQLContext',
        // A type is resolved from the model that the services return, not from its own shape.
        mappers: {
          User: '../src/application/models.js#User as UserModel',
          Post: '../src/application/models.js#Post as PostModel',
          Comment: '../src/application/models.js#Comment as CommentModel',
          Message: '../src/application/models.js#Message as MessageModel',
        },
        // The names UserResolvers and Resolvers are for those that must be written.
        allResolversTypeName: 'EveryField',
        resolverTypeSuffix: 'Fields',
        avoidOptionals: { field: true, resolvers: true, query: true, mutation: true, subscription: true },
        enumsAsTypes: true,
        strictScalars: true,
        scalars: { ID: { input: 'string', output: 'string | number' } },
        useTypeImports: true,
        noSchemaStitching: true,
        skipTypename: true,
        showUnusedMappers: false,
      },
    },
  },
};

export default config;
