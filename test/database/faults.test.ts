import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { TIMEOUTS_MS } from '../../src/platform/server/http-server.js';
import { onEachDatabase } from '../support/databases.js';
import { exampleApp } from '../support/example.js';
import { behindLine } from '../support/line.js';
import { holdUser } from '../support/locks.js';
import { PASSWORD } from '../support/people.js';
import { eventually } from '../support/process.js';
import { codeOf, startInstance, startService } from '../support/service.js';
import { uncommitted } from '../support/uncommitted.js';

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

  const told = async (ask: () => Promise<Response>) => {
    const answer = await ask();
    const body = (await answer.json()) as { code?: string };
    return { status: answer.status, code: body.code, retryAfter: answer.headers.get('retry-after') };
  };

  async function refused(t: Test): Promise<void> {
    await Promise.all(
      Object.entries(asks).map(async ([name, ask]) => {
        const { status, code, retryAfter } = await told(ask);
        t.same([status, code], [503, name === 'ready' ? undefined : 'UNAVAILABLE'], name);
        t.match(retryAfter, /^[1-9]\d*$/);
      }),
    );
    t.equal((await fetch(`${url}/livez`)).status, 200, 'alive');
  }

  async function healed(t: Test): Promise<void> {
    line.set('sound');
    for (const [name, ask] of Object.entries(asks)) {
      await eventually(`a good answer to ${name}`, async () => (await told(ask)).status === 200);
    }
    t.pass('well again, without a restart');
  }

  // What would be answered late, or never, is refused: by the limits of the database, and not of the one who asks.
  const faults: [string, () => void][] = [
    ['refuses connections', () => line.set('refused')],
    ['is a black hole', () => line.set('black hole')],
    ['takes a minute', () => line.set({ latency: 60_000 })],
  ];
  for (const [name, damage] of faults) {
    t.test(`a database that ${name} means 503 until it recovers`, async (t) => {
      for (const ask of Object.values(asks)) t.equal((await told(ask)).status, 200, 'before');
      damage();
      await refused(t);
      await healed(t);
    });
  }

  t.test('reset connections are replaced', async (t) => {
    line.cut();
    await healed(t);
    await direct.client
      .$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'accord' AND datname = current_database() AND pid <> pg_backend_pid()`.catch(
      () => {},
    );
    await healed(t);
  });

  t.test('an exhausted pool means 503 for late requests only', async (t) => {
    const { release, over } = await holdUser(direct, viewer.id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => told(asks.write)));
    release();
    await over;
    for (const { status, code } of answers) t.same([status, code], [503, 'UNAVAILABLE']);
    await healed(t);
  });

  t.test('no rejection is unhandled, and no answer has internal details', async (t) => {
    t.same(crashes, []);
    t.notOk(log.some((text) => text.includes('"level":60')));
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('a slow handler is 503', async (t) => {
    const database = await open();
    // The people log in where a handler may take its time.
    const { rest, admin, viewer } = await startService(t, database);
    const hasty = await startInstance(t, database, {}, { timeouts: { ...TIMEOUTS_MS, handler: 500 } });
    const { release, over } = await holdUser(database, viewer.id);
    const answer = await hasty.rest('PATCH', `/api/v1/users/${viewer.id}`, { as: admin, body: { name: 'Late' } });
    t.same(codeOf(answer), [503, 'UNAVAILABLE']);
    t.match(answer.headers.get('retry-after'), /^[1-9]\d*$/);
    const late = await hasty.graphql(admin, `mutation { updateUser(id: "${viewer.id}", name: "Late") { id } }`);
    t.same(late.codes, ['UNAVAILABLE']);
    release();
    await over;
    t.equal((await rest('GET', `/api/v1/users/${viewer.id}`, { as: admin })).status, 200);
  });

  t.test('a handler that ends during its refusal is answered once', async (t) => {
    const database = await open();
    const { admin, viewer } = await startService(t, database);
    const app = await exampleApp({}, { database, logger: false, timeouts: { ...TIMEOUTS_MS, handler: 500 } });
    t.teardown(() => app.close());
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    t.teardown(() => process.off('unhandledRejection', note));
    const deletion = await uncommitted(database.client, (db) => db.user.delete({ where: { id: viewer.id } }));
    const sent: number[] = [];
    // As a slow Redis does, which is asked where the caller stands.
    app.addHook('onSend', async (_request, reply) => {
      sent.push(reply.statusCode);
      deletion.commit();
      await deletion.over;
      await delay(200);
    });
    const answer = await app.inject({
      method: 'PATCH',
      url: `/api/v1/users/${viewer.id}`,
      headers: { ...admin.headers, 'content-type': 'application/json' },
      payload: { name: 'Late' },
    });
    await delay(200);
    t.same([answer.statusCode, sent, unhandled], [503, [503], []]);
  });
});
