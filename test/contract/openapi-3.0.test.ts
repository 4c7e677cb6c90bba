import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { contracts } from '../platform/fixture/files.js';
import { contractsFrom } from '../support/contracts.js';
import { CASES, REFERRED, VALUES } from './openapi-3.0-cases.js';

type Node = Record<string, unknown>;
type Document = Node & {
  paths: Record<string, Record<string, Node>>;
  components: Record<string, Record<string, Node>>;
};

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Returns the published contract in 3.1 and in 3.0. */
async function editions(text: string): Promise<[Document, Document]> {
  const { at } = await contractsFrom(text, 'type Query { a: Int }');
  const { openapiJson, openapi30Json } = (await at('https://a.test')).documents;
  return [JSON.parse(openapiJson.toString()), JSON.parse(openapi30Json.toString())];
}

/** By the specification, `nullable` needs a `type`. Tools do not require it. */
type Reading = 'strict' | 'tools';

/** Converts the schemas of a 3.0 document to JSON Schema 2020-12, for Ajv. */
function read(value: unknown, reading: Reading): unknown {
  if (Array.isArray(value)) return value.map((one) => read(one, reading));
  if (!isNode(value)) return value;
  const all = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, read(one, reading)]));
  const { nullable, ...schema } = all;
  for (const [limit, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (schema[exclusive] !== true) continue;
    schema[exclusive] = schema[limit];
    delete schema[limit];
  }
  if (nullable !== true) return schema;
  if (reading === 'tools') return { anyOf: [{ type: 'null' }, schema] };
  return schema['type'] === undefined ? schema : { ...schema, type: [schema['type'], 'null'] };
}

/** Returns true if a value is valid by a schema of a document. */
function holder(document: unknown): (keys: string[], value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...(document as Node), $id: 'https://a.test/' });
  return (keys, value) => {
    const pointer = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
    return ajv.getSchema(`https://a.test/#/${pointer.join('/')}`)?.(value) === true;
  };
}

/** Returns the schemas of a document with their examples. */
function* shown(root: Document, value: unknown = root, keys: string[] = []): Generator<[string[], unknown[]]> {
  if (!isNode(value)) return;
  if (isNode(value['schema']) && ('example' in value || 'examples' in value)) {
    const named = Object.values((value['examples'] ?? {}) as Record<string, Node>).map((one) =>
      typeof one['$ref'] === 'string' ? root.components['examples']?.[String(one['$ref'].split('/').at(-1))] : one,
    );
    yield [[...keys, 'schema'], 'example' in value ? [value['example']] : named.map((one) => one?.['value'])];
  }
  for (const [key, one] of Object.entries(value)) yield* shown(root, one, [...keys, key]);
}

t.test('a schema in 3.0 allows at least the same values', async (t) => {
  const cases = Object.fromEntries(CASES.map(({ was }, at) => [`Case${at}`, was]));
  const text = {
    openapi: '3.1.0',
    info: { title: 'Cases', version: '1' },
    paths: {},
    components: { schemas: { ...REFERRED, ...cases } },
  };
  const [document, older] = await editions(JSON.stringify(text));
  t.match(await new Validator().validate(structuredClone(older)), { valid: true });
  const schemas = older.components['schemas'] ?? {};
  t.same(schemas['WithDefinitions'], { type: 'object', 'x-defs': { Part: { type: 'string', nullable: true } } });
  const was = holder(document);
  const readings = { tools: holder(read(older, 'tools')), strict: holder(read(older, 'strict')) };
  for (const [at, { was: source, is, loose = false, onlyTools = false }] of CASES.entries()) {
    const title = JSON.stringify(source);
    t.strictSame(schemas[`Case${at}`], is, title);
    const keys = ['components', 'schemas', `Case${at}`];
    if (title.includes('/Node/')) continue;
    for (const [name, holds] of Object.entries(readings)) {
      if (onlyTools && name === 'strict') continue;
      const [taken, before] = [holds, was].map((one) => VALUES.filter((value) => one(keys, value)));
      const rejected = before?.filter((value) => !taken?.includes(value));
      t.same(rejected, [], `${title}, ${name}`);
      if (loose) t.ok(Number(taken?.length) > Number(before?.length), `${title} takes more`);
      else t.same(taken, before, `${title}, ${name}`);
    }
  }
});

