import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';
import t from 'tap';
import { parse } from 'yaml';
import { platformCodes } from '../../src/platform/core/contract/codes.js';
import { operationEntries } from '../../src/platform/core/contract/openapi.js';
import { OPERATIONS_OF } from '../../src/platform/core/contract/part-operations.js';
import { filesIn } from '../../src/platform/core/contract/project-files.js';
import { check } from '../../src/workbench/model/check.js';
import { contractsOf } from '../../src/workbench/model/contracts.js';
import { publishedYaml } from '../../src/workbench/model/edition.js';
import { openApiOf } from '../../src/workbench/model/openapi-source.js';
import { DOCUMENTED_PARTS } from '../../src/workbench/model/part-documents.js';
import { ROOT, temporaryFolder } from '../support/process.js';

const PLATFORM = join(ROOT, 'src/platform');
const FILES = ['core', ...readdirSync(join(PLATFORM, 'parts')).map((part) => `parts/${part}`)].filter((folder) =>
  existsSync(join(PLATFORM, folder, 'openapi.yaml')),
);

/** A contract of notes that names parts. */
const notes = (parts: string, more = '', components = '') => `openapi: 3.1.0
info: { title: Notes, version: 1.0.0, license: { name: MIT, identifier: MIT } }
servers: [{ url: https://notes.example.org }]
x-parts: [${parts}]
tags: [{ name: notes, description: Notes. }]
security: [{ basicAuth: [] }, { opaqueToken: [] }, { jwt: [] }, { cookieAuth: [] }]
paths:
  /api/v1/notes:
    get:
      operationId: listNotes
      tags: [notes]
      summary: List notes
      description: All notes.
      x-permission: { action: notes.read, writer: any, boss: any }
      responses: { '200': { description: Notes., content: { application/json: { schema: { type: object } } } } }
${more}components:
  securitySchemes:
    cookieAuth: { type: apiKey, in: cookie, name: notes_access, description: A cookie. }
${components}`;

const contractOf = (text: string) => openApiOf(text, undefined, filesIn(ROOT));
const operationsOf = (text: string) =>
  Object.fromEntries(
    operationEntries(contractOf(text).document).map(({ method, path, operation }) => [
      operation.operationId,
      { request: `${method} ${path}`, ...operation },
    ]),
  );

t.test('each part with operations or marks of the contract has a document, which states its operations', async (t) => {
  t.same(
    [...DOCUMENTED_PARTS],
    FILES.map((folder) => folder.split('/').at(-1)),
  );
  for (const [part, names] of Object.entries(OPERATIONS_OF)) {
    const { paths } = parse(readFileSync(join(PLATFORM, 'parts', part, 'openapi.yaml'), 'utf8'));
    const stated = operationEntries({ paths } as never).map(({ operation }) => operation.operationId);
    t.same(stated.sort(), names.filter((name) => !name.includes('.')).sort(), part);
  }
});

t.test('a contract has the operations of the parts that it names, for its roles and with its cookies', async (t) => {
  const text = notes('core, identity, limits, observability, versions');
  t.same(await check(contractsOf({ openapi: text }, undefined, filesIn(ROOT))), []);
  const found = operationsOf(text);
  for (const names of Object.values(OPERATIONS_OF))
    for (const name of names) if (!name.includes('.')) t.ok(found[name], name);
  t.ok(found['getOpenApiYaml']);
  t.same(found['listSessions']?.['x-permission'], { action: 'sessions.read', writer: 'own', boss: 'own' });
  t.same(
    found['refreshSession']?.parameters.filter(({ in: place }) => place === 'cookie').map(({ name }) => name),
    ['notes_refresh', 'notes_session'],
  );
  t.match(Object.keys(found['listNotes']?.responses ?? {}), ['200', '304', '400', '401', '403', '404', '406', '429']);
  t.ok(found['listNotes']?.responses['200']?.headers?.['X-Rate-Limit-Limit']);
  t.same(found['listNotes']?.parameters.find(({ name }) => name === 'version')?.schema?.enum, ['1']);
  const without = operationsOf(notes('core'));
  t.same([without['login'], without['getLiveness']], [undefined, undefined]);
  t.notOk(without['listNotes']?.responses['429'], 'the defaults of a part that is not named do not apply');
});

