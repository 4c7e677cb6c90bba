import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import t from 'tap';
import { openDatabase } from '../../../src/platform/database/open.js';
import { accord } from '../../support/accord.js';
import { onEachDatabase } from '../../support/databases.js';
import { emptyDirectory } from '../../support/demo.js';
import { EMAIL, startNotes } from '../../support/notes-fixture.js';
import { ask, basic, eventually, startServer, temporaryFolder } from '../../support/process.js';
import { startService } from '../../support/service.js';

const SECRET = { KEY_SECRET: 'a secret that encrypts the keys at rest' };

/** Returns the rows of a printed table. */
const rows = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/));

const kidsAt = async (url: string): Promise<string[]> => {
  const { keys } = (await (await ask(`${url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
};

t.test('accord keys and accord audit use the running server of an embedded database', async (t) => {
  const DATABASE_URL = await emptyDirectory(t);
  const { pathname: folder } = new URL(DATABASE_URL);
  const first = { ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: 'a password of the first one' };
  const environment = { DATABASE_URL, ...SECRET, ...first };
  const server = await startServer(t, environment);
  t.equal(statSync(join(folder, 'admin.sock')).mode & 0o077, 0, 'nobody else may command');
  const [old = ''] = await kidsAt(server.url);

  const rotated = await accord(t, ['keys', 'rotate'], environment);
  t.equal(rotated.code, 0, rotated.stderr);
  const [current, next] = rows(rotated.stdout);
  t.match([current?.slice(0, 2), next?.[1]], [[old, 'current'], 'next']);
  await eventually('two keys', async () => (await kidsAt(server.url)).length === 2 || undefined);
  t.same(await kidsAt(server.url), [old, next?.[0]], 'no restart was needed');
  t.match(await accord(t, ['keys', 'rotate'], environment), { code: 1, stdout: '', stderr: /is published already/ });
  for (const kid of ['nothing', '-hV_beginning-with-a-dash', '--a'])
    t.match(await accord(t, ['keys', 'retire', kid], environment), { code: 1, stderr: `There is no key ${kid}.` });

  const audit = await accord(t, ['audit', '--json', '--event', 'key.rotated'], environment);
  t.match(JSON.parse(audit.stdout), { event: 'key.rotated', subject: `key:${next?.[0]}`, actor: null });
  const created = await accord(t, ['audit', '--json', '--event', 'user.created'], environment);
  t.match(JSON.parse(created.stdout), { event: 'user.created', subject: 'user:1', actor: null, address: null });
  t.match(await accord(t, ['audit', '--since', 'yesterday-ish'], environment), { code: 2, stderr: /ISO 8601/ });

  server.kill('SIGKILL');
  await server.ended;
  t.ok(existsSync(join(folder, 'admin.sock')), 'a killed server leaves its socket');
  const alone = await accord(t, ['keys', 'list'], environment);
  t.same(
    rows(alone.stdout).map(([kid, state]) => [kid, state]),
    [
      [old, 'current'],
      [next?.[0], 'next'],
    ],
    'which keeps no command from the database',
  );
  const again = await startServer(t, environment);
  t.equal((await accord(t, ['keys', 'retire', old], environment)).code, 0, 'nor the next server from its own');
  await eventually('one key', async () => (await kidsAt(again.url)).join() === next?.[0] || undefined);
});

/** Sends a login, and returns its status and tokens. */
async function logIn(url: string, email: string, password: string) {
  const body = JSON.stringify({ email, password });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const answer = await ask(`${url}/api/v1/auth/login`, init);
  const { access_token: token } = (await answer.json()) as { access_token?: string };
  return { status: answer.status, headers: { authorization: `Bearer ${token}` }, token };
}

const sessionIn = (token = '') => String(decodeJwt(token).jti).split(':')[0] as string;

const me = async (url: string, headers: Record<string, string>) =>
  (await ask(`${url}/api/v1/auth/me`, { headers })).status;

t.test('accord accounts and accord sessions use the running server, and need none', async (t) => {
  const DATABASE_URL = await emptyDirectory(t);
  const first = { ADMIN_EMAIL: 'Root@example.com', ADMIN_PASSWORD: 'a password of the first one' };
  const environment = { DATABASE_URL, ...SECRET, ...first, LOGIN_LIMIT: '1000' };
  const server = await startServer(t, environment);
  const root = 'root@example.com';
  const { headers } = await logIn(server.url, root, first.ADMIN_PASSWORD);
  t.equal(await me(server.url, headers), 200);
  for (let i = 0; i < 11; i++) await logIn(server.url, root, 'wrong');
  t.equal((await logIn(server.url, root, first.ADMIN_PASSWORD)).status, 429);

  const reset = await accord(t, ['accounts', 'reset', root], environment);
  t.match(reset, { code: 0, stdout: /^[\w-]{24}\n$/, stderr: /^The password of user 1 is new/ });
  const password = reset.stdout.trim();
  await eventually('a refusal', async () => (await me(server.url, headers)) === 401);
  t.equal((await logIn(server.url, root, first.ADMIN_PASSWORD)).status, 401, 'the old password is wrong');
  const again = await logIn(server.url, root, password);
  t.same([again.status, await me(server.url, again.headers)], [200, 200], 'the new one has not to wait');

  t.match(await accord(t, ['sessions', 'revoke', root], environment), { code: 0, stdout: 'Ended sessions: 1.\n' });
  await eventually('a refusal', async () => (await me(server.url, again.headers)) === 401);
  const { token } = await logIn(server.url, root, password);
  const one = ['sessions', 'revoke', sessionIn(token)];
  t.match(await accord(t, one, environment), { code: 0, stdout: 'Ended sessions: 1.\n' });
  t.match(await accord(t, one, environment), { code: 1, stdout: '', stderr: /^There is no live session / });
  for (const unknown of [
    ['accounts', 'reset', 'nobody@example.com'],
    ['sessions', 'revoke', 'nobody@example.com'],
  ])
    t.match(await accord(t, unknown, environment), {
      code: 1,
      stdout: '',
      stderr: /no account .* nobody@example\.com/,
    });
  t.match(await accord(t, ['accounts', 'reset'], environment), {
    code: 2,
    stderr: /missing required argument 'email'/,
  });

  server.kill('SIGTERM');
  await server.ended;
  const alone = await accord(t, ['accounts', 'reset', 'ROOT@example.com'], environment);
  t.match(alone, { code: 0, stdout: /^[\w-]{24}\n$/ });
  const next = await startServer(t, environment);
  t.equal((await logIn(next.url, root, password)).status, 401);
  t.equal((await logIn(next.url, root, alone.stdout.trim())).status, 200);
  const { stdout } = await accord(t, ['audit', '--json', '--limit', '1000'], environment);
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; subject: string; actor: number | null })
    .filter(({ event }) => event === 'password.changed' || event === 'session.revoked');
  t.match(events, [
    { event: 'password.changed', subject: 'user:1', actor: null },
    { event: 'session.revoked', subject: 'user:1', actor: null },
    { event: 'session.revoked', subject: `session:${sessionIn(token)}`, actor: null },
    { event: 'password.changed', subject: 'user:1', actor: null },
  ]);
});
t.test(
  'accord database restored draws one generation for a restore, with a running server and without one',
  async (t) => {
    const DATABASE_URL = await emptyDirectory(t);
    const environment = {
      DATABASE_URL,
      ...SECRET,
      ADMIN_EMAIL: 'root@example.com',
      ADMIN_PASSWORD: 'a password of root',
    };
    const credentials = basic('root@example.com', 'a password of root');
    const restored = async (...options: string[]) => {
      const { code, stdout, stderr } = await accord(t, ['database', 'restored', ...options], environment);
      t.equal(code, 0, stderr);
      return stdout;
    };
    const generationIn = (text: string) => /generation is ([0-9a-f]{12})/.exec(text)?.[1];
    const tagAt = async ({ url }: { url: string }) =>
      (await ask(`${url}/api/v1/users/1`, { headers: credentials })).headers.get('etag');

    const server = await startServer(t, environment);
    const plain = (await tagAt(server)) as string;
    t.match(plain, /^"1-\d+"$/, 'a database that was never restored has no generation');
    const first = generationIn(await restored());
    t.ok(first);
    t.equal(await tagAt(server), plain.replace(/"$/, `-${first}"`), 'the server applies it at once');
    const repeated = await restored();
    t.match(repeated, /noticed already/);
    t.equal(generationIn(repeated), first);
    const second = generationIn(await restored('--again'));
    t.not(second, first);

    server.kill('SIGTERM');
    await server.ended;
    t.equal(generationIn(await restored()), second);
    const third = generationIn(await restored('--again'));
    t.equal(await tagAt(await startServer(t, environment)), plain.replace(/"$/, `-${third}"`));
    const audit = await accord(t, ['audit', '--json', '--event', 'database.restored'], environment);
    t.equal(audit.stdout.trim().split('\n').length, 3);
  },
);

onEachDatabase(t, async (t, open) => {
  t.test('on PostgreSQL, a reset account is known to instances of every application', async (t) => {
    const database = await open();
    if (database.url === undefined) return t.comment('see above for the embedded one');
    const { ask: send, bearer, url } = await startNotes(t, { name: 'field-notes', database, environment: SECRET });
    const status = async () => (await send('GET', '/notes', { headers: bearer })).status;
    t.equal(await status(), 200);
    const connection = await openDatabase(database.url);
    t.teardown(connection.close);
    const service = await startService(t, Object.assign(connection, { url: database.url }), SECRET);
    const { developer } = service;
    const reset = await accord(t, ['accounts', 'reset', EMAIL], { DATABASE_URL: database.url, ...SECRET });
    t.equal(reset.code, 0, reset.stderr);
    await eventually('a refusal', async () => (await status()) === 401);
    for (const address of [url, service.url]) t.equal((await logIn(address, EMAIL, reset.stdout.trim())).status, 200);
    t.equal(await me(service.url, developer.headers), 200, 'no other account is affected');
  });

  t.test('on PostgreSQL, a command changes the database, and every instance is notified', async (t) => {
    const database = await open();
    if (database.url === undefined) return t.comment('see above for the embedded one');
    const service = await startService(t, database, SECRET);
    const environment = { DATABASE_URL: database.url, ...SECRET };
    const [old] = await kidsAt(service.url);
    t.equal((await accord(t, ['keys', 'rotate'], environment)).code, 0);
    await eventually('two keys', async () => (await kidsAt(service.url)).length === 2 || undefined);
    t.match(await accord(t, ['keys', 'rotate'], { ...environment, KEY_SECRET: `another ${SECRET.KEY_SECRET}` }), {
      code: 1,
      stderr: /is published already/,
    });
    t.equal((await accord(t, ['keys', 'retire', old as string], environment)).code, 0);
    const stranger = { ...environment, KEY_SECRET: `another ${SECRET.KEY_SECRET}` };
    t.match(await accord(t, ['keys', 'rotate'], stranger), { code: 1, stderr: /under another KEY_SECRET/ });

    const audit = await accord(t, ['audit', '--limit', '2'], environment);
    t.same(
      rows(audit.stdout).map(([, event]) => event),
      ['key.rotated', 'key.retired'],
      'the newest last',
    );
  });
});

t.test('a command without a database reports that', async (t) => {
  const absent = join(temporaryFolder(t), 'absent');
  t.match(await accord(t, ['keys', 'list'], { DATABASE_URL: `pglite://${absent}` }), {
    code: 1,
    stderr: /There is no/,
  });
  t.notOk(existsSync(absent), 'and makes none');
  t.match(await accord(t, ['audit'], { DATABASE_URL: 'pglite://memory' }), { code: 1, stderr: /in memory/ });
  const hs256 = { JWT_ALGORITHM: 'HS256', JWT_SECRET: 'a secret of at least thirty-two bytes' };
  const folder = temporaryFolder(t);
  const environment = { DATABASE_URL: `pglite://${folder}`, ...hs256 };
  t.match(await accord(t, ['keys', 'rotate'], environment), { code: 1, stderr: /JWT_SECRET/ });
});