t.test('a document has only members of 3.0, and all required ones', async (t) => {
  const described = { description: 'Beside a reference.' };
  const ok = { responses: { '200': { $ref: '#/components/responses/Ok', ...described } } };
  const text = {
    openapi: '3.1.0',
    info: { title: 'All', version: '1', summary: 'Short.', license: { name: 'MIT', identifier: 'MIT' } },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: 'https://b.test' }],
    security: [{ basic: [] }, { login: ['read'] }],
    paths: {
      '/a': { $ref: '#/components/pathItems/Shared', summary: 'Its own.' },
      '/b/{id}': {
        parameters: [{ $ref: '#/components/parameters/Id', ...described }],
        get: { operationId: 'getB', security: [{}], responses: {} },
        put: {
          operationId: 'putB',
          requestBody: { $ref: '#/components/requestBodies/Any', ...described },
          callbacks: { done: { '{$request.query.to}': { $ref: '#/components/pathItems/Shared' } } },
          ...ok,
        },
      },
    },
    webhooks: { told: { post: ok } },
    'x-unmatched': { '404': { description: 'None.', content: { 'text/plain': { schema: { const: 'none' } } } } },
    components: {
      pathItems: { Shared: { get: ok } },
      parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: ['integer', 'string'] } } },
      requestBodies: {
        Any: {
          content: {
            'application/json': {
              schema: true,
              examples: { one: { $ref: '#/components/examples/One', ...described } },
            },
          },
        },
      },
      headers: { Count: { schema: { exclusiveMinimum: 0 } } },
      responses: {
        Ok: {
          description: 'Done.',
          headers: { Count: { $ref: '#/components/headers/Count', ...described } },
          content: {
            'application/json': { schema: { const: 1 }, encoding: { a: { headers: { B: { schema: { const: 2 } } } } } },
          },
          links: { next: { $ref: '#/components/links/Next', ...described } },
        },
      },
      examples: { One: { value: { const: 1 } } },
      links: { Next: { operationId: 'getB' } },
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        login: { type: 'openIdConnect', openIdConnectUrl: 'https://a.test' },
      },
    },
  };
  const [, older] = await editions(JSON.stringify(text));
  t.match(await new Validator().validate(structuredClone(older)), { valid: true });
  const { Id, Any, Count, Ok, Next, One } = Object.fromEntries(
    ['parameters/Id', 'requestBodies/Any', 'headers/Count', 'responses/Ok', 'links/Next', 'examples/One'].map(
      (name) => [name.split('/')[1], { $ref: `#/components/${name}` }],
    ),
  );
  const done = {
    description: 'Done.',
    headers: { Count },
    content: {
      'application/json': { schema: { enum: [1] }, encoding: { a: { headers: { B: { schema: { enum: [2] } } } } } },
    },
    links: { next: Next },
  };
  const shared = { get: { responses: { '200': Ok } } };
  const { parameters, examples, links, securitySchemes } = text.components;
  t.strictSame(older, {
    openapi: '3.0.3',
    info: { title: 'All', version: '1', license: { name: 'MIT' } },
    servers: [{ url: 'https://a.test', description: 'Where this contract is served.' }, { url: 'https://b.test' }],
    paths: {
      '/a': { ...shared, summary: 'Its own.' },
      '/b/{id}': {
        parameters: [Id],
        get: { operationId: 'getB', security: [{}], responses: { default: { description: 'Not described.' } } },
        put: {
          operationId: 'putB',
          security: [{ basic: [] }, { login: ['read'] }],
          requestBody: Any,
          callbacks: { done: { '{$request.query.to}': shared } },
          responses: { '200': done },
        },
      },
    },
    'x-unmatched': { '404': { description: 'None.', content: { 'text/plain': { schema: { enum: ['none'] } } } } },
    components: {
      parameters: { Id: { ...parameters.Id, schema: { anyOf: [{ type: 'integer' }, { type: 'string' }] } } },
      requestBodies: { Any: { content: { 'application/json': { schema: {}, examples: { one: One } } } } },
      headers: { Count: { schema: { minimum: 0, exclusiveMinimum: true } } },
      responses: { Ok: done },
      examples,
      links,
      securitySchemes,
    },
  });
});

/** Returns a value and its variants: one member missing, or replaced. */
function* near(value: unknown, depth = 2): Generator<unknown> {
  yield value;
  yield* [null, 'other', -1, {}, []];
  if (!isNode(value) || depth === 0) return;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) yield Object.fromEntries(Object.entries(value).filter(([one]) => one !== name));
    for (const other of near(member, depth - 1))
      yield Array.isArray(value) ? value.with(Number(name), other) : { ...value, [name]: other };
  }
  if (!Array.isArray(value)) yield { ...value, unknown_member: 1 };
}

for (const [name, text] of Object.entries({
  example: readFileSync('openapi.yaml', 'utf8'),
  library: contracts.openapi,
})) {
  t.test(`the ${name} in 3.0 is valid, with the same operations, and accepts the same values`, async (t) => {
    const [document, older] = await editions(text);
    t.match(older, { openapi: '3.0.3', servers: [{ url: 'https://a.test' }] });
    t.match(await new Validator().validate(structuredClone(older)), { valid: true });
    const operations = ({ paths }: Document) =>
      Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, { operationId, responses }]) => [
          path,
          method,
          operationId,
          isNode(responses) && Object.keys(responses),
        ]),
      );
    t.same(operations(older), operations(document));
    const [is, was] = [holder(read(older, 'tools')), holder(document)];
    const seen = new Set<string>();
    const counts = { taken: 0, refused: 0 };
    for (const [keys, examples] of shown(document)) {
      const schema = JSON.stringify(keys.reduce<unknown>((node, key) => (node as Node)[key], document));
      if (seen.has(schema)) continue;
      seen.add(schema);
      for (const value of examples.flatMap((one) => [...near(one)])) {
        const taken = was(keys, value);
        counts[taken ? 'taken' : 'refused'] += 1;
        if (is(keys, value) !== taken) t.fail('takes other values', { keys, value, taken });
      }
    }
    t.ok(counts.taken > 0 && counts.refused > counts.taken, JSON.stringify(counts));
  });
}
