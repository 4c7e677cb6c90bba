import { type Own, withoutRow } from '../../support/own-application.js';

const permission = { action: 'users.read', viewer: 'any', developer: 'any', admin: 'any' };

/** Parameters by name: the schema, or the whole parameter. */
const parameters = (place: string, schemas: Record<string, object>) =>
  Object.entries(schemas).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path',
    ...('schema' in schema || 'content' in schema ? schema : { schema: schema }),
  }));

const operation = (operationId: string, listed: object[], more: object = {}) => ({
  get: {
    operationId,
    tags: ['parameters'],
    security: [{ jwt: [] }],
    'x-permission': permission,
    parameters: listed,
    responses: { 200: { description: 'What was read.', content: { 'application/json': { schema: {} } } } },
    ...more,
  },
});

const contractOf = (paths: object) => ({
  openapi: '3.1.0',
  info: { title: 'Parameters', version: '1.0.0' },
  paths,
  components: {
    securitySchemes: { jwt: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Amount: { type: 'integer', maximum: 10 },
      State: { enum: ['open', 'closed'] },
      States: { type: 'array', maxItems: 2, items: { $ref: '#/components/schemas/State' } },
      Place: { type: 'object', required: ['at'], properties: { at: { type: 'integer', minimum: 1 } } },
    },
  },
});

const integers = { type: 'array', items: { type: 'integer' } };
const texts = { type: 'array', items: { type: 'string' } };
const state = { $ref: '#/components/schemas/State' };

const query = {
  yes: { type: 'boolean' },
  much: { type: 'number', minimum: -1.5, exclusiveMaximum: 100 },
  many: { type: ['integer', 'null'], maximum: 10 },
  amount: { allOf: [{ $ref: '#/components/schemas/Amount' }, { minimum: 5 }] },
  either: { oneOf: [{ type: 'integer' }, { type: 'boolean' }, { const: 'all' }] },
  level: { enum: [1, 2] },
  anything: {},
  ids: { ...integers, minItems: 1, maxItems: 3 },
  tags: texts,
  states: { $ref: '#/components/schemas/States' },
  commas: { explode: false, schema: integers },
  names: { explode: false, schema: texts },
  flags: { explode: false, schema: { type: ['array', 'null'], items: { type: ['boolean', 'null'] } } },
  place: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Place' } } } },
};

const read = {
  '/api/v1/things': operation('readQuery', [
    ...parameters('query', query),
    ...parameters('header', {
      'X-Exact': { type: 'boolean' },
      'X-Weight': { type: 'number' },
      'X-Note': { content: { 'application/json': { schema: { type: 'object' } } } },
    }),
    ...parameters('cookie', {
      seen: { type: 'boolean' },
      last: { explode: false, schema: { ...integers, maxItems: 2 } },
      words: { explode: false, schema: texts },
      plain: { type: 'string' },
    }),
  ]),
  '/api/v1/things/{number}/of/{name}/{state}': operation(
    'readPath',
    parameters('path', { number: { type: 'number', maximum: 10 }, name: { type: 'string' }, state }),
  ),
};

const distinct = {
  '/api/v1/distinct': {
    post: operation('readDistinct', [], {
      requestBody: { content: { 'application/json': { schema: { type: 'array', uniqueItems: true } } } },
    }).get,
  },
};

const told = withoutRow((request: object) => ({ status: 200, body: request }));

/** Operations that return their parameters. */
export const parametersApplication: Own = {
  openapi: contractOf({ ...read, ...distinct }),
  handlers: { parameters: { readQuery: told, readPath: told, readDistinct: told } },
};

/** Unsupported parameters, with the reason and the remedy. */
export const UNREAD: [place: string, said: object, why: RegExp][] = [
  ['path', { style: 'label', schema: integers }, /has the style label: leave it out/],
  ['query', { style: 'pipeDelimited', schema: texts }, /has the style pipeDelimited: leave it out, or use `content`/],
  ['query', { style: 'deepObject', schema: { type: 'object' } }, /has the style deepObject: leave it out/],
  ['query', { schema: { type: 'object' } }, /is an object: use `content` of application\/json/],
  ['query', { schema: { oneOf: [texts, { type: 'string' }] } }, /may be a single value or a list/],
  ['query', { schema: { items: { type: 'integer' } } }, /may be a single value or a list/],
  ['query', { schema: { type: 'array', items: integers } }, /is a list of values without a text form/],
  ['path', { schema: integers }, /is a list in a path: use a query parameter/],
  ['header', { schema: texts }, /is a list in a header: use a query parameter/],
  ['query', { schema: { type: 'null' } }, /has values without a text form: null/],
  ['query', { schema: { type: 'boolean' }, allowEmptyValue: true }, /remove `allowEmptyValue`/],
  ['query', { content: { 'text/csv': {} } }, /has another `content` than application\/json/],
  ['cookie', { schema: texts }, /cannot be repeated in a cookie/],
];

export const unreadContract = ([place, said]: (typeof UNREAD)[number]) =>
  contractOf({
    [place === 'path' ? '/api/v1/odd/{odd}' : '/api/v1/odd']: operation('readOdd', [
      { name: 'odd', in: place, required: place === 'path', ...said },
    ]),
  });
