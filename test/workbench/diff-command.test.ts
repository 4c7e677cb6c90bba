import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { printSarif } from '../../src/workbench/cli/diff.js';
import { changesBetween, diffReport } from '../../src/workbench/diff/report.js';
import { rowOf } from '../../src/workbench/diff/rules.js';
import { contractsOf } from '../../src/workbench/model/contracts.js';
import type { ProjectVersion } from '../../src/workbench/model/project-version.js';
import { accord } from '../support/accord.js';
import { temporaryFolder } from '../support/process.js';
import { openapi, prisma, schema } from './diff-cases.js';
import { documentCases, SHOP } from './diff-documents.js';
import { GALLERY, sdlCases } from './diff-sdl.js';
import { database, graphql, rest } from './diff-table.js';

const NOW = new Date('2026-11-21');
const versionOf = (texts: Parameters<typeof contractsOf>[0]): ProjectVersion => ({
  label: 'it',
  contracts: contractsOf(texts),
  migrations: ['next'],
});
const edited = (text: string, edits: readonly (readonly [string, string])[]) =>
  edits.reduce((all, [from, to]) => all.replaceAll(from, to), text);

t.test('the list has a rule for every change, with its verdict', async (t) => {
  const edits = [
    ...rest.map(({ edit }) => [{ openapi }, { openapi: edited(openapi, edit) }] as const),
    ...graphql.map(({ edit }) => [{ schema }, { schema: edited(schema, edit) }] as const),
    ...database.map(
      ({ edit }) =>
        [
          { openapi, prisma },
          { openapi, prisma: edited(prisma, edit) },
        ] as const,
    ),
    ...documentCases.map(([, edit]) => [{ openapi: SHOP }, { openapi: edited(SHOP, edit) }] as const),
    ...sdlCases.map(([, edit]) => [{ schema: GALLERY }, { schema: edited(GALLERY, edit) }] as const),
  ];
  const wrong = new Set<string>();
  for (const [edit, other] of edits) {
    for (const [from, to] of [
      [edit, other],
      [other, edit],
    ] as const) {
      for (const { rule, verdict, settled } of await changesBetween(versionOf(from), versionOf(to), NOW)) {
        if (settled !== true && rowOf(rule)?.verdicts.includes(verdict) !== true) wrong.add(`${verdict} ${rule}`);
      }
    }
  }
  t.strictSame([...wrong], []);
});

t.test('x-severity sets the verdict of a rule', async (t) => {
  const stating = (line: string, text = openapi) =>
    text.replace('openapi: 3.1.0', `openapi: 3.1.0\nx-severity: ${line}`);
  const value = [['enum: [red, green]', 'enum: [red, green, blue]']] as const;
  const verdicts = async (line: string, edits: readonly (readonly [string, string])[]) => {
    const [before, after] = [
      versionOf({ openapi: stating(line) }),
      versionOf({ openapi: stating(line, edited(openapi, edits)) }),
    ];
    return (await changesBetween(before, after, NOW)).map(({ verdict, id }) => `${verdict} ${id}`);
  };
  t.strictSame(await verdicts('{}', value), [
    'risky rest:Colour:response:enum.blue:added',
    'safe rest:Colour:request:enum.blue:added',
  ]);
  t.strictSame(await verdicts('{ response-value-added: breaking }', value), [
    'breaking rest:Colour:response:enum.blue:added',
    'safe rest:Colour:request:enum.blue:added',
  ]);
  t.match(await verdicts('{ response-value-added: safe }', value), [/^safe/, /^safe/]);
  t.match(await verdicts("{ 'request-*': breaking }", value), [/^risky/, /^safe/], 'what is shown to be safe stays so');
  const stated = await changesBetween(
    versionOf({ openapi }),
    versionOf({ openapi: stating('{ response-value-added: safe }') }),
    NOW,
  );
  t.match(
    stated,
    [{ id: 'rest:severity:response-value-added:added', verdict: 'risky' }],
    'and a reviewer sees the line',
  );
  const folder = temporaryFolder(t);
  for (const [line, said] of [
    ['{ response-valu-added: safe }', /^openapi\.yaml:2:15 .*No rule is called `response-valu-added`/],
    ['{ response-value-added: fine }', /^openapi\.yaml:2:15 .*one of breaking, risky, safe/],
  ] as const) {
    writeFileSync(join(folder, 'openapi.yaml'), stating(line));
    t.match(await accord(t, ['--root', folder, 'diff', '--from', folder]), { code: 2, stdout: '', stderr: said });
  }
});

