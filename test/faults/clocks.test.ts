import t from 'tap';
import { demo } from '../../src/application/seed.js';
import type { Json } from '../support/people.js';
import { eventually, type Server, START, startServer } from '../support/process.js';
import { skipWithoutPostgresql } from '../support/servers.js';
import { freshDatabase } from './world.js';

/** Milliseconds between the clocks of the two instances. */
const SHIFT = 31_000;
/** Milliseconds until a revocation is known to every instance, asserted without other load. */
const PROMPT_MS = 1000;
const whole = process.env['FAULTS'] === 'whole';
const [{ email, password: PASSWORD }] = demo.people;
const ME = '/api/v1/auth/me';

/** Starts the service with another local time. `performance.now()` and the database keep theirs. */
function shifted(milliseconds: number): readonly [string, ...string[]] {
  const script = `const { now } = Date;
    const time = () => now() + ${milliseconds};
    globalThis.Date = new Proxy(Date, {
      construct: (target, args, as) => Reflect.construct(target, args.length === 0 ? [time()] : args, as),
      get: (target, name) => (name === 'now' ? time : target[name]),
    });`;
  const [node, ...flags] = START;
  return [node, `--import=data:text/javascript,${encodeURIComponent(script)}`, ...flags];
}

// Two starts take long on a busy machine.
t.setTimeout(0);

for (const [name, shift] of Object.entries({ ahead: SHIFT, behind: -SHIFT })) {
  t.test(`two instances agree if the clock of one is 31 s ${name}`, { skip: skipWithoutPostgresql }, async (t) => {
    const { href, client } = await freshDatabase(t);
    const environment = { DATABASE_URL: href, RATE_LIMIT: '10000000', LOGIN_LIMIT: '10000000', LOG_LEVEL: 'info' };
    const right = await startServer(t, environment);
    const wrong = await startServer(t, environment, shifted(shift));
    const both = { right, wrong };
    let password: string = PASSWORD;

    async function send(server: Server, method: string, path: string, body?: object, token?: string) {
      const headers = {
        ...(body && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      const answer = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await answer.text();
      return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Json };
    }
    const logIn = async (server: Server, further: object = {}) =>
      (await send(server, 'POST', '/api/v1/auth/login', { email, password, ...further })).body;
    const statuses = async (token: string) =>
      Promise.all(Object.values(both).map(async (server) => (await send(server, 'GET', ME, undefined, token)).status));

    t.test('a fresh token is accepted by both', async (t) => {
      for (const server of Object.values(both)) {
        const { access_token } = await logIn(server);
        t.same(await statuses(access_token), [200, 200]);
        const { token } = await logIn(server, { flow: 'opaque' });
        t.same(await statuses(token), [200, 200]);
      }
    });

    t.test('a password that one changes ends the tokens of both', async (t) => {
      for (const [place, server] of Object.values(both).entries()) {
        const tokens = [(await logIn(right)).access_token, (await logIn(wrong)).access_token];
        const { id } = (await send(server, 'GET', ME, undefined, tokens[0])).body;
        const change = { current_password: password, new_password: `the new password ${place}` };
        t.equal((await send(server, 'PUT', `/api/v1/users/${id}/password`, change, tokens[0])).status, 204);
        const changedAt = performance.now();
        password = change.new_password;
        for (const token of tokens)
          await eventually('refusals', async () => (await statuses(token)).every((status) => status === 401));
        const took = performance.now() - changedAt;
        t.comment(`refused after ${took.toFixed(0)} ms`);
        if (whole) t.ok(took < PROMPT_MS, `${took} ms`);
        for (const server of Object.values(both))
          t.same(await statuses((await logIn(server)).access_token), [200, 200]);
      }
    });

    t.test('a refresh that is repeated at the other instance keeps the session', async (t) => {
      for (const [first, second] of [
        [right, wrong],
        [wrong, right],
      ] as const) {
        const { refresh_token } = await logIn(first);
        const refresh = (server: Server, token: string) =>
          send(server, 'POST', '/api/v1/auth/refresh', { refresh_token: token });
        const lost = await refresh(first, refresh_token);
        const repeated = await refresh(second, refresh_token);
        t.same([lost.status, repeated.status], [200, 200]);
        t.same(await statuses(repeated.body.access_token), [200, 200]);
        t.equal((await refresh(first, repeated.body.refresh_token)).status, 200);
      }
    });

    t.test('stored times are those of the database', async (t) => {
      for (const server of Object.values(both))
        for (let i = 0; i < 11; i++) await send(server, 'POST', '/api/v1/auth/login', { email, password: 'wrong' });
      const { rows } = await client.query(`
        SELECT max(extract(epoch FROM blocked_until - clock_timestamp()))::float8 AS wait,
          max(extract(epoch FROM resets_at - clock_timestamp()))::float8 AS reset,
          (SELECT max(extract(epoch FROM created_at - clock_timestamp()))::float8 FROM sessions) AS age
        FROM throttles`);
      // The first wait is 30 s, and the window behind it 15 minutes.
      t.ok(rows[0].wait <= 31 && rows[0].reset <= 31 + 15 * 60 && rows[0].age <= 1, JSON.stringify(rows));
    });

    t.test('the instance with the wrong clock is degraded, and logs the difference once', async (t) => {
      const checks = async (server: Server) => (await send(server, 'GET', '/readyz')).body;
      t.match(await checks(right), { status: 'ok', checks: { clock: 'ok' } });
      t.match(await checks(wrong), { status: 'degraded', checks: { clock: 'degraded' } });
      const line = new RegExp(`The clock of this machine is 3[01]\\.\\d s ${name}`, 'g');
      await eventually('a log line', () => wrong.stdout().match(line) !== null);
      t.equal(wrong.stdout().match(line)?.length, 1);
      t.notMatch(right.stdout(), 'The clock of this machine');
      const metrics = await (await fetch(`${wrong.url}/metrics`)).text();
      t.equal(Math.round(Number(/^clock_difference_seconds (\S+)$/m.exec(metrics)?.[1])), shift / 1000);
    });
  });
}
