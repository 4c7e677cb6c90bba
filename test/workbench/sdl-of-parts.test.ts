import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, printType } from 'graphql';
import { validateSDL } from 'graphql/validation/validate.js';
import t, { type Test } from 'tap';
import { filesIn } from '../../src/platform/core/contract/project-files.js';
import { check } from '../../src/workbench/model/check.js';
import { contractsOf, readContracts } from '../../src/workbench/model/contracts.js';
import { accord } from '../support/accord.js';
import { place } from '../support/place.js';
import { ROOT, run, temporaryFolder } from '../support/process.js';

const CORE = readFileSync(join(ROOT, 'src/platform/core/schema.graphql'), 'utf8');

const rest = (parts: string) => `openapi: 3.1.0
info: { title: Notes, version: 1.0.0, license: { name: MIT, identifier: MIT } }
servers: [{ url: https://notes.example.org }]
${parts}paths: {}
`;
const NAMED = rest('x-parts: [core]\n');

/** An SDL that states nothing of the platform. */
const NOTES = `"What an account may do."
enum Role {
  WRITER
  BOSS
}

"A note."
type Note {
  id: ID!
  role: Role
}

"The reads."
type Query {
  "All notes."
  notes(limit: Int = 20 @constraint(max: 50), offset: Int = 0): [Note!] @permission(action: "notes.read", writer: OWN, boss: ANY)
}
`;
const STATED = `
directive @permission(action: String!, writer: Access!, boss: Access!, when: String) repeatable on FIELD_DEFINITION
${/directive @constraint[\s\S]*?\) on .*\n/.exec(CORE)?.[0]}
${/enum Access \{[\s\S]*?\n\}\n/.exec(CORE)?.[0]}`;

const contractsWith = (schema: string, openapi: string | undefined = NAMED) =>
  contractsOf({ openapi, schema }, undefined, filesIn(ROOT));

const problemsIn = async (schema: string, openapi?: string) =>
  (await check(contractsWith(schema, openapi))).map(
    ({ file, line, column, message }) => `${file}:${line}:${column} ${message}`,
  );

const argumentsIn = (text: string) =>
  buildSchema(text)
    .getDirective('permission')
    ?.args.map(({ name, description }) => `${name} ${/`([A-Z]+)`/.exec(description ?? '')?.[1] ?? ''}`.trim());

