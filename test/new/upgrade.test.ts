import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { applyMigrations } from '../../src/platform/database/apply-migrations.js';
import { TIME_LIMITS_MS } from '../../src/platform/database/backend.js';
import { openEmbedded } from '../../src/platform/database/embedded.js';
import { readMigrations } from '../../src/platform/database/migrations.js';
import { hasher } from '../../src/platform/index.js';
import { accord } from '../support/accord.js';
import { linkSources, newProject } from '../support/new-project.js';
import { ask, basic, startServer, temporaryFolder } from '../support/process.js';
import { skipUnlessWhole } from '../support/servers.js';

const STEP = '0_platform_01_known_networks';
const NICKNAME = 'ALTER TABLE "users" ADD COLUMN "nickname" TEXT;\n';
const textOf = (...path: string[]) => readFileSync(join(...path), 'utf8');

/** Turns a new project into one of an older version: without the migrations of the platform since then, and with a member of the team. */
function asBefore(folder: string): void {
  const migrations = join(folder, 'prisma/migrations');
  const steps = readdirSync(migrations).filter((name) => name.startsWith('0_platform_'));
  for (const step of steps.slice(steps.indexOf(STEP))) rmSync(join(migrations, step), { recursive: true });
  mkdirSync(join(migrations, '2_nickname'));
  writeFileSync(join(migrations, '2_nickname', 'migration.sql'), NICKNAME);
  const path = join(folder, 'prisma/schema.prisma');
  const schema = textOf(path)
    .replace(/\/\/\/ Where an account has logged in[\s\S]*?\n}\n\n/, '')
    .replace(/ {2}\/\/\/ Tokens with a lower version[\s\S]*? {2}version .*\n/, '')
    .replace(/\/\/\/ A setting in which all instances[\s\S]*?\n}\n\n/, '')
    .replace('  networks        KnownNetwork[]\n', '  nickname String?\n');
  writeFileSync(path, schema);
}

/** Inserts rows into the tables of a project. */
async function fill(folder: string): Promise<void> {
  const directory = join(folder, 'data');
  const migrations = readMigrations(join(folder, 'prisma/migrations'));
  const backend = await openEmbedded(directory, { migrations, limits: TIME_LIMITS_MS });
  const hash = await hasher().hash('forty-two nanoseconds');
  await backend.withMigrationSession(async (session) => {
    await applyMigrations(session, migrations);
    await session.run(`
      INSERT INTO users (name, email, email_key, role, password_hash, nickname)
        VALUES ('Grace', 'grace@example.com', 'grace@example.com', 'ADMIN', '${hash}', 'Amazing Grace');
      INSERT INTO books (owner_id, title, author) VALUES (1, 'A Manual of Operation', 'Howard Aiken');
      INSERT INTO tombstones (kind, id) VALUES ('BOOK', 7);
      INSERT INTO audit_events (event, subject) VALUES ('login', 'user:1')`);
  });
  await backend.close();
}

const stepsIn = (folder: string) =>
  readdirSync(join(folder, 'prisma/migrations')).filter((name) => /^\d{14}_platform_01_known_networks$/.test(name));

t.test('accord upgrade lists and adds missing tables once, and keeps the models of the team', async (t) => {
  const folder = join(temporaryFolder(t), 'books');
  t.equal((await accord(t, ['new', folder])).code, 0);
  linkSources(folder);
  const upgrade = (...args: string[]) => accord(t, ['--root', folder, 'upgrade', ...args]);
  t.match(await upgrade(), { code: 0, stdout: /^The tables are those of Accord / }, 'a new project has all');

  asBefore(folder);
  const before = textOf(folder, 'prisma/schema.prisma');
  const told =
    /_platform_01_known_networks\/migration\.sql\n(?:.*\n)* {2}prisma\/schema\.prisma\n {2}\(User\.networks, .*KnownNetwork.*\)/;
  t.match(await upgrade('--check'), { code: 1, stdout: told });
  t.same([stepsIn(folder), textOf(folder, 'prisma/schema.prisma')], [[], before], 'and wrote nothing');

  t.match(await upgrade(), { code: 0, stdout: told, stderr: '' });
  const after = textOf(folder, 'prisma/schema.prisma');
  t.match(after, / nickname String\?\n/);
  t.match(after, / networks +KnownNetwork\[\]\n/);
  t.ok(after.startsWith(before.slice(0, before.indexOf('model User'))), 'what stands before is as it was');
  t.equal(stepsIn(folder).length, 1);
  t.match(await accord(t, ['--root', folder, 'migrate', '--check']), { code: 0 });
  t.match(await upgrade(), { code: 0, stdout: /^The tables are those of/ });

  writeFileSync(join(folder, 'prisma/schema.prisma'), after.replace('  count        Int\n', '  count        BigInt\n'));
  t.match(await upgrade(), { code: 0, stdout: /\(Throttle\.count\)/ }, 'a member of the platform that is another');
  t.equal(textOf(folder, 'prisma/schema.prisma'), after);
});

t.test('a project of another origin is not upgraded', async (t) => {
  const refused = await accord(t, ['--root', temporaryFolder(t), 'upgrade']);
  t.match([refused.code, refused.stderr], [2, /has no 0_platform: `accord new` did not write this project/]);
});

t.test(
  'a project of the previous version keeps its rows, and its tests pass after the upgrade',
  { skip: skipUnlessWhole },
  async (t) => {
    const { folder, command, start } = await newProject(t);
    asBefore(folder);
    await fill(folder);

    t.match(await command('npx accord upgrade'), { code: 0, stdout: /_platform_01_known_networks/ });
    t.match(await command('npx accord migrate --check'), { code: 0 });
    t.match(await command('npm run prepare'), { code: 0 });
    const { url, kill, ended } = await startServer(t, { DATABASE_URL: `pglite://${join(folder, 'data')}` }, start);
    await holds(t, url);
    kill('SIGTERM');
    await ended;
    const tested = await command('npm test');
    t.match(tested, { code: 0, stdout: /^# fail 0$/m }, tested.stderr);
  },
);

/** The rows from before the upgrade, as REST responses. */
async function holds(t: Test, url: string): Promise<void> {
  const headers = basic('grace@example.com', 'forty-two nanoseconds');
  const get = async (path: string) => {
    const answer = await ask(url + path, { headers });
    return [answer.status, await answer.json()];
  };
  t.match(await get('/api/v1/auth/me'), [200, { id: 1, name: 'Grace', role: 'admin' }]);
  t.match(await get('/api/v1/books'), [200, [{ id: 1, ownerId: 1, title: 'A Manual of Operation' }]]);
  t.match(await get('/api/v1/books/7'), [410, { code: 'GONE' }]);
}
