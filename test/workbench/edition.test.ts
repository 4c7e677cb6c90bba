import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '@redocly/openapi-core';
import t from 'tap';
import { parse } from 'yaml';
import type { OpenApiDocument } from '../../src/platform/core/contract/document.js';
import { filesIn } from '../../src/platform/core/contract/project-files.js';
import { publishedContracts } from '../../src/platform/core/contract/published.js';
import { useProject } from '../../src/platform/root.js';
import { lint } from '../../src/workbench/cli/lint.js';
import { restChanges } from '../../src/workbench/diff/rest.js';
import { checkOpenApi, lintByRedocly } from '../../src/workbench/model/check.js';
import { contractsOf } from '../../src/workbench/model/contracts.js';
import { applyDefaults } from '../../src/workbench/model/defaults.js';
import { publishedEdition } from '../../src/workbench/model/edition.js';
import { generateContract, openApiOf } from '../../src/workbench/model/openapi-source.js';
import { sdlIn } from '../../src/workbench/model/sdl-source.js';
import { contractsFrom } from '../support/contracts.js';
import { openapi, schema } from '../support/small-project.js';

const actions = (text: string): string => `${openapi}x-defaults:\n${text.replaceAll(/^/gm, '  ')}\n`;

/** The small contract with `x-defaults`. */
const short = actions(`- description: Every operation.
  operations: every
  update:
    parameters:
      - { name: version, in: query, description: Not that of the path., schema: { type: integer } }
      - { name: trace, in: header, schema: { type: string } }
    responses:
      '404': { description: Another one. }
      '500': { $ref: '#/components/responses/Broken' }
- operations: every
  responses: every
  update: { headers: { Request-Id: { $ref: '#/components/headers/Id' } } }
- operations: reads
  responses: every
  copy: { application/json: application/vnd.notes+json }`).replace(
  'components:\n',
  `components:
  headers:
    Id: { description: Which request it was., x-automatic: true, schema: { type: string } }
  responses:
    Broken:
      description: '\`INTERNAL\`. Something broke.'
      content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } }
`,
);

const lineOf = (text: string, words: string) => text.slice(0, text.indexOf(words)).split('\n').length;

t.test('a default applies to each operation that does not state the member itself', async (t) => {
  const { written } = openApiOf(short);
  const { get, put } = written.paths['/notes/{note_id}'] ?? {};
  t.same(Object.keys(get?.responses ?? {}), ['200', '404', '500']);
  t.match(get?.responses['404']?.description, 'NOT_FOUND', 'what an operation says itself goes before');
  t.same(get?.responses['404']?.headers, { 'Request-Id': { $ref: '#/components/headers/Id' } }, 'and is completed');
  t.same(get?.responses['500'], { $ref: '#/components/responses/Broken' });
  t.ok(written.components.responses?.['Broken']?.headers?.['Request-Id'], 'what a reference names, where it stands');
  t.same(
    put?.parameters.map(({ name }) => name),
    ['If-Match', 'version', 'trace'],
  );
  const [json, vendor] = Object.values(get?.responses['200']?.content ?? {});
  t.same(vendor, json);
  t.same(
    Object.keys(get?.responses['404']?.content ?? {}),
    ['application/problem+json'],
    'what is not there is not copied',
  );
  t.notOk('x-defaults' in written);
  t.same(await checkOpenApi(openApiOf(short)), []);
});

