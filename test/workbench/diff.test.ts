import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { filesIn } from '../../src/platform/core/contract/project-files.js';
import { printMarkdown, printText } from '../../src/workbench/cli/diff.js';
import type { Change } from '../../src/workbench/diff/change.js';
import { changesBetween, type DiffReport, diffReport, problemsOf } from '../../src/workbench/diff/report.js';
import { contractsOf, type Texts } from '../../src/workbench/model/contracts.js';
import { type ProjectVersion, versionAtRef, versionInDirectory } from '../../src/workbench/model/project-version.js';
import { touched } from '../../src/workbench/model/touched-code.js';
import { accord } from '../support/accord.js';
import { section } from '../support/documentation.js';
import { ROOT, temporaryFolder } from '../support/process.js';
import { openapi, prisma, schema } from './diff-cases.js';
import { type Case, database, graphql, rest } from './diff-table.js';
import { gitProject } from './git-project.js';

const NOW = new Date('2026-11-21');
const base: ProjectVersion = { label: 'before', contracts: contractsOf({ openapi, schema, prisma }), migrations: [] };

type Text = keyof Texts;

/** Returns a version with other texts. */
function withTexts(from: ProjectVersion, texts: Partial<Texts>): ProjectVersion {
  const { openapi, schema, prisma } = from.contracts;
  const own = { openapi: openapi.text, schema: schema.text, prisma: prisma.text };
  return { ...from, contracts: contractsOf({ ...own, ...texts }, undefined, filesIn(ROOT)) };
}

function edited(key: Text, edit: Case['edit'], from: ProjectVersion = base): ProjectVersion {
  const text = edit.reduce((text, [was, is]) => {
    if (!text.includes(was)) throw new Error(`There is no ${was} to edit.`);
    return text.replaceAll(was, is);
  }, from.contracts[key].text);
  return { ...withTexts(from, { [key]: text }), label: 'after' };
}

/** Returns `<verdict> <id without its side>`. */
const line = ({ verdict, id }: Change) => `${verdict} ${id.slice(id.indexOf(':') + 1)}`;

const changesOf = async (before: ProjectVersion, after: ProjectVersion, now = NOW) =>
  (await changesBetween(before, { ...after, migrations: [...before.migrations, 'next'] }, now)).map(line);

t.test('the edited contracts are valid', async (t) => {
  t.strictSame(await problemsOf({ root: ROOT, before: base, after: base }), []);
});

for (const [key, cases] of [
  ['openapi', rest],
  ['schema', graphql],
  ['prisma', database],
] as const) {
  t.test(`changes of each edit of ${key} and of its reversal`, async (t) => {
    for (const { name, edit, forwards, backwards } of cases) {
      const after = edited(key, edit);
      for (const [from, to, expected] of [
        [base, after, forwards],
        [after, base, backwards],
      ] as const) {
        const changes = await changesBetween(from, { ...to, migrations: ['next'] }, NOW);
        t.strictSame(changes.map(line), expected, name);
        const helpless = changes.filter(({ verdict, advice }) => verdict === 'breaking' && advice === undefined);
        t.strictSame(helpless.map(line), [], 'every break says how to do without it');
      }
    }
  });
}

t.test('a deprecated member may be removed after its sunset, and not before', async (t) => {
  const gone: Case['edit'] = (rest[0] as Case).edit;
  t.strictSame(await changesOf(base, edited('openapi', gone), new Date('2026-06-29')), ['breaking deleteNote:removed']);
  t.strictSame(await changesOf(base, edited('openapi', gone), new Date('2026-06-30')), ['safe deleteNote:removed']);
  const old: Case['edit'] = [['  old: Int @deprecated(reason: "Use id, until 2026-06-30.")\n', '']];
  t.strictSame(await changesOf(base, edited('schema', old), new Date('2026-06-29')), ['breaking Person.old:removed']);
  const id = '        id: { type: integer, maximum: 999 }\n';
  for (const sunset of ['x-deprecation: { sunset: 2026-06-30 }', 'x-sunset: 2026-06-30']) {
    const member = `        number: { type: integer, deprecated: true, ${sunset} }\n`;
    const deprecated = edited('openapi', [[id, id + member]]);
    t.strictSame(await changesOf(deprecated, base), ['safe Note:response.number:removed']);
    t.strictSame(await changesOf(deprecated, base, new Date('2026-01-01')), ['breaking Note:response.number:removed']);
    const later = edited('openapi', [[id, id + member.replace('2026', '2027')]]);
    t.strictSame(await changesOf(deprecated, later), ['safe Note:response.number:sunset:later']);
    t.strictSame(await changesOf(later, deprecated), ['risky Note:response.number:sunset:sooner']);
  }
  const others = edited('openapi', [
    ["x-deprecation: { since: 2026-01-01, sunset: '2026-06-30', link: /docs }", 'x-sunset: 2026-06-30'],
  ]);
  t.strictSame(await changesOf(others, edited('openapi', gone)), ['safe deleteNote:removed']);
  t.strictSame(await changesOf(base, others), [], 'x-sunset is another word for it');
});

