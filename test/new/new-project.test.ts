import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import t from 'tap';
import { accord } from '../support/accord.js';
import { linkSources, newProject } from '../support/new-project.js';
import { ask, basic, ROOT, run, startServer, temporaryFolder } from '../support/process.js';
import { errorsIn } from '../support/project-copy.js';
import { skipUnlessWhole } from '../support/servers.js';

const TEMPLATE = join(ROOT, 'src/workbench/new/template');
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
const textOf = (...path: string[]) => readFileSync(join(...path), 'utf8');

const GENERATED = [
  ...['contract.json', 'errors.ts', 'graphql.ts', 'openapi.ts', 'openapi.yaml', 'operations.ts', 'permissions.md'],
  ...['policy.ts', 'schema.graphql'],
].map((name) => `generated/${name}`);

const whole = { skip: skipUnlessWhole };

t.test('accord new writes a complete project with the name of its directory, and prints the next steps', async (t) => {
  const folder = join(temporaryFolder(t), 'Book club');
  const { code, stdout, stderr } = await accord(t, ['new', folder]);
  t.match([code, stderr], [0, '']);
  t.match(stdout, /npm install\n {2}npm start/);
  const { name, dependencies, devDependencies } = JSON.parse(textOf(folder, 'package.json'));
  const { version } = JSON.parse(textOf(ROOT, 'src/platform/package.json'));
  t.match(
    [
      name,
      dependencies['@accord-api/platform'],
      ...['prepared-prisma', 'testing', 'workbench'].map((name) => devDependencies[`@accord-api/${name}`]),
    ],
    ['book-club', ...Array(4).fill(`^${version}`)],
  );
  t.match(textOf(folder, 'src/application/name.ts'), "'book-club'");
  t.match(textOf(folder, 'openapi.yaml'), 'title: Book Club');
  const named = filesIn(TEMPLATE).map((file) => file.replace(/^_/, ''));
  t.same(filesIn(folder).sort(), [...named, ...GENERATED].sort());
  const leftOver = filesIn(folder).filter((file) =>
    /my[-_]api|My API|<(year|platform|prepared-prisma|testing|workbench)>/.test(textOf(folder, file)),
  );
  t.same(leftOver, [], 'nothing has the name of the template');
  const authored = textOf(folder, 'schema.graphql');
  t.ok(authored.split('\n').length <= 61, 'a short contract in SDL');
  t.notMatch(authored, /^(directive|enum Access)/m);
  const complete = buildSchema(textOf(folder, 'generated/schema.graphql'));
  t.same(
    complete.getDirective('permission')?.args.map(({ name }) => name),
    ['action', 'member', 'admin', 'when'],
  );
});

t.test('accord new rejects unsuitable arguments, and writes nothing', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  const begun = await accord(t, ['new', folder, '--name', 'mine']);
  t.match([begun.code, begun.stderr], [2, /is not empty \(it contains mine\.txt\)\. Nothing was written/]);
  const file = await accord(t, ['new', join(folder, 'mine.txt')]);
  t.match([file.code, file.stderr], [2, /mine\.txt is a file/]);
  const unnamed = await accord(t, ['new', join(folder, '42')]);
  t.match([unnamed.code, unnamed.stderr], [2, /"42" is no name for an application.*--name/]);
  const absent = await accord(t, ['new', join(folder, 'books'), '--packages', folder]);
  t.match([absent.code, absent.stderr], [2, /There is no .*accord-.*\.tgz.*npm run pack/]);
  t.same(readdirSync(folder), ['mine.txt']);

  const cloned = join(folder, 'cloned');
  mkdirSync(join(cloned, '.git'), { recursive: true });
  t.equal((await accord(t, ['new', cloned])).code, 0, 'a repository without a file is a place to begin');
});

t.test('a new project is generated, migrated and formatted, passes lint and bridge, and compiles', whole, async (t) => {
  const folder = join(temporaryFolder(t), 'books');
  t.equal((await accord(t, ['new', folder])).code, 0);
  linkSources(folder);
  const command = (...args: string[]) => accord(t, ['--root', folder, ...args]);
  t.match(await command('codegen', '--check'), { code: 0, stdout: /is current/ });
  t.match(await command('migrate', '--check'), { code: 0, stdout: /The migrations result in/ });
  t.match(await command('lint'), { code: 0, stdout: /Both contracts are in order/ });
  t.match(await command('bridge'), { code: 0, stderr: '' });
  const biome = await run(t, [join(folder, 'node_modules/.bin/biome'), 'check', '.'], {}, folder).ended;
  t.equal(biome.code, 0, biome.stderr);

  t.match(await command('codegen'), { code: 0, stdout: /^generated\/prisma\n/ });
  const own = filesIn(folder).filter((file) => /^(src|test)\/.*\.ts$/.test(file));
  t.ok(own.length > 15);
  // The linked platform would use the Prisma client of this repository.
  const paths = { '@accord-api/generated/prisma': [join(folder, 'generated/prisma/client.ts')] };
  t.same(errorsIn(folder, own, { paths }), []);
});

t.test('a project without openapi.yaml has the operations of the parts that codegen.ts names', whole, async (t) => {
  const { folder, command, start } = await newProject(t);
  const edit = (file: string, from: string | RegExp, to: string) =>
    writeFileSync(join(folder, file), textOf(folder, file).replace(from, to));
  rmSync(join(folder, 'openapi.yaml'));
  rmSync(join(folder, 'src/application/rest'), { recursive: true });
  edit('src/application/application.ts', /^import .*rest\/handlers.*\n/m, '');
  edit('src/application/application.ts', '  handlers,', '  handlers: {},');
  edit('codegen.ts', 'const config', "export const parts = ['core', 'identity', 'observability'];\n\n$&");
  const setRole = '@permission(action: "users.set-role", member: NONE, admin: ANY, when: "the role differs")';
  edit('schema.graphql', 'deleteBook(id: ID!): Book', `$& ${setRole}`);
  const made = await command('npx accord codegen && npx accord lint && npx tsc -p . --noEmit && npx accord build');
  t.equal(made.code, 0, made.stdout + made.stderr);
  const { url } = await startServer(t, { DATABASE_URL: 'pglite://memory' }, start);
  const headers = { ...basic('ada@demo.example', 'correct horse battery'), 'content-type': 'application/json' };
  const body = JSON.stringify({ query: '{ me { name } books { title } }' });
  const graphql = await ask(`${url}/graphql`, { method: 'POST', headers, body });
  t.match(await graphql.json(), { data: { me: { name: 'Ada Lovelace' }, books: [{}, {}] } });
  const login = JSON.stringify({ email: 'ada@demo.example', password: 'correct horse battery' });
  t.equal((await ask(`${url}/api/v1/auth/login`, { method: 'POST', headers, body: login })).status, 200);
  t.equal((await ask(`${url}/livez`)).status, 200);
  t.ok(buildSchema(await (await ask(`${url}/schema.graphql`)).text()).getDirective('permission'));
  writeFileSync(join(folder, 'schema.graphql'), '"More."\ntype More { id: ID }\n', { flag: 'a' });
  const stale = await command('npx accord schema');
  t.match([stale.code, stale.stderr], [1, /^schema\.graphql does not match generated\/contract\.json\. Run/]);
});

// The tests of walk-throughs and of upgrades run the tests of a new project.
