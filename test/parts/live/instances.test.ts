import { randomUUID } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { createClient } from 'graphql-ws';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { openDatabase } from '../../../src/platform/database/open.js';
import { redisSignals } from '../../../src/platform/database/redis-signals.js';
import { type Opened, onEachDatabase, TEST_TIMEOUTS_MS } from '../../support/databases.js';
import { emptyDirectory } from '../../support/demo.js';
import { exampleApp } from '../../support/example.js';
import type { Json } from '../../support/people.js';
import { basic, eventually, startServer } from '../../support/process.js';
import { IGNORED_OUTAGES, REDIS, skipWithoutRedis } from '../../support/servers.js';
import { startService } from '../../support/service.js';
import { ADD, SUBSCRIBE } from '../../support/socket.js';
import { statementsMeanwhile } from '../../support/statements.js';

type Headers = Record<string, string>;

/** Follows a channel until it is stopped; `since` is where it goes on. */
function follow(t: Test, url: string, { authorization }: Headers, variables: { channelId: string; since?: number }) {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: authorization },
    retryAttempts: 0,
  });
  const ids: number[] = [];
  client.subscribe<Json>(
    { query: SUBSCRIBE, variables },
    { next: ({ data }) => ids.push(Number(data.messageAdded.id)), error: () => {}, complete: () => {} },
  );
  t.teardown(() => client.dispose());
  return { ids };
}

/** A server on a busy machine may shed a request; then it is made again. */
const add = (url: string, headers: Headers, channelId: string): Promise<number> =>
  eventually('a message that is added', async () => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: ADD, variables: { channelId, text: 'text' } }),
    });
    const { data, errors }: Json = await response.json();
    if (errors?.[0].extensions.code === 'UNAVAILABLE') return undefined;
    return Number(data.addMessage.id);
  });

/** A second instance in the same process. */
async function instance(t: Test, { url }: Opened, environment: Headers = {}): Promise<string> {
  const database = await openDatabase(url, { limits: TEST_TIMEOUTS_MS });
  const sockets = { initTimeout: TEST_TIMEOUTS_MS.answer, ping: TEST_TIMEOUTS_MS.answer };
  const app = await exampleApp({ NODE_ENV: 'test', ...environment }, { database, logger: false, sockets });
  t.teardown(async () => {
    await app.close();
    await database.close();
  });
  return app.listen({ port: 0, host: '127.0.0.1' });
}

/** A way to Redis that can be cut. */
async function redisProxy(t: Test) {
  const open = new Set<Socket>();
  let cut = false;
  const server = createServer((near) => {
    if (cut) return void near.destroy();
    const far = connect(Number(REDIS.port || 6379), REDIS.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as { port: number }).port}`,
    cut: (now: boolean) => {
      cut = now;
      if (cut) for (const socket of open) socket.destroy();
    },
  };
}

/** Resolves once a signal of another installation has gone through the same Redis. */
async function heardElsewhere(t: Test, url: string, payload: string): Promise<void> {
  const signals = redisSignals(`${url}?keyPrefix=${randomUUID()}`, 'accord_messages', () => IGNORED_OUTAGES);
  t.teardown(signals.close);
  const heard: string[] = [];
  let connected = false;
  await signals.listen(
    (signal) => heard.push(signal),
    () => {
      connected = true;
    },
  );
  await eventually('a connection', () => connected);
  await eventually('its own signal', () => {
    if (heard.length === 0) signals.committed(payload);
    return heard.includes(payload);
  });
}

onEachDatabase(t, async (t, open) => {
  const database = await open();

  t.test('after a killed server, `since` delivers each message once', async (t) => {
    const ADMIN_EMAIL = 'first@example.com';
    const ADMIN_PASSWORD = 'a password that is long';
    const environment = {
      DATABASE_URL: database.url ?? (await emptyDirectory(t)),
      ADMIN_EMAIL,
      ADMIN_PASSWORD,
      RATE_LIMIT: '100000',
    };
    const { authorization } = basic(ADMIN_EMAIL, ADMIN_PASSWORD);
    const headers = { authorization };
    const first = await startServer(t, environment);
    const acknowledged: number[] = [];
    const start = await add(first.url, headers, 'killed');
    const before = follow(t, first.url, headers, { channelId: 'killed', since: start });
    const writers = Array.from({ length: 3 }, async () => {
      for (;;) acknowledged.push(await add(first.url, headers, 'killed'));
    });
    await eventually('a stream', () => before.ids.length > 20);
    first.kill('SIGKILL');
    await Promise.allSettled(writers);
    await first.ended;

    const had = [...before.ids];
    const second = await startServer(t, environment);
    const after = follow(t, second.url, headers, { channelId: 'killed', since: had.at(-1) as number });
    const last = await add(second.url, headers, 'killed');
    await eventually('the present', () => after.ids.at(-1) === last);
    const got = [...had, ...after.ids];
    t.strictSame(
      got,
      [...new Set(got)].sort((a, b) => a - b),
      'in order, nothing twice',
    );
    const missing = acknowledged.filter((id) => !got.includes(id));
    t.strictSame(missing, [], 'nothing that was acknowledged is missing');
    second.kill('SIGTERM');
    await second.ended;
  });

  if (database.url === undefined) return;

  for (const broker of ['PostgreSQL', 'Redis'] as const) {
    const skip = broker === 'Redis' && skipWithoutRedis;
    t.test(
      `two instances over ${broker} deliver each message once, in order, also after lost connections`,
      { skip },
      async (t) => {
        await database.client.user.deleteMany();
        const proxy = broker === 'Redis' ? await redisProxy(t) : undefined;
        const environment = proxy ? { REDIS_URL: `${proxy.url}?keyPrefix=${randomUUID()}` } : {};
        const { url: here, developer, viewer } = await startService(t, database, environment);
        const there = await instance(t, database, environment);
        const channelId = `between-${broker}`;
        const start = await add(here, developer.headers, channelId);
        const followers = [here, there, there].map((url) =>
          follow(t, url, viewer.headers, { channelId, since: start }),
        );
        const expected: number[] = [];
        const everywhere = (what: string) =>
          eventually(what, () => followers.every(({ ids }) => ids.length >= expected.length));

        /** Messages from either side come, and at some attempt without a look at the table for what signals have lost. */
        const bySignals = async (what: string) => {
          for (let attempts = 0; attempts < 20; attempts++) {
            const { statements } = await statementsMeanwhile(async () => {
              for (const url of [here, there]) expected.push(await add(url, developer.headers, channelId));
              await everywhere('a message from either side');
            });
            if (!statements.some((sql) => sql.includes('unnest('))) return t.pass(what);
          }
          return t.fail(what);
        };
        await bySignals('messages that signals have brought');
        for (let i = 0; i < 10; i++) expected.push(await add(i % 2 ? here : there, developer.headers, channelId));
        await everywhere('ten more');

        if (proxy) {
          await heardElsewhere(t, proxy.url, `1000000 ${channelId}`);
          await bySignals('what another installation signals by the same Redis takes nothing from them');
        }

        const deafen = () =>
          database.client.$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'accord signals' AND datname = current_database()`;
        if (proxy) proxy.cut(true);
        else await deafen();
        for (let i = 0; i < 5; i++) expected.push(await add(here, developer.headers, channelId));
        proxy?.cut(false);
        await everywhere('what was added while nothing was heard');
        await bySignals('signals that are heard again');
        for (const { ids } of followers) t.strictSame(ids, expected);
      },
    );
  }
});