t.test('the order of permissions has no effect', async (t) => {
  const find = '@permission(action: "notes.find", viewer: ANY, developer: ANY, admin: ANY)';
  const further = '@permission(action: "notes.all", viewer: NONE, developer: OWN, admin: ANY, when: "all")';
  const [one, other] = [`${find} ${further}`, `${further} ${find}`].map((both) => edited('schema', [[find, both]]));
  t.strictSame(await changesOf(one as ProjectVersion, other as ProjectVersion), []);
});

t.test('one edit of a shared schema is one change, at its own line, with all affected operations', async (t) => {
  const [change] = await changesBetween(base, edited('openapi', [['maximum: 999', 'maximum: 99']]), NOW);
  const line = openapi.split('\n').findIndex((text) => text.includes('maximum: 999')) + 1;
  t.match(change, { place: { file: 'openapi.yaml', line, old: false }, elements: ['listNotes', 'createNote'] });
  t.equal(change?.message, 'maximum of `id` of Note in responses: 999 → 99');
});

t.test('a removed member is placed in the old file', async (t) => {
  const [change] = await changesBetween(
    edited('openapi', [['info:', '\n\ninfo:']]),
    edited('openapi', [
      ['        text: { type: string, maxLength: 500, format: email }\n', ''],
      ['[id, text]', '[id]'],
    ]),
    NOW,
  );
  const line = openapi.split('\n').findIndex((text) => text.startsWith('        text: {')) + 3;
  t.match(change, { id: 'rest:Note:response.text:removed', place: { line, old: true } });
});

t.test('the schema of the database does not change without a migration', async (t) => {
  const after = edited('prisma', [['@default(1)', '@default(2)']]);
  const ids = async (version: ProjectVersion) => (await changesBetween(base, version, NOW)).map(({ id }) => id);
  t.strictSame(await ids(after), ['database:migration:missing', 'database:notes.size:columnDefault:changed']);
  t.strictSame(await ids({ ...after, migrations: ['1_size'] }), ['database:notes.size:columnDefault:changed']);
  t.strictSame(
    await ids(
      edited('prisma', [
        ['model Note {', 'model Remark {'],
        ['Note[]', 'Remark[]'],
      ]),
    ),
    [],
  );
});

const empty = (t: Test) => temporaryFolder(t);
const ID = 'rest:listNotes:permission:narrowed';
const narrowed: Case['edit'] = [['notes.list, viewer: own', 'notes.list, viewer: none']];
const accepting = (id: string, reason: string): [string, string] => [
  'openapi: 3.1.0',
  `openapi: 3.1.0\nx-accepted-breaks: [{ change: '${id}', reason: '${reason}' }]`,
];

t.test('a break is accepted with a reason, by the diff that brings it', async (t) => {
  const report = (before: ProjectVersion, after: ProjectVersion) =>
    diffReport({ root: empty(t), before, after, now: NOW });
  const refused = await report(base, edited('openapi', narrowed));
  t.match(refused, { ok: false, counts: { breaking: 1, accepted: 0 }, stale: [] });
  const accepted = edited('openapi', [...narrowed, accepting(ID, 'Agreed.')]);
  t.match(await report(base, accepted), { ok: true, counts: { breaking: 0, accepted: 1 }, stale: [] });
  t.equal((await report(base, accepted)).changes[0]?.accepted, 'Agreed.');
  t.match(await report(base, edited('openapi', [...narrowed, accepting(ID, ' ')])), { ok: false }, 'without a reason');
  const again = await report(edited('openapi', [accepting(ID, 'Agreed.')]), accepted);
  t.match(again, { ok: false, stale: [ID] }, 'an acceptance of an earlier diff');
  t.match(await report(base, edited('openapi', [accepting(ID, 'Agreed.')])), { ok: true, stale: [ID] });
});

