import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import type { OpenApiDocument, Schema } from '../../../src/platform/core/contract/document.js';
import { operations } from '../../../src/platform/core/contract/openapi.js';
import { filesIn } from '../../../src/platform/core/contract/project-files.js';
import { inlineSchemas, structureOf } from '../../../src/platform/core/contract/schemas.js';
import { restElements } from '../../../src/testing/coverage/rest.js';
import { openApiOf } from '../../../src/workbench/model/openapi-source.js';
import { readYaml } from '../../../src/workbench/model/yaml-source.js';
import { openapi } from '../../support/small-project.js';

t.test('each operation has what the service needs', async (t) => {
  const [get, put] = operations(openApiOf(openapi).document);
  t.match(get, { operationId: 'getNote', method: 'GET', path: '/notes/{note_id}', tag: 'notes', permission: 'public' });
  t.match(get, { security: [], counted: true, deprecated: false });
  t.same(
    put?.operation.parameters.map(({ name }) => name),
    ['note_id', 'version', 'If-Match'],
  );
  t.match(put?.permission, { action: 'notes.update', viewer: 'none', developer: 'own', admin: 'any' });
});

t.test('a contract is read by YAML 1.2', async (t) => {
  const text = `
date: 2027-01-01
time: 2027-01-01T00:00:00Z
words: [on, off, yes, no, y, n, True, 'true', ~]
numbers: [0o17, 017, 0x1f, 1_000, 12:30, .5, 1e3]
keys: { on: 1, 404: 2, 2027-01-01: 3 }
base: &base { a: 1 }
merged: { <<: *base, b: 2 }
`;
  const value = {
    date: '2027-01-01',
    time: '2027-01-01T00:00:00Z',
    words: ['on', 'off', 'yes', 'no', 'y', 'n', true, 'true', null],
    numbers: [15, 17, 31, '1_000', '12:30', 0.5, 1000],
    keys: { on: 1, 404: 2, '2027-01-01': 3 },
    base: { a: 1 },
    merged: { '<<': { a: 1 }, b: 2 },
  };
  t.strictSame(readYaml(text, 'openapi.yaml').value, value);
});

t.test("an operation's own parameter goes before its path's", async (t) => {
  const own = '{ name: note_id, in: path, required: true, schema: { type: string } }';
  const text = openapi.replace('- { name: If-Match, in: header, schema: { type: string } }', `- ${own}`);
  const [, put] = operations(openApiOf(text).document);
  t.match(put?.operation.parameters, [{ name: 'version' }, { name: 'note_id', schema: { type: 'string' } }]);
});

const bodyOfPut = ({ paths }: OpenApiDocument) =>
  paths['/notes/{note_id}']?.put?.requestBody?.content['application/json'];

t.test('references to schemas stay until inlining', async (t) => {
  const document = openApiOf(openapi).document;
  t.same(bodyOfPut(document)?.schema, { $ref: '#/components/schemas/Note' });
  t.same(bodyOfPut(inlineSchemas(document))?.schema, document.components.schemas['Note']);
});

t.test('schemas that each refer twice to the next one are inlined once, and validate at every depth', async (t) => {
  const depth = 40;
  const layers = Array.from({ length: depth }, (_, at) => {
    const next = `{ $ref: '#/components/schemas/Layer${at + 1}' }`;
    return `    Layer${at}: { type: object, properties: { left: ${next}, right: ${next} } }\n`;
  });
  const text = openapi
    .replaceAll("/schemas/Note' }", "/schemas/Layer0' }")
    .replace('  schemas:\n', (line) => `${line}${layers.join('')}    Layer${depth}: { type: string }\n`);
  const { document } = openApiOf(text);
  const { schema = {} } = bodyOfPut(inlineSchemas(document)) ?? {};
  t.ok(JSON.stringify(schema).length < 1e6);
  const holds = new Ajv2020().compile(schema);
  const below = (value: unknown) => Array.from({ length: depth }).reduce((inner) => ({ right: inner }), value);
  t.same([holds(below('a text')), holds(below(1)), holds(below({}))], [true, false, false]);
  t.ok(restElements(document).length < 10_000, 'so does what tests are asked to see');
});

t.test('a reference that leads nowhere is reported by its text', async (t) => {
  const { document } = openApiOf(openapi);
  const reference = '#/components/schemas/Missing';
  const schemas = { ...document.components?.schemas, Lost: { properties: { of: { $ref: reference } } } };
  const broken = { ...document, components: { ...document.components, schemas } } as OpenApiDocument;
  t.throws(() => inlineSchemas(broken), { message: `Unresolved reference: ${reference}` });
});

t.test('an operation without a permission is rejected', async (t) => {
  const document = openApiOf(openapi.replace('      x-permission: public\n', '')).document;
  t.throws(() => operations(document), { message: /getNote does not say who may call it/ });
});

t.test('secrets in requests are writeOnly', async (t) => {
  const { schemas } = openApiOf(readFileSync('openapi.yaml', 'utf8'), undefined, filesIn('.')).written.components;
  const secret = /^(password|current_password|new_password|refresh_token)$/;
  const members = Object.entries(schemas).flatMap(([schema, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([name]) => secret.test(name))
      .map(([name, member]) => [`${schema}.${name}`, (member as Schema)['writeOnly'] === true] as const),
  );
  t.same(Object.fromEntries(members), {
    'CreateUserRequest.password': true,
    'ChangePasswordRequest.current_password': true,
    'ChangePasswordRequest.new_password': true,
    'LoginRequest.password': true,
    'RefreshRequest.refresh_token': true,
    'JwtLogin.refresh_token': false,
  });
});

t.test('the structure of a schema is its types and required members', async (t) => {
  const schema: Schema = {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 3 },
      role: { enum: ['admin'], type: ['string', 'null'] },
      total: { type: 'object', required: ['amount'], properties: { amount: { type: 'integer', minimum: 1 } } },
      tags: { type: 'array', items: { type: 'string', pattern: '^a' }, uniqueItems: true },
      either: {
        oneOf: [
          { type: 'string', format: 'email' },
          { type: 'string', maxLength: 2 },
        ],
      },
    },
  };
  const ajv = new Ajv2020({ validateFormats: false });
  const [structure, whole] = [ajv.compile(structureOf(schema)), ajv.compile(schema)];
  const malformed = [
    [],
    {},
    { name: 1 },
    { name: 'abc', role: 1 },
    { name: 'abc', total: {} },
    { name: 'abc', tags: [1] },
  ];
  for (const value of malformed) t.notOk(structure(value), JSON.stringify(value));
  const invalid = [
    { name: 'a' },
    { name: 'abc', role: 'king' },
    { name: 'abc', role: null },
    { name: 'abc', total: { amount: 0 } },
    { name: 'abc', tags: ['b', 'b'] },
    { name: 'abc', either: 'ab' },
    { name: 'abc', surplus: true },
  ];
  for (const value of invalid) {
    t.ok(structure(value), `${JSON.stringify(value)} has the right structure`);
    t.notOk(whole(value), `${JSON.stringify(value)} has invalid content`);
  }
});