t.test('what a contract states itself wins: a path, an operationId, a tag, a component, a code', async (t) => {
  const own = `
  /livez:
    get: &Own
      operationId: ping
      tags: [notes]
      summary: Ping
      description: Ping.
      security: []
      x-permission: public
      responses: { '204': { description: Pong. } }
  /sign-in:
    post: { <<: *Own, operationId: login }
`;
  const schemas = `
  schemas:
    Session: { description: A therapy session., type: object, properties: { minutes: { type: integer, description: Minutes. } } }
    ErrorCode: { description: Codes., type: string, enum: [NOT_FOUND, TOO_LONG], x-codes: { TOO_LONG: { status: 422, title: Too long, description: Too long. } } }
`;
  const text = notes(
    'core, identity, observability',
    own.slice(1).replaceAll('<<: *Own, ', ''),
    schemas.slice(1),
  ).replace(
    'post: { operationId: login }',
    "post: { operationId: login, tags: [notes], summary: Log in, description: Log in., security: [], x-permission: public, responses: { '204': { description: In. } } }",
  );
  const found = operationsOf(text);
  t.match(found, { ping: { request: 'get /livez' }, login: { request: 'post /sign-in' } });
  t.same([found['getLiveness'], found['getReadiness']?.request], [undefined, 'get /readyz']);
  const { components } = contractOf(text).written;
  t.match(components.schemas['Session'], { description: 'A therapy session.' });
  t.match(components.schemas['Session-2'], { description: 'A login that still holds.' });
  t.same(components.schemas['ErrorCode']?.enum, ['NOT_FOUND', 'TOO_LONG'], 'problems of the platform have these codes');
  t.notOk('ErrorCode-2' in components.schemas);
});

t.test('a part with permissions is refused in a contract without roles', async (t) => {
  const text = notes('core, identity').replace('{ action: notes.read, writer: any, boss: any }', 'public');
  const [problem] = await check(contractsOf({ openapi: text }, undefined, filesIn(ROOT)));
  t.match(problem, {
    rule: 'operation-permission',
    message: /^Permission "[a-z.-]+" names no role, and no operation of this contract does/,
  });
});

t.test('a list of parts that cannot be meant is refused with its line', async (t) => {
  for (const [parts, message] of [
    ['core, idenity', 'There is no part idenity with a contract: use core, identity, limits, observability, versions.'],
    ['core, ../../x', /^There is no part \.\.\/\.\.\/x with a contract/],
    ['core, core', 'x-parts names core twice.'],
    ['identity', /^x-parts is a list of parts that has core/],
  ] as const)
    t.match(contractOf(notes(parts)).errors[0], { file: 'openapi.yaml', line: 4, message }, parts);
  for (const value of ['core', '{ core: true }'])
    t.match(contractOf(notes('').replace('[]', value)).errors[0]?.message, /^x-parts is a list of parts/, value);
});

t.test('a contract that is being typed has problems instead of a crash', async (t) => {
  const text = notes('core, identity, limits');
  for (const [from, to] of [
    ['[{ name: notes, description: Notes. }]', '[~]'],
    ['[{ name: notes, description: Notes. }]', '{}'],
    ['tags:', 'x-defaults: {}\ntags:'],
    ['  securitySchemes:\n', '  securitySchemes:\n    other:\n'],
  ] as const)
    t.ok((await check(contractsOf({ openapi: text.replace(from, to) }, undefined, filesIn(ROOT)))).length > 0, to);
});

t.test('an operation that is not counted has failures of its own', async (t) => {
  const hook = `
  /api/v1/hooks:
    post:
      operationId: receive
      tags: [notes]
      summary: Receive
      description: Receive.
      x-permission: { action: notes.receive, writer: any, boss: any }
      x-rate-limit: false
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '204': { description: Received. } }
`;
  const text = notes('core, identity, limits, observability, versions', hook.slice(1));
  t.same(await check(contractsOf({ openapi: text }, undefined, filesIn(ROOT))), []);
  const { responses = {} } = operationsOf(text)['receive'] ?? {};
  for (const status of ['401', '404', '413', '422'])
    t.notOk(responses[status]?.headers?.['X-Rate-Limit-Limit'], status);
  t.notOk(responses['429']);
});

