import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { TIME_LIMITS_MS } from '../../src/platform/database/backend.js';
import { openEmbedded } from '../../src/platform/database/embedded.js';
import { installPackages, projectIn } from '../support/new-project.js';
import { ask, basic, ROOT, run, startServer, temporaryFolder } from '../support/process.js';
import { skipUnlessWhole } from '../support/servers.js';

const FROZEN = join(ROOT, 'test', 'projects');
const numbers = (version: string) => version.split('.').map(Number);
function compare(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}
const isRelease = (name: string) => /^\d+\.\d+\.\d+$/.test(name);
const versions = readdirSync(FROZEN).filter(isRelease).sort(compare);
const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)\b/gm)]
  .map(([, version]) => version as string)
  .sort(compare);

/** Restores the dump of a database into an embedded one. */
async function restore(version: string, directory: string): Promise<void> {
  mkdirSync(directory);
  const backend = await openEmbedded(directory, { migrations: [], limits: TIME_LIMITS_MS });
  await backend.withMigrationSession((session) => session.run(readFileSync(join(FROZEN, version, 'dump.sql'), 'utf8')));
  await backend.close();
}

/** The rows of the dump, as REST responses. */
async function holds(t: Test, url: string): Promise<void> {
  const headers = basic('ada@demo.example', 'correct horse battery');
  const get = async (path: string) => {
    const answer = await ask(`${url}/api/v1${path}`, { headers });
    return [answer.status, await answer.json()];
  };
  t.match(await get('/auth/me'), [200, { id: 1, name: 'Ada Lovelace', role: 'admin' }]);
  t.match(await get('/books/3'), [200, { id: 3, title: 'Notes' }]);
  t.match(await get('/books/4'), [410, { code: 'GONE' }]);
  const loans = [
    { id: 1, bookId: 1, borrowerId: 1, returnedAt: String },
    { id: 2, bookId: 3, borrowerId: 1, returnedAt: null },
  ];
  t.match(await get('/loans'), [200, loans]);
  t.equal((await ask(`${url}/api/v1/books/3/loans`, { method: 'POST', headers })).status, 409);
}

t.test('each release after a frozen one says what the code of a project must change', async (t) => {
  t.ok(versions.length > 0);
  for (const version of released.filter((version) => compare(version, versions[0] as string) > 0)) {
    const [, entry = ''] = changelog.split(new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b.*$`, 'm'));
    const [own = ''] = entry.split(/^## /m);
    t.match(own, /^### To change in a project$/m, version);
    const hasPatch = versions.some((folder) => existsSync(join(FROZEN, folder, 'patches', `${version}.patch`)));
    const [, change = ''] = own.split(/^### To change in a project$/m);
    t.notOk(hasPatch && /^\s*Nothing\b/.test(change), `${version}: its patch is described`);
  }
});

for (const version of versions) {
  t.test(
    `a project and a database of release ${version} work with this release after its patches`,
    { skip: skipUnlessWhole },
    async (t) => {
      const folder = join(temporaryFolder(t), 'books');
      cpSync(join(FROZEN, version, 'project'), folder, { recursive: true });
      await installPackages(t, folder);
      const { command, start } = projectIn(t, folder);
      for (const later of released.filter((release) => compare(release, version) > 0)) {
        const patch = join(FROZEN, version, 'patches', `${later}.patch`);
        if (!existsSync(patch)) continue;
        const applied = await run(t, ['git', 'apply', patch], {}, folder).ended;
        t.match(applied, { code: 0, stderr: '' }, later);
      }
      for (const line of [
        'npx accord upgrade',
        'npx accord codegen',
        'npx accord build',
        'npx accord migrate --check',
      ]) {
        const ended = await command(line);
        t.equal(ended.code, 0, `${line}: ${ended.code === 0 ? '' : ended.stdout + ended.stderr}`);
      }
      const data = join(folder, 'data');
      await restore(version, data);
      const { url, kill, ended } = await startServer(t, { DATABASE_URL: `pglite://${data}` }, start);
      await holds(t, url);
      kill('SIGTERM');
      await ended;
      const tested = await command('npm test');
      t.match(tested, { code: 0, stdout: /^# fail 0$/m }, tested.stdout + tested.stderr);
      t.equal((await command('npm run typecheck')).code, 0);
    },
  );
}
