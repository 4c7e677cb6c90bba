import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { specifiedScalarTypes } from 'graphql';
import t from 'tap';
import { operations } from '../../src/platform/contract/openapi.js';
import { readContracts } from '../../src/workbench/model/contracts.js';
import { accord } from '../support/accord.js';
import { ask, basic, NODE, run, startServer, temporaryFolder } from '../support/process.js';
import { copyProject } from '../support/project-copy.js';
import { skipUnlessWhole } from '../support/servers.js';

/** What stands beside the sources in a clone, besides what every copy has. */
const CLONE = [
  '.ci',
  '.gitattributes',
  'LICENSE',
  'README.md',
  'docs',
  'eslint.config.js',
  'package-lock.json',
  'test',
];

/** What the contracts and tables of a project name: tags, operations, types, models, tables. */
async function namesIn(root: string): Promise<Set<string>> {
  const { openapi, schema } = await readContracts(root);
  const prisma = readFileSync(join(root, 'prisma', 'schema.prisma'), 'utf8');
  return new Set([
    ...operations(openapi.document).flatMap(({ operationId, tag }) => [operationId, tag ?? []].flat()),
    ...Object.keys(openapi.written.components?.schemas ?? {}),
    ...Object.keys(schema.schema.getTypeMap()),
    ...[...prisma.matchAll(/^(?:model|enum) (\w+)|@@map\("(\w+)"\)/gm)].flatMap(
      ([, name, table]) => name ?? table ?? [],
    ),
  ]);
}

/** Which every SDL may have. */
const OF_GRAPHQL = ['Mutation', 'Subscription', ...specifiedScalarTypes.map(({ name }) => name)];

const OF_THE_EXAMPLE = /post|comment|message|order|payment/i;
const ENGLISH = /^(post|comment|message|order|payment)s?$/i;

const filesIn = (folder: string, root = ''): string[] =>
  readdirSync(join(folder, root), { withFileTypes: true }).flatMap((entry) => {
    const path = join(root, entry.name);
    if (['node_modules', '.git', 'dist', 'generated/prisma', 'package-lock.json'].includes(path)) return [];
    return entry.isDirectory() ? filesIn(folder, path) : [path];
  });

t.test('what is no clone of this repository is not ejected, nor what is not committed', async (t) => {
  const elsewhere = temporaryFolder(t);
  const refused = await accord(t, ['--root', elsewhere, 'eject-example']);
  t.match([refused.code, refused.stderr], [2, /is no clone of the repository of Accord/]);
  const folder = copyProject(t, { 'openapi.yaml': (text) => `${text}# mine\n` });
  const begun = await accord(t, ['--root', folder, 'eject-example', '--name', 'start']);
  t.match([begun.code, begun.stderr], [2, /not committed. Nothing was changed.\n M openapi.yaml/]);
  t.match(readFileSync(join(folder, 'openapi.yaml'), 'utf8'), /# mine\n$/);
});

t.test('an ejected clone has no word of the example, and is whole', { skip: skipUnlessWhole }, async (t) => {
  const folder = copyProject(t, {}, CLONE);
  const example = await namesIn(folder);
  const command = (...args: [string, ...string[]]) => run(t, args, {}, folder).ended;
  const ejected = await command(process.execPath, 'src/platform/cli/bin.js', 'eject-example', '--name', 'start');
  t.match(ejected, { code: 0, stdout: /The example is gone/ });

  const own = await namesIn(folder);
  const words = [...example].filter((word) => !own.has(word) && !OF_GRAPHQL.includes(word));
  t.ok(words.length > 50 && ['payOrder', 'Post', 'messages', 'payments'].every((word) => words.includes(word)));
  const isKept = (path: string) => /^src\/(platform|workbench)\//.test(path);
  // The sources that stay may show by a `getUser` what they do, and English has orders and messages.
  const unmistakable = words.filter((word) => OF_THE_EXAMPLE.test(word) && !ENGLISH.test(word));
  const found = filesIn(folder).flatMap((path) => {
    const text = readFileSync(join(folder, path), 'utf8');
    return (isKept(path) ? unmistakable : words)
      .filter((word) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(text))
      .map((word) => `${path}: ${word}`);
  });
  t.same(found, []);
  for (const gone of ['docs', 'bench', 'eslint.config.js'])
    t.notOk(filesIn(folder).some((path) => path.startsWith(gone)));

  const npm = (...args: string[]) => command('npm', ...args);
  for (const script of ['prepare', 'typecheck', 'lint']) {
    const { code, stdout, stderr } = await npm('run', script);
    t.equal(code, 0, `${script}: ${stdout}${stderr}`);
  }
  t.match(await command('npx', 'accord', 'codegen', '--check'), { code: 0 });
  t.match(await command('npx', 'accord', 'migrate', '--check'), { code: 0 });
  const start = [...NODE, join(folder, 'src/platform/cli/bin.js'), 'start'] as const;
  const { url } = await startServer(t, { DATABASE_URL: 'pglite://memory' }, start);
  const headers = basic('ada@demo.example', 'correct horse battery');
  const me = await ask(`${url}/api/v1/auth/me`, { headers });
  t.match([me.status, await me.json()], [200, { name: 'Ada Lovelace' }]);
  t.equal((await ask(`${url}/api/v1/orders/1`, { headers })).status, 404);
  const tested = await npm('test');
  t.match(tested, { code: 0, stdout: /^# fail 0$/m });
});
