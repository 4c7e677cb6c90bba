import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { demo } from '../../src/application/seed.js';
import { eventually, NODE, ROOT, type Server, START, startServer } from '../support/process.js';
import { skipWithoutPostgresql } from '../support/servers.js';
import { CREDENTIALS } from './load.js';
import { freshDatabase } from './world.js';

/** The last commit of release 0.1.0, the release before. */
const BEFORE = '39a2ae37';
/** The dependencies of the release before are installed, which takes minutes. */
const skipUnlessAsked = process.env['FAULTS'] === 'whole' ? false : 'takes minutes: runs with FAULTS=whole';
const ACCORD = 'node_modules/.bin/accord';
const { email, password } = demo.people[0];
const JSON_TYPE = { 'content-type': 'application/json' };

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] });

/** Returns the reason if the history lacks the release before, as in a shallow clone. */
function skipWithoutHistory(): string | false {
  try {
    git('cat-file', '-e', `${BEFORE}^{commit}`);
    return false;
  } catch {
    return `needs the history: the commit ${BEFORE} is not in this clone`;
  }
}

/**
 * Builds the example of the release before with the packed packages of that release and the dependencies of its
 * lockfile, outside the repository and once per machine. Returns its `accord` command.
 */
function releaseBefore(): string {
  const folder = join(tmpdir(), `accord-release-${BEFORE}`);
  if (!existsSync(folder)) {
    const cwd = mkdtempSync(join(tmpdir(), 'accord-release-'));
    const call = (command: string, ...args: string[]) => execFileSync(command, args, { cwd, stdio: 'ignore' });
    git('archive', '--output', join(cwd, 'archive.tar'), BEFORE);
    call('tar', '-xf', 'archive.tar');
    call('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline');
    call(process.execPath, '.ci/pack.js', 'packed');
    for (const name of ['platform', 'testing', 'workbench']) {
      const installed = join(cwd, 'node_modules', '@accord-api', name);
      rmSync(installed);
      mkdirSync(installed);
      call('tar', '-xzf', `packed/accord-api-${name}-0.1.0.tgz`, '-C', installed, '--strip-components=1');
    }
    call(process.execPath, ACCORD, 'build');
    renameSync(cwd, folder);
  }
  return join(folder, ACCORD);
}

/** What one caller gets from an instance, and shows to others. */
interface Shown {
  access: string;
  refresh: string;
  etag: string;
  next: string;
  key: string;
  order: string;
}

const at = ({ url }: Server, path: string) => `${url}/api/v1${path}`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const post = (url: string, headers: Record<string, string>, body: object) =>
  fetch(url, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });
const ORDER = { total: { amount: 1234, currency: 'EUR' } };