t.test('@severity sets the verdict of a rule in a GraphQL contract', async (t) => {
  const lines = 'directive @severity(rule: String!, is: String!) repeatable on SCHEMA\n';
  const stating = `${lines}extend schema @severity(rule: "graphql-enum-value-added", is: "breaking")\n`;
  const more = schema.replace('{ BIG SMALL }', '{ BIG SMALL TINY }');
  const found = await changesBetween(
    versionOf({ schema: stating + schema }),
    versionOf({ schema: stating + more }),
    NOW,
  );
  t.match(found, [{ id: 'graphql:Kind.TINY:added', verdict: 'breaking' }]);
});

t.test('accord diff --rules lists the rules as text and as JSON', async (t) => {
  const { code, stdout } = await accord(t, ['diff', '--rules']);
  t.equal(code, 0);
  t.match(stdout, /^response-value-added {2}breaking or risky\n {2}\S/m);
  const listed = JSON.parse((await accord(t, ['diff', '--rules', '--json'])).stdout);
  t.match(listed[0], { name: String, verdicts: [String], why: String });
  const root = temporaryFolder(t);
  const lines = 'x-severity:\n  response-value-added: safe\n  response-max-length: breaking\n';
  writeFileSync(join(root, 'openapi.yaml'), openapi + lines);
  const first = openapi.split('\n').length + 1;
  const here = (await accord(t, ['--root', root, 'diff', '--rules'])).stdout;
  t.match(here, new RegExp(`^response-value-added .*\\n.*\\n {2}here: safe by openapi\\.yaml:${first}$`, 'm'));
  t.match(here, new RegExp(`^response-\\* .*\\n.*\\n {2}here: response-max-length breaking by .*:${first + 1}$`, 'm'));
  t.equal(here.match(/here:/g)?.length, 2);
  const stated = JSON.parse((await accord(t, ['--root', root, 'diff', '--rules', '--json'])).stdout);
  t.match(
    stated.filter((rule: object) => 'stated' in rule).map((rule: { stated: object[] }) => rule.stated),
    [[{ verdict: 'safe', file: 'openapi.yaml', line: first }], [{ rule: 'response-max-length', verdict: 'breaking' }]],
  );
  writeFileSync(join(root, 'openapi.yaml'), 'openapi: [');
  t.match(await accord(t, ['--root', root, 'diff', '--rules']), { code: 2, stderr: /^openapi\.yaml:1:\d+ +error/ });
});

const asked = async (t: Test, ...args: string[]) => {
  const { code, stdout, stderr } = await accord(t, ['--root', temporaryFolder(t), 'diff', '--json', ...args]);
  return { code, stderr, report: stdout === '' ? undefined : JSON.parse(stdout) };
};