t.test('the place of a value from a default is the default', async (t) => {
  const source = openApiOf(short);
  const operation = ['paths', '/notes/{note_id}', 'get'];
  const places: [words: string, path: (string | number)[]][] = [
    ["'500': {", [...operation, 'responses', '500']],
    ['Broken:', ['components', 'responses', 'Broken']],
    ["'`INTERNAL`", [...operation, 'responses', '500', 'description']],
    ['{ name: trace', [...operation, 'parameters', 1]],
    ["'404':\n", [...operation, 'responses', '404']],
    ['update: { headers', [...operation, 'responses', '404', 'headers', 'Request-Id']],
    ['update: { headers', [...operation, 'responses', '500', 'headers', 'Request-Id']],
    ['Id: { description', [...operation, 'responses', '500', 'headers', 'Request-Id', 'description']],
    ['application/json: {', [...operation, 'responses', '200', 'content', 'application/vnd.notes+json', 'schema']],
  ];
  for (const [words, path] of places) t.equal(source.placeOf(path, true).line, lineOf(short, words), path.join('.'));

  const wrong = short.replace("'500': { $ref", '5XX: { $ref');
  const found = (await checkOpenApi(openApiOf(wrong))).map(({ rule, line }) => `${rule} ${line}`);
  t.same([...new Set(found)], [`response-exact-status ${lineOf(wrong, '5XX')}`]);
  const bare = short.replace(/\n *content: \{ application\/problem.*/, '');
  const flaws = (await lint('', contractsOf({ openapi: bare }))).map(({ rule, line }) => `${rule} ${line}`);
  t.ok(flaws.includes(`error-body ${lineOf(bare, "'`INTERNAL`")}`), 'once, where all operations have it from', {
    flaws,
  });
  const misspelt = short.replace('responses/Broken', 'responses/Brokn');
  const [unresolved] = await checkOpenApi(openApiOf(misspelt));
  t.same([unresolved?.rule, unresolved?.line], ['no-unresolved-refs', lineOf(misspelt, 'Brokn')]);
});

t.test('an invalid default, and one that applies to nothing, is reported at its place', async (t) => {
  const cases: [action: string, words: string, message: RegExp][] = [
    ['- operations: documents\n  update: {}', 'documents', /applies to nothing/],
    ['- operations: counting\n  update: {}', 'counting', /no operations called `counting`: use every, counted/],
    ['- update: {}', '- update', /has `operations`/],
    ['- operations: every\n  problems: every\n  update: {}', '- operations', /has `operations`/],
    ['- problems: all\n  update: {}', '- problems', /problems: every/],
    ['- operations: every\n  remove: true', '- operations', /no `remove`/],
    ['- operations: every', '- operations', /has an `update`/],
    ['- operations: every\n  copy: { a: b }', 'copy:', /Only responses/],
  ];
  for (const [action, words, message] of cases) {
    const text = actions(action);
    const found = await checkOpenApi(openApiOf(text));
    t.match(found, [{ rule: 'defaults', line: lineOf(text, words), message }], action);
    t.equal(found.length, 1);
    await t.rejects(contractsFrom(text, schema), { message }, 'nor is it served');
  }
  const sharing = short.replace(
    '- operations: every\n    responses: every',
    '- operations: writes\n    responses: every',
  );
  t.match(
    await checkOpenApi(openApiOf(sharing)),
    [
      {
        rule: 'defaults',
        line: lineOf(sharing, 'operations: writes'),
        message: /responses\/Broken, which is also used .* get responses 500/,
      },
    ],
    'what operations share is completed for all of them',
  );
  const unsound = actions('- operations: every\n  update: {}').replace(
    'info: { title: Notes, version: 1.0.0 }',
    'info: {}',
  );
  t.same(
    (await checkOpenApi(openApiOf(unsound))).map(({ rule }) => rule),
    ['struct', 'struct'],
  );
});

t.test('a default selects operations by predicates', async (t) => {
  const response = (header?: string) => ({ ...(header && { headers: { [header]: {} } }) });
  const paths = {
    '/api/v1/books': {
      get: { 'x-permission': { action: 'books.list' }, responses: { 200: { $ref: '#/components/responses/Listed' } } },
      post: { 'x-permission': 'public', requestBody: {}, responses: { 201: response() } },
    },
    '/book': { $ref: '#/components/pathItems/Book' },
  };
  const components = {
    responses: { Listed: response('X-Total-Count') },
    pathItems: {
      Book: {
        get: { 'x-rate-limit': false, responses: { 200: response('Accept-Ranges') } },
        head: { responses: { 206: response() } },
      },
    },
  };
  const [list, add, book, head] = ['books.get', 'books.post', 'Book.get', 'Book.head'] as const;
  const cases: [names: string | string[], found: string[]][] = [
    ['every', [list, add, book, head]],
    ['counted', [list, add, head]],
    ['uncounted', [book]],
    ['versioned', [list, add]],
    ['restricted', [list]],
    ['reads', [list, book]],
    ['writes', [add]],
    ['takesBody', [add]],
    ['lists', [list]],
    ['documents', [book, head]],
    [['reads', 'counted'], [list]],
  ];
  for (const [operations, found] of cases) {
    const update = { marked: true };
    const { document, faults } = applyDefaults({ paths, components, 'x-defaults': [{ operations, update }] });
    const items = {
      books: document.paths['/api/v1/books'],
      ...(document.components as { pathItems?: object }).pathItems,
    };
    const marked = Object.entries(items).flatMap(([name, item]) =>
      Object.entries(item ?? {}).flatMap(([method, operation]) =>
        (operation as { marked?: boolean }).marked ? `${name}.${method}` : [],
      ),
    );
    t.same([marked, faults], [found, []], String(operations));
  }
});

t.test('a default completes problem documents, and the responses in x-unmatched', async (t) => {
  const problem = (content: object) => ({ content: { 'application/problem+json': content } });
  const { document, faults } = applyDefaults({
    'x-unmatched': { 404: { $ref: '#/components/responses/Lost' } },
    components: {
      responses: { Lost: problem({ example: { detail: 'a' }, examples: { b: { value: { detail: 'b' } } } }), Fine: {} },
    },
    'x-defaults': [
      { problems: 'every', update: { schema: {} }, copy: { detail: 'error' } },
      { unmatched: 'every', update: { headers: { Id: {} } } },
    ],
  });
  t.same(faults, []);
  const example = (text: string) => ({ detail: text, error: text });
  t.same(document.components.responses, {
    Lost: {
      ...problem({ example: example('a'), examples: { b: { value: example('b') } }, schema: {} }),
      headers: { Id: {} },
    },
    Fine: {},
  });
});

t.test('a property with the name of a keyword is a property', async (t) => {
  const secret = { type: 'string', writeOnly: true, 'x-coverage': false };
  const requestBody = {
    content: { 'application/json': { schema: { properties: { default: secret, examples: secret, value: secret } } } },
  };
  const operation = { operationId: 'keep', responses: { '204': { description: 'Kept.' } }, requestBody };
  const info = { title: 'Secrets', version: '1.0.0' };
  const document = { openapi: '3.1.0', info, paths: { '/a': { post: operation } } };
  const edition = publishedEdition(document as unknown as OpenApiDocument);
  const { properties } = edition.paths['/a']?.post?.requestBody?.content['application/json']?.schema ?? {};
  t.same(properties, { default: { type: 'string' }, examples: { type: 'string' }, value: { type: 'string' } });
});

t.test('each operation of the published edition states all of its members', async (t) => {
  const text = short
    .replace('      security: []\n', '')
    .replace(
      'paths:',
      'security: [{ basic: [] }]\nx-bridge: {}\nservers: [{ url: http://localhost:3000 }, { url: https://a.example }]\npaths:',
    )
    .replace('Request-Id: {', "Set-Cookie: { $ref: '#/components/headers/Cookie' }, Request-Id: {")
    .replace(
      '  headers:\n    Id',
      '  headers:\n    Cookie: { schema: { type: array, items: { type: string } }, example: [a=1, b=2] }\n    Id',
    );
  const source = openApiOf(text);
  const before = structuredClone(source.written);
  const edition = publishedEdition(source.written);
  const { get } = edition.paths['/notes/{note_id}'] ?? {};
  t.same(get?.security, [{ basic: [] }], 'who it takes');
  t.notOk(edition.security ?? edition['x-bridge']);
  t.same(edition.components.headers?.['Cookie'], { schema: { type: 'string' }, example: 'a=1' });
  t.notMatch(JSON.stringify(edition), 'x-automatic');
  t.same(get?.responses['500'], { $ref: '#/components/responses/Broken' });
  t.same(source.written, before, 'which is left as it is');

  const shared = text.replace(/'204': \{ description: Replaced. \}/, "'204': { $ref: '#/components/responses/Done' }");
  const done = shared.replace('  responses:\n    Broken', '  responses:\n    Done: { description: Done. }\n    Broken');
  const inline = publishedEdition(openApiOf(done).written);
  t.match(inline.paths['/notes/{note_id}']?.put?.responses['204'], { description: 'Done.', headers: {} });
  t.same(Object.keys(inline.components.responses ?? {}), ['Broken'], 'no component that nothing uses');

  const nobodys = done
    .replace(
      '\npaths:',
      `\nx-unmatched:
  '405': { $ref: '#/components/responses/Wrong' }
  '500': { $ref: '#/components/responses/Broken' }
paths:`,
    )
    .replace('    Id: {', '    Allow: { schema: { type: string } }\n    Id: {')
    .replace(
      '    Broken:',
      "    Wrong: { description: Wrong., headers: { Allow: { $ref: '#/components/headers/Allow' } } }\n    Broken:",
    );
  const unmatched = publishedEdition(openApiOf(nobodys).written);
  t.match(unmatched['x-unmatched'], {
    405: { description: 'Wrong.', headers: { Allow: { schema: { type: 'string' } } } },
    500: { $ref: '#/components/responses/Broken' },
  });
  t.same(Object.keys(unmatched.components.responses ?? {}), ['Broken'], 'what no operation uses is written out');
  t.notOk(unmatched.components.headers?.['Allow']);

  const contracts = await contractsFrom(text, schema);
  const at = (address: string) => {
    const { openapiYaml, openapiJson } = contracts.at(address).documents;
    const { servers } = parse(openapiYaml.toString());
    t.same(JSON.parse(openapiJson.toString()).servers, servers);
    return servers.map(({ url }: { url: string }) => url);
  };
  t.same(at('https://api.example.com'), ['https://api.example.com', 'https://a.example']);
  t.same(at('https://a.example'), ['https://a.example']);
});

t.test(
  'a changed default is one change with all affected operations; an equivalent default is no change',
  async (t) => {
    const changesOf = (before: string, after: string) =>
      restChanges(openApiOf(before), openApiOf(after), new Date()).map(({ id, verdict, message, elements, place }) => ({
        ...{ id, verdict, message, elements },
        place: `${place.old ? 'old ' : ''}${place.line}`,
      }));
    const header = "Request-Id: { $ref: '#/components/headers/Id' }";
    const renamed = short.replace(header, header.replace('Request-Id', 'Trace-Id'));
    t.same(
      changesOf(short, renamed).filter(({ id }) => id.endsWith('removed')),
      [
        {
          id: 'rest:x-defaults.1.update.headers.Request-Id:removed',
          verdict: 'risky',
          message: 'header `request-id` of the 200 response of getNote and 5 more is gone',
          elements: ['getNote', 'putNote'],
          place: `old ${lineOf(short, header)}`,
        },
      ],
    );
    t.equal(changesOf(short, renamed).length, 2, 'one of each kind');
    const said = "        '500': { $ref: '#/components/responses/Broken' }\n";
    const less = short.replace(said, '');
    t.match(
      changesOf(less, short).filter(({ message }) => message.startsWith('status')),
      [{ message: 'status 500 of getNote and 1 more is new', elements: ['getNote', 'putNote'] }],
    );

    const longhand = less
      .replace("        '404':\n", `${said}        '404':\n`)
      .replace("        '201':\n", `${said}        '201':\n`);
    t.same(changesOf(short, longhand), []);
    t.same(changesOf(longhand, short), []);
    const published = contractsFrom(short, schema).then(({ at }) => at('https://a.test'));
    const served = (await published).documents.openapiYaml.toString();
    t.same(
      changesOf(short, served).map(({ id }) => id),
      ['rest:servers:https://a.test:added'],
      'what is served is what is authored, at an address',
    );
  },
);

t.test('a service starts with the contracts that code was generated from, and with no others', async (t) => {
  const folder = t.testdir({ 'openapi.yaml': openapi, 'schema.graphql': schema, generated: {} });
  useProject(folder);
  t.teardown(() => useProject(undefined));
  const served = () => publishedContracts();
  await t.rejects(served(), { message: /^There is no generated\/contract\.json\. Run/ });
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  const generated = () =>
    write('generated/contract.json', JSON.stringify(generateContract(openApiOf(openapi), sdlIn(folder))));
  const refused = (file: string) =>
    t.rejects(
      served(),
      { message: `${file} does not match generated/contract.json. Run \`npm run build\` or \`npx accord codegen\`.` },
      file,
    );
  generated();
  t.equal((await served()).openapi.info.title, 'Notes');
  t.equal((await served()).schemaGraphql.toString(), schema);
  for (const [file, text] of [
    ['openapi.yaml', openapi],
    ['schema.graphql', schema],
  ] as const) {
    write(file, `${text}# Edited.\n`);
    await refused(file);
    write(file, text);
  }
  mkdirSync(join(folder, 'schema'));
  write('schema/more.graphql', 'type More { text: String }');
  await refused('schema/more.graphql');
  generated();
  t.match((await served()).schemaGraphql.toString(), 'type More');
  rmSync(join(folder, 'schema/more.graphql'));
  await refused('schema/more.graphql');
});

t.test('the contract of the example is short, and valid without its defaults', async (t) => {
  const source = openApiOf(readFileSync('openapi.yaml', 'utf8'), undefined, filesIn('.'));
  const config = await loadConfig({ configPath: 'redocly.yaml' });
  t.same(await lintByRedocly(source, config, source.authored), []);
  const plain = source.text.matchAll(/^ {4}get:\n((?: {6}.*\n)+)/gm);
  for (const [whole, body = ''] of plain) {
    if (/description: \||x-bridge:/.test(body)) continue;
    t.ok(whole.split('\n').length - 1 <= 15, String(/operationId: (\w+)/.exec(body)?.[1]));
  }
});
