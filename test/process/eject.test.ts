import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { operations } from '../../src/platform/contract/openapi.js';
import { readContracts } from '../../src/workbench/model/contracts.js';
import { accord } from '../support/accord.js';
import { ask, basic, run, startServer, temporaryFolder } from '../support/process.js';
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

/** The names that the example's contracts and tables have and those of an empty start have not. */
async function wordsOf(root: string): Promise<Set<string>> {
  const { openapi, schema, prisma } = await readContracts(root);
  const types = schema.schema.getTypeMap();
  return new Set([
    ...operations(openapi.document).flatMap(({ operationId, tag }) => [
      operationId,
      ...(tag === undefined ? [] : [tag]),
    ]),
    ...Object.keys(openapi.written.components?.schemas ?? {}),
    ...Object.keys(types).filter((name) => !name.startsWith('__')),
    ...Object.values(types).flatMap((type) => ('getFields' in type ? Object.keys(type.getFields()) : [])),
    ...[...prisma.text.matchAll(/^(?:model|enum) (\w+)|@@map\("(\w+)"\)/gm)].flatMap(
      ([, name, table]) => name ?? table ?? [],
    ),
  ]);
}

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
  const example = await wordsOf(folder);
  const command = (...args: [string, ...string[]]) => run(t, args, {}, folder).ended;
  const ejected = await command(process.execPath, 'src/platform/cli/bin.js', 'eject-example', '--name', 'start');
  t.match(ejected, { code: 0, stdout: /The example is gone/ });

  const own = await wordsOf(folder);
  const words = [...example].filter((word) => !own.has(word));
  t.ok(words.length > 60 && words.includes('payOrder') && words.includes('Post') && words.includes('messages'));
  const isKept = (path: string) => /^src\/(platform|workbench)\//.test(path);
  // In the sources that stay, a word that is English as well may be that: those remain that are nobody else's.
  const unmistakable = words.filter((word) => /^[a-z]+[A-Z]|^[A-Z][a-z]+[A-Z]|_/.test(word));
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
  const start = [process.execPath, join(folder, 'src/platform/cli/bin.js'), 'start'] as const;
  const { url } = await startServer(t, { DATABASE_URL: 'pglite://memory' }, start);
  const headers = basic('ada@demo.example', 'correct horse battery');
  const me = await ask(`${url}/api/v1/auth/me`, { headers });
  t.match([me.status, await me.json()], [200, { name: 'Ada Lovelace' }]);
  t.equal((await ask(`${url}/api/v1/orders/1`, { headers })).status, 404);
  const tested = await npm('test');
  t.match(tested, { code: 0, stdout: /^# fail 0$/m });
});