t.test('roles that only the SDL has are the roles of parts, too', async (t) => {
  const openapi = notes('core, identity').replace('{ action: notes.read, writer: any, boss: any }', 'public');
  const schema = `directive @permission(action: String!, reader: Access!, admin: Access!) on FIELD_DEFINITION
enum Access { NONE OWN ANY }
type Query { notes: String @permission(action: "notes.read", reader: ANY, admin: ANY) }`;
  const contracts = contractsOf({ openapi, schema }, undefined, filesIn(ROOT));
  t.same(await check(contracts), []);
  const found = operationEntries(contracts.openapi.document).find(
    ({ operation }) => operation.operationId === 'changePassword',
  );
  t.same(found?.operation['x-permission'], { action: 'users.set-password', reader: 'own', admin: 'any' });
});

t.test('a path item among the components has operations and roles, too', async (t) => {
  const item = `  pathItems:
    Drafts:
      get:
        operationId: listDrafts
        security: [{ jwt: [] }]
        x-permission: { action: drafts.read, reader: any }
        responses: { '200': { description: Drafts. } }
`;
  const text = notes('core, identity', "  /api/v1/drafts: { $ref: '#/components/pathItems/Drafts' }\n", item);
  t.match(operationsOf(text)['listSessions']?.['x-permission'], { writer: 'own', boss: 'own', reader: 'own' });
});

t.test('only the schemes that operations require, and only the codes of the platform', async (t) => {
  const { components } = contractOf(notes('core, observability').replace(/^security: .*$/m, 'security: []')).written;
  t.same(Object.keys(components.securitySchemes ?? {}), ['cookieAuth', 'metricsToken']);
  t.same(components.schemas['ErrorCode']?.enum, Object.keys(platformCodes), 'the codes of the platform, and no others');
});

t.test('a folder of contracts without installed packages is compared', async (t) => {
  const folder = temporaryFolder(t);
  const file = './node_modules/@accord-api/platform/core/openapi.yaml#/components/responses/Gone';
  writeFileSync(join(folder, 'openapi.yaml'), notes('core', '', `  responses: { Gone: { $ref: '${file}' } }\n`));
  t.same(openApiOf(readFileSync(join(folder, 'openapi.yaml'), 'utf8'), undefined, filesIn(folder)).errors, []);
  const named = openApiOf(readFileSync(join(folder, 'openapi.yaml'), 'utf8'), 'old/openapi.yaml', filesIn(folder));
  t.same(named.errors, [], 'a file in a folder of its own');
});

t.test('a package that is installed in a folder above the project is found', async (t) => {
  const root = temporaryFolder(t);
  const project = join(root, 'packages/notes');
  mkdirSync(project, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const file = '../../node_modules/@accord-api/platform/core/openapi.yaml#/components/responses/Gone';
  writeFileSync(join(project, 'openapi.yaml'), notes('core', '', `  responses: { Gone: { $ref: '${file}' } }\n`));
  const source = openApiOf(readFileSync(join(project, 'openapi.yaml'), 'utf8'), undefined, filesIn(project));
  t.same(source.errors, []);
  t.match(source.written.components.responses?.['Gone'], { description: /`GONE`/ });
});

t.test('the authored contracts are valid alone, and the contracts of parts pass recommended-strict', async (t) => {
  const valid = await createConfig({
    rules: { struct: 'error', 'no-unresolved-refs': 'error', 'security-defined': 'error' },
  });
  t.same(await lint({ ref: join(ROOT, 'openapi.yaml'), config: valid }), []);
  const strict = await createConfig({ extends: ['recommended-strict'] });
  for (const part of DOCUMENTED_PARTS) {
    const folder = temporaryFolder(t);
    const { written } = contractOf(notes([...new Set(['core', 'identity', part])].join(', ')));
    writeFileSync(join(folder, 'openapi.yaml'), publishedYaml(written));
    const found = await lint({ ref: join(folder, 'openapi.yaml'), config: strict });
    t.same(
      found.map(({ ruleId, message }) => `${ruleId} ${message}`),
      [],
      part,
    );
  }
});
