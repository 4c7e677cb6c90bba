import { loadPlugin, withoutDirectives } from '@accord-api/workbench/generate/resolvers';
import { sdlIn } from '@accord-api/workbench/model/sdl-source';
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  get schema() {
    return withoutDirectives(sdlIn(import.meta.dirname));
  },
  pluginLoader: loadPlugin,
  generates: {
    'generated/graphql.ts': {
      plugins: ['typescript', 'typescript-resolvers', 'required-resolvers'],
      config: {
        contextType: '../src/application/context.js#GraphQLContext',
        // Resolvers receive a row of the model.
        mappers: {
          User: '../src/application/models.js#User as UserModel',
          // <books>
          Book: '../src/application/models.js#Book as BookModel',
          // </books>
        },
        // The plugin gives the names UserResolvers and Resolvers to the required resolvers.
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