t.test('a diff demands a version by its gravest change', async (t) => {
  const demand = async (edit: Case['edit'], key: Text = 'openapi') =>
    (await diffReport({ root: empty(t), before: base, after: edited(key, edit), now: NOW })).version;
  t.match(await demand([]), { bump: 'none', least: '1.2.3', enough: true });
  t.match(await demand([['title: Notes', 'title: My notes']]), { bump: 'patch', least: '1.2.4', enough: false });
  t.match(await demand([['  GREEN\n', '  GREEN\n  BLUE\n']], 'prisma'), { bump: 'patch', least: '1.2.4' });
  t.match(await demand([['enum: [red, green]', 'enum: [red, green, blue]']]), { bump: 'minor', least: '1.3.0' });
  t.match(await demand(narrowed), { bump: 'major', least: '2.0.0', enough: false });
  t.match(await demand([...narrowed, ['version: 1.2.3', 'version: 2.0.0']]), { bump: 'major', enough: true });
  const before = edited('openapi', [['version: 1.2.3', 'version: 0.2.3']]);
  const early = await diffReport({ root: empty(t), before, after: edited('openapi', narrowed, before), now: NOW });
  t.match(early.version, { bump: 'minor', least: '0.3.0' }, 'before 1.0.0');
});

t.test('the tests of an installed package do not count', async (t) => {
  const root = temporaryFolder(t);
  for (const folder of ['test/rest', 'test/rest/node_modules/their']) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'users.test.ts'), '\nawait getUser();\n');
  }
  const [found] = touched(root, [{ side: 'rest', elements: ['getUser'] }], new Map());
  t.same(found?.tests, [{ file: 'test/rest/users.test.ts', line: 2, name: 'getUser' }]);
});

t.test('a change names its handler, service and tests', async (t) => {
  const [before] = [versionInDirectory(ROOT, 'before')];
  const text = before.contracts.openapi.text.replace(/(operationId: getUser\n[\s\S]*?viewer: )any/, '$1none');
  const sdl = before.contracts.schema.text.replace(/(action: "posts\.create", viewer: NONE, developer: )OWN/, '$1NONE');
  const report = await diffReport({
    root: ROOT,
    before,
    after: withTexts(before, { openapi: text, schema: sdl }),
    now: NOW,
  });
  const [get, create] = report.changes;
  const lineOf = (file: string, start: string) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .findIndex((line) => line.startsWith(start)) + 1;
  t.strictSame(get?.touches.handlers, [
    {
      file: 'src/application/rest/users.ts',
      line: lineOf('src/application/rest/users.ts', '  getUser:'),
      name: 'getUser',
      target: "record(User, 'user_id')",
    },
  ]);
  t.strictSame(get?.touches.services, [], 'a route without a handler');
  t.ok(get?.touches.tests.some(({ file }) => file === 'test/example/users.test.ts'));
  const [resolvers, posts] = ['src/application/graphql/Mutation.ts', 'src/application/services/posts.ts'] as const;
  t.equal(create?.id, 'graphql:Mutation.createPost:permission:narrowed');
  t.match(create?.touches.handlers, [{ file: resolvers, line: lineOf(resolvers, '  createPost: ') }]);
  t.strictSame(create?.touches.services, [{ file: posts, line: lineOf(posts, '  create: '), name: 'posts.create' }]);
  t.ok(create?.touches.tests.some(({ file }) => file === 'test/example/posts.test.ts'));
});

t.test('the walk-through of the documentation: the breaks of an edit, their places, and advice', async (t) => {
  const text = section('docs/changing-the-contracts.md', 'Walk-through: review an edit');
  const [, from = '', to = ''] = /rename `(\w+)` to `(\w+)`/.exec(text) ?? [];
  const [, may = 'none', mayNot = ''] = /change\s+`([^`]+)` to `([^`]+)`/.exec(text) ?? [];
  const before = versionInDirectory(ROOT, 'before');
  const renamed = (schema: string) => schema.replaceAll(new RegExp(`\\b${from}\\b(?=[,:\\]])`, 'g'), to);
  const { openapi, schema } = before.contracts;
  const field = schema.text.indexOf('  createPost(');
  const after = withTexts(before, {
    openapi: openapi.text.replace(/^ {4}User:\n.*?^ {4}\w/ms, renamed),
    schema: schema.text.slice(0, field) + schema.text.slice(field).replace(may, mayNot),
  });
  const report = await diffReport({ root: ROOT, before, after, now: NOW });
  const printed = printText(report);
  t.equal(report.ok, false);
  const [, shown = ''] = /```\n( +✖.*?)```/s.exec(text) ?? [];
  const words = shown.split('\n').filter((line) => /✖|instead|id /.test(line));
  t.equal(words.length, 3);
  // Line numbers change with the contract.
  const anyLine = (line: string) => line.trim().replaceAll(/\d{2,}/g, '0');
  const lines = new Set(printed.split('\n').map(anyLine));
  for (const line of words) t.ok(lines.has(anyLine(line)), line);
  t.match(printed, /✖ permission of Mutation\.createPost: developer own → none\n {4}schema\.graphql:\d+/);
});