function project(t: Test, files: Record<string, string>): string {
  const folder = temporaryFolder(t);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

t.test('the GraphQL document of a part is valid alone', async (t) => {
  t.same(validateSDL(parse(CORE)), []);
  t.equal(buildSchema(CORE).getDirective('permission')?.args[1]?.name, 'others');
});

t.test('a contract gets the definitions that it uses, with its roles, and is complete', async (t) => {
  t.same(await problemsIn(NOTES), []);
  const { text } = contractsWith(NOTES).schema;
  t.same(argumentsIn(text), ['action', 'writer WRITER', 'boss BOSS', 'when']);
  t.equal(text.indexOf(NOTES), 0, 'the author’s text stays as it is');
  const schema = buildSchema(text);
  t.same(schema.getDirective('constraint')?.args.length, 7);
  t.ok(schema.getType('Access'));
  t.same([schema.getDirective('coverage'), schema.getType('PageInfo')], [undefined, undefined]);
  const paged = NOTES.replace('  role: Role\n', '  role: Role\n  page: PageInfo!\n').replace(
    'max: 50)',
    '$& @coverage(except: "No.")',
  );
  t.same(await problemsIn(paged), []);
  const pages = buildSchema(contractsWith(paged).schema.text);
  t.match(printType(pages.getType('PageInfo') as never), 'hasNextPage: Boolean!');
  t.ok(pages.getDirective('coverage'));
  t.equal(contractsWith('type Query { a: Int }').schema.text, 'type Query { a: Int }');
});

t.test('without an enum Role the roles are those of its permissions', async (t) => {
  const schema = NOTES.replace(/^"What[\s\S]*?\n}\n\n/, '').replace('  role: Role\n', '');
  t.same(await problemsIn(schema), []);
  t.same(argumentsIn(contractsWith(schema).schema.text), ['action', 'writer WRITER', 'boss BOSS', 'when']);
});

t.test('what a contract states itself wins', async (t) => {
  const own = 'enum Access { NOTHING OWN ANY }\n';
  const { text, schema } = contractsWith(NOTES + own).schema;
  t.same(argumentsIn(text), ['action', 'writer WRITER', 'boss BOSS', 'when']);
  t.match(printType(schema.getType('Access') as never), 'NOTHING');
  t.equal(contractsWith(NOTES + STATED).schema.text, NOTES + STATED);
  const example = await readContracts(ROOT);
  t.equal(example.schema.text, readFileSync(join(ROOT, 'schema.graphql'), 'utf8'));
});

t.test('problems are in the file of the author', async (t) => {
  t.same(await problemsIn(NOTES.replace('boss: ANY', 'bos: ANY')), [
    `schema.graphql:${place(NOTES, 'boss: ANY')} Unknown argument "bos" on directive "@permission". Did you mean "boss"?`,
    `schema.graphql:${place(NOTES, '@permission')} Directive "@permission" argument "boss" of type "Access!" is required, but it was not provided.`,
  ]);
  t.same(await problemsIn(NOTES, rest('')), [
    `schema.graphql:${place(NOTES, '@constraint')} Unknown directive "@constraint". Define it, or name core in \`x-parts\` of openapi.yaml.`,
    `schema.graphql:${place(NOTES, '@permission')} Unknown directive "@permission". Define it, or name core in \`x-parts\` of openapi.yaml.`,
  ]);
  t.match(await problemsIn(NOTES.replace('{', '{{')), [/^schema\.graphql:2:12 Syntax Error/]);
  const folder = project(t, { 'openapi.yaml': NAMED, 'schema.graphql': NOTES.replace('"A note."\n', '') });
  const { stdout } = await accord(t, ['--root', folder, 'lint', '--json']);
  t.match(JSON.parse(stdout), [{ file: 'schema.graphql', line: 7, rule: 'require-description' }]);
});

t.test('a diff sees no change when a project deletes what a part states', async (t) => {
  const folder = project(t, { 'openapi.yaml': NAMED, 'schema.graphql': NOTES + STATED });
  const git = (command: string) =>
    run(t, ['sh', '-c', `git -c user.name=t -c user.email=t@example.com ${command}`], {}, folder).ended;
  const commit = async () => {
    await git('add .');
    t.equal((await git('commit -qm next')).code, 0);
  };
  const changes = async () =>
    JSON.parse((await accord(t, ['--root', folder, 'diff', 'HEAD', '--json'])).stdout).changes;
  await git('init -q');
  await commit();
  writeFileSync(join(folder, 'schema.graphql'), NOTES);
  t.same(await changes(), []);
  // The edition of a release with other documents of parts.
  const edition = contractsWith(NOTES).schema.text.replace('  "Rows of every owner."\n  ANY\n', '');
  rmSync(join(folder, 'generated'), { recursive: true, force: true });
  cpSync(join(ROOT, 'generated/package.json'), join(folder, 'generated/package.json'));
  writeFileSync(join(folder, 'generated/schema.graphql'), edition.replaceAll('boss: ANY', 'boss: OWN'));
  await commit();
  t.match(await changes(), [{ rule: /./ }], 'and reads the committed edition');
});

t.test('a project without openapi.yaml names its parts in codegen.ts', async (t) => {
  const codegen = (parts: string) => `// Parts.\n${parts}\nexport default {};\n`;
  const lint = async (parts: string, more: Record<string, string> = {}) => {
    const folder = project(t, { 'codegen.ts': codegen(parts), 'schema.graphql': NOTES, ...more });
    const { code, stdout } = await accord(t, ['--root', folder, 'lint', '--json']);
    const found = JSON.parse(stdout) as { file: string; line: number; message: string; severity: string }[];
    return { code, errors: found.map(({ file, line, message }) => `${file}:${line} ${message}`) };
  };
  for (const parts of [
    "export const parts = ['core'];",
    "export const parts: string[] = [\n  'core',\n  'limits',\n];",
  ])
    t.same(await lint(parts), { code: 0, errors: [] }, parts);
  const unknown = await lint("export const parts = ['core', 'limit'];");
  t.same(
    [unknown.code, unknown.errors[0]],
    [1, 'codegen.ts:2 There is no part limit with a contract: use core, identity, limits, observability, versions.'],
  );
  t.match((await lint('export const parts = names;')).errors, [
    /^codegen\.ts:2 `parts` is a list of parts that has core/,
  ]);
  t.match((await lint('', {})).errors, [/^schema\.graphql:\d+ Unknown directive/]);
  t.same((await lint("export const parts = ['core'];", { 'openapi.yaml': NAMED })).errors, [
    'codegen.ts:2 openapi.yaml names the parts: remove this list.',
  ]);
});
