import t, { type Test } from 'tap';
import { type Opened, onEachDatabase } from '../support/databases.js';
import { behindLine } from '../support/line.js';
import { type Json, PASSWORD } from '../support/people.js';
import { basic, eventually } from '../support/process.js';
import { startService } from '../support/service.js';
import { ADD, dial, dialAs } from '../support/socket.js';

const ORIGIN = 'https://accord.example.com';

/** Headers that authenticate the same person by each of the four kinds of credentials. */
async function credentialsOf(url: string, email: string): Promise<Record<string, Record<string, string>>> {
  const logIn = async (wish: object) => {
    const answer = await fetch(`${url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: PASSWORD, ...wish }),
    });
    const cookie = answer.headers.getSetCookie().find((cookie) => cookie.includes('access'));
    return { ...((await answer.json()) as Json), cookie: cookie?.split(';')[0] };
  };
  return {
    jwt: { authorization: `Bearer ${(await logIn({})).access_token}` },
    opaque: { authorization: `Bearer ${(await logIn({ flow: 'opaque' })).token}` },
    cookie: { cookie: (await logIn({ cookie: true })).cookie, origin: ORIGIN },
    'opaque cookie': { cookie: (await logIn({ cookie: true, flow: 'opaque' })).cookie, origin: ORIGIN },
    basic: basic(email, PASSWORD),
  };
}

const same = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);

const environment = { PUBLIC_URL: ORIGIN, DEMO: 'on' };

onEachDatabase(t, async (t, open) => {
  const direct = await open();
  if (!direct.url) return void t.comment('the embedded database has no line to be damaged');
  const { service, url, line, log } = await behindLine(t, direct, { poolSize: 4 }, environment);
  const { developer } = service;
  const credentials = await credentialsOf(service.url, developer.email);

  /** Each function returns the answer of one transport: `200`, the code of the failure, or how a socket is opened or closed. */
  const asks = (headers: Record<string, string>) => ({
    async rest(): Promise<string> {
      const answer = await fetch(`${url}/api/v1/users/${developer.id}`, { headers });
      const { code } = (await answer.json()) as Json;
      const waits = answer.headers.has('retry-after') ? ' Retry-After' : '';
      return `${answer.status}${code ? ` ${code}` : ''}${waits}`;
    },
    async graphql(): Promise<string> {
      const answer = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: '{ me { id } }' }),
      });
      const { errors } = (await answer.json()) as Json;
      const waits = answer.headers.has('retry-after') ? ' Retry-After' : '';
      return errors ? `${errors[0].extensions.statusCode} ${errors[0].extensions.code}${waits}` : `${answer.status}`;
    },
    async socket(t: Test): Promise<string> {
      const { authorization: Authorization } = headers;
      const { send, take, closed, socket } = await dial(t, url, { headers: Authorization ? {} : headers });
      send({ type: 'connection_init', payload: Authorization ? { Authorization } : {} });
      const acknowledged = take(({ type }) => type === 'connection_ack').then(
        () => 'open',
        () => 'closed',
      );
      const outcome = await Promise.race([acknowledged, closed.then(String)]);
      socket.terminate();
      return outcome === 'closed' ? String(await closed) : outcome;
    },
  });

  async function all(t: Test): Promise<Record<string, string[]>> {
    const told = Object.entries(credentials).map(async ([name, headers]) => {
      const { rest, graphql, socket } = asks(headers);
      return [name, await Promise.all([rest(), graphql(), socket(t)])] as const;
    });
    return Object.fromEntries(await Promise.all(told));
  }

  const everywhere = (outcome: string[]) => Object.fromEntries(Object.keys(credentials).map((name) => [name, outcome]));
  const WELL = everywhere(['200', '200', 'open']);
  const AWAY = everywhere(['503 UNAVAILABLE Retry-After', '503 UNAVAILABLE Retry-After', '1013']);

  const faults: [string, () => void][] = [
    ['refuses connections', () => line.set('refused')],
    ['is a black hole', () => line.set('black hole')],
  ];
  for (const [name, damage] of faults) {
    t.test(`a database that ${name} is UNAVAILABLE for every credential and transport`, async (t) => {
      t.same(await all(t), WELL, 'before');
      damage();
      // A token that was verified a moment ago still opens a socket: it needs no database, and the signals were heard.
      const seen = new Set<string>();
      await eventually('all of it told', async () => {
        const told = await all(t);
        for (const outcome of Object.values(told).flat()) seen.add(outcome);
        return same(told, AWAY) || undefined;
      });
      seen.delete('open');
      t.same([...seen].sort(), ['1013', '503 UNAVAILABLE Retry-After'], 'and never 401, 500 or 1011');
      line.set('sound');
      await eventually('all of it again', async () => same(await all(t), WELL) || undefined);
    });
  }

  t.test('the log reports an outage and its end once each', async (t) => {
    const lines = (text: string) => log.filter((line) => line.includes(text)).length;
    const up = async () =>
      (await (await fetch(`${url}/metrics`)).text()).match(/^dependency_up\{.*database"\} (\d)$/m)?.[1];
    await eventually('a database that is there', async () => (await up()) === '1');
    const [away, back, all] = [lines('The database is away since'), lines('The database is back after'), log.length];
    line.set('refused');
    await eventually('a line in the log', () => lines('The database is away since') > away);
    for (let i = 0; i < 10; i++) for (const headers of Object.values(credentials)) await asks(headers).rest();
    t.equal(await up(), '0');
    line.set('sound');
    await eventually('another line', () => lines('The database is back after') > back);
    t.same([lines('The database is away since') - away, lines('The database is back after') - back], [1, 1]);
    const others = log
      .slice(all)
      .filter((line) => /"level":[56]0/.test(line) && !/is (away since|still away)/.test(line));
    t.same(others, [], 'and nothing else is told of it');
    t.ok(log.slice(all).filter((line) => line.includes('still away')).length <= 4);
  });

  t.test('operations on an open socket report the outage', async (t) => {
    const { send, take } = await dial(t, url);
    send({ type: 'connection_init', payload: { Authorization: credentials['jwt']?.['authorization'] } });
    await take(({ type }) => type === 'connection_ack');
    line.set('refused');
    send({ type: 'subscribe', id: '1', payload: { query: ADD, variables: { channelId: 'outage', text: 'lost' } } });
    const { payload } = await take(({ id }) => id === '1');
    t.match(payload.errors ?? payload, [{ extensions: { code: 'UNAVAILABLE', statusCode: 503 } }]);
    line.set('sound');
  });
});

/** Counts the connections on which instances receive signals of this database. */
const hearing = async ({ client }: Opened): Promise<number> => {
  const [row] = await client.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE application_name = 'accord signals' AND datname = current_database()`;
  return row?.count ?? 0;
};

onEachDatabase(t, async (t, open) => {
  const direct = await open();
  if (!direct.url) return void t.comment('the embedded database has no line to be damaged');
  const { service, url, line } = await behindLine(t, direct);
  const { developer } = service;
  const me = () => fetch(`${url}/api/v1/auth/me`, { headers: developer.headers }).then(({ status }) => status);
  const is = (wanted: number) => async () => (await me()) === wanted || undefined;

  t.test('one connection listens, after each loss', async () => {
    // The service that stands directly at the database has one, too.
    await eventually('both', async () => (await hearing(direct)) === 2 || undefined);
    for (let times = 0; times < 8; times++) {
      line.set('refused');
      await eventually('the outage', is(503));
      line.set('sound');
      await eventually('a good answer', is(200));
    }
    await eventually('both again', async () => (await hearing(direct)) === 2 || undefined);
    for (let times = 0; times < 8; times++) line.cut();
    await eventually('a good answer', is(200));
    await eventually('both still', async () => (await hearing(direct)) === 2 || undefined);
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('silently lost signals are noticed, and deleted users refused', async (t) => {
    const direct = await open();
    if (!direct.url) return t.comment('the embedded database has no line to be damaged');
    const { service, url, line } = await behindLine(t, direct, { named: 'accord signals' });
    const { admin, developer, rest } = service;
    const me = () => fetch(`${url}/api/v1/auth/me`, { headers: developer.headers }).then(({ status }) => status);
    t.equal(await me(), 200);
    line.set('black hole');
    t.equal((await rest('DELETE', `/api/v1/users/${developer.id}`, { as: admin })).status, 204);
    await eventually('a refusal', async () => (await me()) === 401 || undefined);
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('silently lost signals are noticed, and sockets of deleted users closed', async (t) => {
    const direct = await open();
    if (!direct.url) return t.comment('the embedded database has no line to be damaged');
    const never = { recheck: 2 ** 31 - 1 };
    const { service, url, line } = await behindLine(t, direct, { named: 'accord signals' }, {}, never);
    const { admin, developer, rest } = service;
    const { closed } = await dialAs(t, url, developer);
    line.set('black hole');
    t.equal((await rest('DELETE', `/api/v1/users/${developer.id}`, { as: admin })).status, 204);
    t.equal(await closed, 4403);
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('the listener is checked while callers need it, and not when idle', async (t) => {
    const database = await open();
    const prove = t.capture(database, 'checkListening', database.checkListening);
    const { developer, rest } = await startService(t, database);
    prove();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    t.equal(prove().length, 0);
    await rest('GET', '/api/v1/auth/me', { as: developer });
    t.ok(prove().length > 0);
  });
});