t.test('accord diff compares files and directories, with their own paths in places', async (t) => {
  const folder = temporaryFolder(t);
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [old, now] = [
    write('old.yaml', openapi),
    write('new.json.yaml', openapi.replace('maximum: 100', 'maximum: 50')),
  ];
  const { code, report } = await asked(t, old, now);
  t.equal(code, 1);
  t.match(report, {
    from: old,
    to: now,
    changes: [{ id: 'rest:listNotes:parameter.query.limit:maximum:lowered', place: { file: now } }],
  });
  t.match(report.changes[0].requests, [{ method: 'GET', path: '/notes' }]);
  const [sdl, next] = [write('old.graphql', schema), write('new.graphql', schema.replace('nick: String', 'nick: Int'))];
  t.match(await asked(t, sdl, next), {
    code: 1,
    report: { changes: [{ id: 'graphql:Person.nick:type', place: { file: next } }] },
  });
  t.match(await asked(t, old, next), {
    code: 2,
    stderr: /^Two contracts of one kind are compared, and \S+ is an OpenAPI document, \S+ is GraphQL SDL\.$/m,
  });
  for (const [text, why] of [
    ['', /is not a contract: it is empty/],
    ['<!DOCTYPE html><p>openapi</p>', /is not a contract: it is an HTML or XML page/],
    ['{ "swagger": "2.0", "paths": {} }', /Swagger 2\.0: convert it to OpenAPI 3\.0 or 3\.1/],
    ['{"data":{"__schema":{"types":[]}}}', /introspection query/],
    ['query { notes { id } }', /neither an OpenAPI document/],
    [prisma, /Prisma schema/],
  ] as const)
    t.match(await asked(t, write('other', text), next), { code: 2, stderr: why });
  t.match(await asked(t, write('other', 'type Query { a: }'), next), { code: 2, stderr: /other:1:17 +error/ });
  t.match(await asked(t, join(folder, 'absent.yaml'), now), {
    code: 2,
    stderr: /^There is no file \S+absent\.yaml\.$/m,
  });
});

t.test('accord diff compares with a served contract', async (t) => {
  const served: Record<string, string> = { '/openapi.json': openapi, '/schema.graphql': schema };
  const server = createServer((request, response) => {
    const text = served[request.url ?? ''];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  t.teardown(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const root = temporaryFolder(t);
  writeFileSync(join(root, 'openapi.yaml'), openapi.replace('maximum: 100', 'maximum: 50'));
  writeFileSync(join(root, 'schema.graphql'), schema.replace('  nick: String\n', ''));
  const ids = async (address: string) => {
    const { stdout } = await accord(t, ['--root', root, 'diff', '--json', address]);
    return JSON.parse(stdout).changes.map(({ id, place }: { id: string; place: { file: string } }) => [id, place.file]);
  };
  t.strictSame(await ids(`${origin}/openapi.json`), [
    ['rest:listNotes:parameter.query.limit:maximum:lowered', 'openapi.yaml'],
  ]);
  t.strictSame(await ids(`${origin}/schema.graphql`), [['graphql:Person.nick:removed', `${origin}/schema.graphql`]]);
  t.match(await asked(t, `${origin}/nowhere`), { code: 2, stderr: /\/nowhere cannot be read: it answers 404/ });
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => closed.once('listening', done));
  const { port } = closed.address() as AddressInfo;
  await new Promise((done) => closed.close(done));
  t.match(await asked(t, `http://127.0.0.1:${port}/openapi.json`), {
    code: 2,
    stderr: /cannot be read: .*ECONNREFUSED/,
  });
});

t.test('a report as SARIF', async (t) => {
  const edits = [
    ['notes.list, viewer: own', 'notes.list, viewer: none'],
    ['enum: [red, green]', 'enum: [red, green, "<b&"]'],
  ] as const;
  const report = await diffReport({
    root: temporaryFolder(t),
    before: versionOf({ openapi }),
    after: versionOf({ openapi: edited(openapi, edits) }),
    now: NOW,
  });
  const { version, runs } = JSON.parse(printSarif(report));
  t.equal(version, '2.1.0');
  t.match(runs[0].results, [
    {
      ruleId: 'permission-narrowed',
      level: 'error',
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: 'openapi.yaml' }, region: { startLine: 14, startColumn: 7 } },
          logicalLocations: [{ fullyQualifiedName: 'GET /notes' }],
        },
      ],
    },
    { ruleId: 'response-value-added', level: 'warning' },
    { level: 'note' },
  ]);
  const known = runs[0].tool.driver.rules.map(({ id }: { id: string }) => id);
  t.ok(runs[0].results.every(({ ruleId }: { ruleId: string }) => known.includes(ruleId)));
});
