import type { CodegenConfig } from '@graphql-codegen/cli';

/**
 * What `npm run codegen` makes of schema.graphql. Run by src/workbench/generate/generate.ts, which checks the contract first and
 * adds to the file what makes a forgotten resolver fail to compile (src/workbench/generate/resolvers.ts).
 */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  generates: {
    'generated/graphql.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        contextType: '../src/application/context.js#GraphQLContext',
        // A type is resolved from the model that the services return, not from its own shape.
        mappers: {
          User: '../src/platform/accounts/users.js#User as UserModel',
          Post: '../src/application/services/posts.js#Post as PostModel',
          Comment: '../src/application/services/comments.js#Comment as CommentModel',
          Message: '../src/application/services/messages.js#Message as MessageModel',
          UserConnection: '../src/platform/accounts/user-pages.js#UserPage as UserPageModel',
        },
        // The names UserResolvers and Resolvers are for those that must be written; see src/workbench/generate/resolvers.ts.
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
