import { requiredResolvers } from '@accord-api/workbench/generate/required-resolvers';
import { withoutDirectives } from '@accord-api/workbench/generate/resolvers';
import { sdlIn } from '@accord-api/workbench/model/sdl-source';
import type { CodegenConfig } from '@graphql-codegen/cli';

/** A plugin that makes a forgotten resolver fail to compile. */
const REQUIRED = 'required-resolvers';

/** What `npm run codegen` makes of schema.graphql. */
const config: CodegenConfig = {
  get schema() {
    return withoutDirectives(sdlIn(import.meta.dirname));
  },
  pluginLoader: async (name) => (name.endsWith(REQUIRED) ? requiredResolvers : import(name)),
  generates: {
    'generated/graphql.ts': {
      plugins: ['typescript', 'typescript-resolvers', REQUIRED],
      config: {
        contextType: '../src/application/context.js#GraphQLContext',
        // A type is resolved from a row of its model, not from its own shape.
        mappers: {
          User: '../src/application/models.js#User as UserModel',
          // <books>
          Book: '../src/application/models.js#Book as BookModel',
          // </books>
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