async function formats(t: Test): Promise<DiffReport> {
  const after = edited('openapi', [...narrowed, ['enum: [red, green]', 'enum: [red, green, "b,l|ue"]']]);
  return diffReport({ root: empty(t), before: base, after, now: NOW });
}

t.test('a report as text and as Markdown', async (t) => {
  const report = await formats(t);
  const text = printText(report);
  t.match(text, /^Contract changes from before to after\n\nBreaking \(1\)\n/);
  t.match(text, /✖ permission of listNotes: viewer own → none\n {4}openapi\.yaml:14:7\n/);
  t.match(text, /1 breaking, 1 risky, 1 safe\nThis is a major change: info\.version 1\.2\.3 should become 2\.0\.0\./);
  t.match(text, /x-accepted-breaks:\n {4}- change: rest:listNotes:permission:narrowed\n {6}reason:$/);
  const markdown = printMarkdown(report);
  t.match(markdown, /^## Contract changes\n\n\*\*1 breaking, 1 risky, 1 safe\.\*\* This is a major change/);
  t.match(markdown, /### ❌ Breaking\n\n- \*\*permission of listNotes: viewer own → none\*\* \(`openapi\.yaml:14:7`\)/);
  t.match(
    markdown,
    /<details><summary>✅ Safe \(1\)<\/summary>\n\n- \*\*value `b,l\|ue` of Colour in requests is new\*\*/,
  );
});

const diff = (t: Test, root: string, ...args: string[]) => accord(t, ['--root', root, 'diff', ...args]);

t.test('accord diff compares the working tree with the merge base with origin/main, or with a git ref', async (t) => {
  const root = gitProject(t);
  const change = (file: string, text: string) => writeFileSync(join(root, file), text);
  change('openapi.yaml', edited('openapi', narrowed).contracts.openapi.text);
  const refs = join(root, '.git', 'refs');
  cpSync(join(refs, 'heads', 'main'), join(refs, 'remotes', 'origin', 'main'));
  const found = await diff(t, root, '--json');
  t.equal(found.code, 1);
  t.match(JSON.parse(found.stdout), {
    from: /^[0-9a-f]{7}, where this branch left origin\/main$/,
    ok: false,
    changes: [{ id: ID, verdict: 'breaking' }],
  });
  change('openapi.yaml', edited('openapi', [...narrowed, accepting(ID, 'Agreed.')]).contracts.openapi.text);
  const accepted = await diff(t, root, 'main', '--json');
  t.equal(accepted.code, 0);
  t.match(JSON.parse(accepted.stdout), { ok: true, changes: [{ id: ID, accepted: 'Agreed.' }] });
});

t.test('versions that cannot be compared exit 2 with one sentence', async (t) => {
  const root = gitProject(t);
  t.equal((await versionAtRef(root)).label, 'HEAD');
  await t.rejects(versionAtRef(root, 'nowhere'), {
    name: 'Unable',
    message: 'git knows no commit "nowhere" here.',
  });
  await t.rejects(versionAtRef(root, '--all'), { name: 'Unable' });
  await t.rejects(versionAtRef(empty(t)), { message: /is not a git repository\. Compare with a directory/ });
  t.throws(() => versionInDirectory(empty(t)), { message: /^There is no openapi\.yaml and no schema\.graphql in / });
  writeFileSync(join(root, 'openapi.yaml'), openapi.replace('schemas/Note', 'schemas/Not'));
  const broken = await diff(t, root, '--json');
  t.strictSame([broken.code, broken.stdout], [2, '']);
  t.match(broken.stderr, /^openapi\.yaml:\d+:\d+ {2}error {2}/);
});
