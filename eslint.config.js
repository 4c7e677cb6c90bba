import graphqlPlugin from '@graphql-eslint/eslint-plugin';
import typescriptParser from '@typescript-eslint/parser';
import regexpPlugin from 'eslint-plugin-regexp';

const { rules: recommended } = graphqlPlugin.configs['flat/schema-recommended'];
const { rules: relay } = graphqlPlugin.configs['flat/schema-relay'];

// What a request allocates dies with it (docs/performance.md).
const ANYWHERE = [
  {
    selector: "MemberExpression[object.name='AsyncResource'][property.name='bind']",
    message: 'On Node 20 each call makes a hidden class, which keeps the request until the next full collection.',
  },
  {
    selector:
      "NewExpression[callee.name='WeakMap'] > TSTypeParameterInstantiation > TSTypeReference:first-child > Identifier[name=/^Fastify(Request|Reply)$|^IncomingMessage$|^ServerResponse$/]",
    message: 'A minor collection keeps values that point to their keys. Declare a member with a symbol.',
  },
];
const GETTER = {
  selector: "ObjectExpression > Property[kind='get']",
  message: 'Each object of the literal gets a hidden class of its own. Declare a class, or compute the value.',
};
const PROTOTYPE = {
  selector: "CallExpression[callee.object.name='Object'][callee.property.name='setPrototypeOf']",
  message: 'It makes a hidden class, and all later accesses slow. Declare a class that extends another.',
};
const SPREAD = {
  selector: 'ObjectExpression:has(> SpreadElement):has(> Property)',
  message: 'On Node 20 each object of the literal gets a hidden class of its own. Use Object.assign.',
};
/** The files whose functions run for each request. */
const PER_REQUEST = [
  'src/platform/core/calls/rows.ts',
  'src/platform/core/http/{bodies,call,headers,messages,stages}.ts',
  'src/platform/core/operations/{call-transaction,guarded-client,model-data,model-guard,operate,operation-stages,read-scope,row-locks,running,target-rows}.ts',
  'src/platform/core/rest/{plan,represent,routes}.ts',
  'src/platform/parts/limits/{admission,rate-limit,response-bytes}.ts',
  'src/platform/parts/observability/observability.ts',
  'src/platform/core/http/whole-response.ts',
  'src/prepared-prisma/{shape,statement,transaction}.ts',
];

/** Lints the GraphQL contract, and the regular expressions of the sources. All else of TypeScript and JSON is biome's. */
export default [
  {
    files: ['src/**/*.ts', 'src/**/*.js'],
    // Nothing is excused by a comment.
    linterOptions: { noInlineConfig: true },
    plugins: { regexp: regexpPlugin },
    languageOptions: { parser: typescriptParser },
    rules: {
      // Time grows with the text and not with its square: a request may bring 64 KiB of it.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
      'no-restricted-syntax': ['error', ...ANYWHERE],
    },
  },
  {
    files: ['src/{platform,prepared-prisma}/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...ANYWHERE, GETTER, PROTOTYPE] },
  },
  { files: PER_REQUEST, rules: { 'no-restricted-syntax': ['error', ...ANYWHERE, GETTER, PROTOTYPE, SPREAD] } },
  // Pipelined clients of `pg` take queries of its class, and clients of Prisma are proxies of its own.
  {
    files: ['src/prepared-prisma/{prepared-client,statement}.ts'],
    rules: { 'no-restricted-syntax': ['error', ...ANYWHERE, GETTER] },
  },
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
      // A description of one line takes one line, between quotation marks; a longer one stands in a block.
      '@graphql-eslint/description-style': 'off',
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
          // The contract gives plain lists (`users`, `posts`, `comments`) beside the connection.
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
