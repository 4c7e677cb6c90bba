import graphqlPlugin from '@graphql-eslint/eslint-plugin';

const { rules: recommended } = graphqlPlugin.configs['flat/schema-recommended'];
const { rules: relay } = graphqlPlugin.configs['flat/schema-relay'];

/** Lints the GraphQL contract. TypeScript and JSON are biome's. */
export default [
  {
    files: ['schema.graphql'],
    plugins: { '@graphql-eslint': graphqlPlugin },
    languageOptions: {
      parser: graphqlPlugin.parser,
      parserOptions: { graphQLConfig: { schema: './schema.graphql' } },
    },
    rules: {
      ...recommended,
      ...relay,
      // These have no identity of their own: the first reports what was done, the others are places in a list.
      '@graphql-eslint/strict-id-in-types': [
        'error',
        { exceptions: { types: ['DeleteResult', 'PageInfo'], suffixes: ['Connection', 'Edge'] } },
      ],
      '@graphql-eslint/relay-edge-types': [
        'error',
        {
          withEdgeSuffix: true,
          // There is no `node(id)` field, because ids count per type; so there is no `Node` interface either.
          shouldImplementNode: false,
          // The specification of the service gives plain lists (`users`, `posts`, `comments`) beside the connection.
          listTypeCanWrapOnlyEdgeType: false,
        },
      ],
      // The contract is read without the code, so everything in it says what it means.
      '@graphql-eslint/require-description': [
        'error',
        {
          types: true,
          rootField: true,
          DirectiveDefinition: true,
          EnumValueDefinition: true,
          FieldDefinition: true,
          InputValueDefinition: true,
        },
      ],
    },
  },
];