async function login(server: Server, person = email): Promise<{ access_token: string; refresh_token: string }> {
  const answer = await post(at(server, '/auth/login'), {}, { email: person, password });
  if (!answer.ok) throw new Error(`A login is ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as { access_token: string; refresh_token: string };
}

async function show(server: Server, key: string): Promise<Shown> {
  const { access_token: access, refresh_token: refresh } = await login(server);
  const user = await fetch(at(server, '/users/1'), { headers: bearer(access) });
  const page = await fetch(at(server, '/users?after=&limit=1'), { headers: bearer(access) });
  const next = /[?&]after=([^&>]+)/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
  const order = await post(at(server, '/users/1/orders'), { ...bearer(access), 'idempotency-key': key }, ORDER);
  return { access, refresh, etag: user.headers.get('etag') ?? '', next, key, order: await order.text() };
}

/** Checks that an instance accepts what another one has given. */
async function accepts(t: Test, server: Server, shown: Shown): Promise<void> {
  const headers = bearer(shown.access);
  t.equal((await fetch(at(server, '/auth/me'), { headers })).status, 200, 'access token');
  const conditional = { ...headers, 'if-none-match': shown.etag };
  t.equal((await fetch(at(server, '/users/1'), { headers: conditional })).status, 304, 'entity tag');
  const page = await fetch(at(server, `/users?after=${shown.next}&limit=1`), { headers });
  t.equal(page.status, 200, 'cursor');
  const again = await post(at(server, '/users/1/orders'), { ...headers, 'idempotency-key': shown.key }, ORDER);
  t.same([again.status, await again.text()], [201, shown.order], 'idempotency key');
  const refreshed = await post(at(server, '/auth/refresh'), {}, { refresh_token: shown.refresh });
  t.equal(refreshed.status, 200, 'refresh token');
}

/** Checks that a logout at one instance reaches the other. */
async function revokes(t: Test, server: Server, other: Server): Promise<void> {
  const answer = await post(at(server, '/auth/login'), {}, { email, password, flow: 'opaque' });
  const headers = bearer(((await answer.json()) as { token: string }).token);
  const status = async () => (await fetch(at(other, '/auth/me'), { headers })).status;
  t.equal(await status(), 200);
  t.equal((await fetch(at(server, '/auth/logout'), { method: 'POST', headers })).status, 204);
  t.ok(await eventually('a revocation at the other instance', async () => (await status()) === 401));
}

/** Checks that the other instance refuses an access token after a change of the account. */
async function outdates(t: Test, server: Server, other: Server): Promise<void> {
  const { access_token: admin } = await login(server);
  const change = (method: string, path: string, body: object) =>
    fetch(at(server, path), { method, headers: { ...JSON_TYPE, ...bearer(admin) }, body: JSON.stringify(body) });
  for (const [method, path, body] of [
    ['PATCH', '/users/2', { role: 'viewer' }],
    ['PUT', '/users/2/password', { new_password: password }],
    ['PATCH', '/users/2', { role: 'developer' }],
  ] as const) {
    const headers = bearer((await login(other, demo.people[1]?.email)).access_token);
    const status = async () => (await fetch(at(other, '/auth/me'), { headers })).status;
    t.equal(await status(), 200);
    t.ok((await change(method, path, body)).ok, `${method} ${path}`);
    t.ok(await eventually('a refused token', async () => (await status()) === 401));
  }
}

t.setTimeout(0);

t.test(
  'the release before and this one serve side by side on one database, forward and back',
  { skip: skipUnlessAsked || skipWithoutPostgresql || skipWithoutHistory() },
  async (t) => {
    const { href } = await freshDatabase(t);
    const environment = { DATABASE_URL: href, RATE_LIMIT: '10000000', LOGIN_LIMIT: '10000000', LOG_LEVEL: 'warn' };
    const before = [...NODE, releaseBefore(), 'start'] as const;
    const old = await startServer(t, environment, before);
    const atFirst = await show(old, 'first');

    const outcomes = new Map<number | string, number>();
    const serving = new Set([old]);
    let over = false;
    const client = async () => {
      while (!over) {
        for (const server of serving) {
          const outcome = await fetch(at(server, '/users/1'), { headers: CREDENTIALS }).then(
            async (answer) => (await answer.arrayBuffer()) && answer.status,
            (error: Error) => String(error.cause),
          );
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
        await delay(5);
      }
    };
    const clients = Array.from({ length: 4 }, client);

    const fresh = await startServer(t, environment, START);
    serving.add(fresh);
    await t.test('forward: this release accepts what the release before gave', (t) => accepts(t, fresh, atFirst));
    const atSecond = await show(fresh, 'second');
    await t.test('back: the release before accepts what this release gave', (t) => accepts(t, old, atSecond));
    await t.test('a revocation at this release reaches the release before', (t) => revokes(t, fresh, old));
    await t.test('a revocation at the release before reaches this release', (t) => revokes(t, old, fresh));
    await t.test('a role or password changed at this release reaches the other', (t) => outdates(t, fresh, old));
    await t.test('a role or password changed at the release before reaches this one', (t) => outdates(t, old, fresh));
    await t.test('the release before starts on the migrated database', async (t) => {
      const again = await startServer(t, environment, before);
      await accepts(t, again, await show(fresh, 'third'));
    });
    over = true;
    await Promise.all(clients);
    t.same([...outcomes.keys()], [200], [...outcomes].map(([outcome, times]) => `${outcome}: ${times}`).join(', '));
  },
);
