import t, { type Test } from 'tap';
import { openDatabase } from '../../src/database/open.js';
import { type Opened, onEachDatabase } from '../support/databases.js';
import { eventually } from '../support/process.js';
import { codeOf, PASSWORD, type Service, startInstance, startService } from '../support/service.js';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.js';

/** Milliseconds within which a request is refused when the database does not answer, and served again when it does. */
const PATIENCE = 5000;

interface Damaged {
  service: Service;
  /** The same service again, by a line to the database that can be damaged. */
  url: string;
  line: TcpProxy;
  log: string[];
}

async function behindLine(t: Test, direct: Opened, options: { poolSize?: number } = {}): Promise<Damaged> {
  const service = await startService(t, direct);
  const address = new URL(direct.url as string);
  const line = await tcpProxy(t, { host: address.hostname, port: Number(address.port || 5432) });
  address.hostname = '127.0.0.1';
  address.port = String(line.port);
  const database = Object.assign(await openDatabase(address.href, options), { url: undefined });
  t.teardown(async () => {
    line.set('sound');
    await database.close().catch(() => {});
  });
  const { url, log } = await startInstance(t, database);
  return { service, url, line, log };
}

/** Locks a user's row until it is released, as another program might. */
async function hold({ client }: Opened, id: number): Promise<{ release: () => void; over: Promise<void> }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let over = Promise.resolve();
  await new Promise<void>((locked) => {
    over = client.$transaction(
      async (db) => {
        await db.$executeRaw`SELECT 1 FROM users WHERE id = ${id} FOR UPDATE`;
        locked();
        await released;
      },
      { timeout: 20_000 },
    );
  });
  return { release, over };
}

onEachDatabase(t, async (t, open) => {
  const direct = await open();
  if (!direct.url) return void t.comment('the embedded database has no line to be damaged');
  const { service, url, line, log } = await behindLine(t, direct, { poolSize: 4 });
  const { admin, viewer } = service;
  const crashes: unknown[] = [];
  const note = (error: unknown) => void crashes.push(error);
  process.on('unhandledRejection', note);
  t.teardown(() => process.off('unhandledRejection', note));

  const asks = {
    read: () => fetch(`${url}/api/v1/users/${viewer.id}`, { headers: viewer.headers }),
    write: () =>
      fetch(`${url}/api/v1/users/${viewer.id}`, {
        method: 'PATCH',
        headers: { ...admin.headers, 'content-type': 'application/json' },
        body: '{"name":"Changed"}',
      }),
    login: () =>
      fetch(`${url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: viewer.email, password: PASSWORD }),
      }),
    ready: () => fetch(`${url}/readyz`),
  };

  const timed = async (ask: () => Promise<Response>) => {
    const began = performance.now();
    const answer = await ask();
    const body = (await answer.json()) as { code?: string };
    const took = performance.now() - began;
    return { status: answer.status, code: body.code, retryAfter: answer.headers.get('retry-after'), took };
  };

  async function refused(t: Test): Promise<void> {
    await Promise.all(
      Object.entries(asks).map(async ([name, ask]) => {
        const { status, code, retryAfter, took } = await timed(ask);
        t.same([status, code], [503, name === 'ready' ? undefined : 'UNAVAILABLE'], name);
        t.match(retryAfter, /^[1-9]\d*$/);
        t.ok(took <= PATIENCE, `${name} within ${Math.round(took)} ms`);
      }),
    );
    t.equal((await fetch(`${url}/livez`)).status, 200, 'alive');
  }

  async function healed(t: Test): Promise<void> {
    line.set('sound');
    const began = performance.now();
    for (const ask of Object.values(asks)) {
      await eventually('a good answer', async () => ((await timed(ask)).status === 200 ? true : undefined));
    }
    const took = performance.now() - began;
    t.ok(took <= PATIENCE, `well again within ${Math.round(took)} ms`);
  }

  const faults: [string, () => void][] = [
    ['refuses connections', () => line.set('refused')],
    ['is a black hole', () => line.set('black hole')],
    ['takes six seconds', () => line.set({ latency: 6000 })],
  ];
  for (const [name, damage] of faults) {
    t.test(
      `a database that ${name}: 503 in good time, alive, and well within ${PATIENCE} ms of its return`,
      async (t) => {
        for (const ask of Object.values(asks)) t.equal((await timed(ask)).status, 200, 'before');
        damage();
        await refused(t);
        await healed(t);
      },
    );
  }

  t.test('connections that were reset are replaced', async (t) => {
    line.cut();
    await healed(t);
    await direct.client
      .$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'accord' AND datname = current_database() AND pid <> pg_backend_pid()`.catch(
      () => {},
    );
    await healed(t);
  });

  t.test('a pool that is used up: 503 for those who wait too long, and the rest is served', async (t) => {
    const { release, over } = await hold(direct, viewer.id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => timed(asks.write)));
    release();
    await over;
    for (const { status, code, took } of answers) {
      t.same([status, code], [503, 'UNAVAILABLE']);
      t.ok(took <= PATIENCE + 500, `${Math.round(took)} ms`);
    }
    await healed(t);
  });

  t.test('nothing of this was left unhandled, and nothing was told that only the log should know', async (t) => {
    t.same(crashes, []);
    t.notOk(log.some((text) => text.includes('"level":60')));
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('a handler that takes too long: 503', async (t) => {
    const database = await open();
    // Within its limit the handler of a login still ends on a busy machine.
    const timeouts = { headers: 1000, request: 2000, handler: 1000 };
    const { rest, graphql, admin, viewer } = await startService(t, database, {}, Date.now, { timeouts });
    const { release, over } = await hold(database, viewer.id);
    const answer = await rest('PATCH', `/api/v1/users/${viewer.id}`, { as: admin, body: { name: 'Late' } });
    t.same(codeOf(answer), [503, 'UNAVAILABLE']);
    t.match(answer.headers.get('retry-after'), /^[1-9]\d*$/);
    const late = await graphql(admin, `mutation { updateUser(id: "${viewer.id}", name: "Late") { id } }`);
    t.same(late.codes, ['UNAVAILABLE']);
    release();
    await over;
    t.equal((await rest('GET', `/api/v1/users/${viewer.id}`, { as: admin })).status, 200);
  });
});
