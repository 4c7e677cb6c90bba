import t from 'tap';
import { administration } from '../../../src/platform/parts/identity/keys/administration.js';
import { onEachDatabase } from '../../support/databases.js';
import { PASSWORD, type Person } from '../../support/people.js';
import { eventually } from '../../support/process.js';
import { startInstance, startService } from '../../support/service.js';
import { dialAs } from '../../support/socket.js';

onEachDatabase(t, async (t, open) => {
  const { rest, graphql, admin, developer, viewer, database } = await startService(t, await open());
  const { client, generation } = database;
  const commands = administration({ client, generation, algorithm: 'RS256', keySecrets: [], now: Date.now });
  const read = commands['audit.read'];
  /** What an act has written down; the row of a refusal comes after its answer. */
  async function written(act: () => Promise<unknown>, rows = 1) {
    const [before] = await read({ limit: 1 });
    await act();
    return eventually(`${rows} rows`, async () => {
      const found = (await read({ limit: 1000 })).filter(({ id }) => Number(id) > Number(before?.id ?? 0));
      return found.length >= rows ? found : undefined;
    });
  }
  const login = (email: string, password: string) => rest('POST', '/api/v1/auth/login', { body: { email, password } });
  const where = { address: '127.0.0.1', requestId: /^[0-9a-f-]{36}$/, time: /^\d{4}-.*Z$/ };
  const victim = async (name: string): Promise<number> => {
    const body = { name, email: `${name}@example.com`, role: 'viewer', password: PASSWORD };
    return (await rest('POST', '/api/v1/users', { as: admin, body })).body.id;
  };

  t.test('each event has one row with actor, address and request id', async (t) => {
    const { id: actor } = admin;
    const id = await victim('grace');
    const path = `/api/v1/users/${id}`;
    const patch = (body: object) => rest('PATCH', path, { as: admin, body });
    const cases: [string, () => Promise<unknown>, object[]][] = [
      ['login', () => login(viewer.email, PASSWORD), [{ event: 'login', actor: viewer.id, subject: /^session:/ }]],
      [
        'wrong password',
        () => login(viewer.email, 'a wrong one'),
        [{ event: 'login.failed', actor: null, subject: `user:${viewer.id}` }],
      ],
      [
        'unknown address',
        () => login('my password by mistake', PASSWORD),
        [{ event: 'login.failed', actor: null, subject: null }],
      ],
      ['another role', () => patch({ role: 'developer' }), [{ event: 'role.changed', actor, subject: `user:${id}` }]],
      ['the same role', () => patch({ role: 'developer' }), []],
      ['another name', () => patch({ name: 'Grace' }), []],
      [
        'another address',
        () => patch({ email: 'Grace@example.org' }),
        [{ event: 'email.changed', actor, subject: `user:${id}` }],
      ],
      ['the same address', () => patch({ email: 'Grace@example.org' }), []],
      ['the same, spelled otherwise', () => patch({ email: 'grace@example.org' }), [{ event: 'email.changed', actor }]],
      [
        'a deletion refused',
        () => rest('DELETE', path, { as: viewer }),
        [{ event: 'access.refused', actor: viewer.id, subject: null }],
      ],
      [
        'a deletion',
        () => rest('DELETE', path, { as: admin }),
        [{ event: 'user.deleted', actor, subject: `user:${id}` }],
      ],
    ];
    for (const [what, act, expected] of cases) {
      const rows = await written(act, expected.length);
      t.equal(rows.length, expected.length, what);
      t.match(
        rows,
        expected.map((event) => ({ ...event, ...where })),
        what,
      );
    }
    const other = await victim('mary');
    const rows = await written(() => graphql(admin, `mutation { deleteUser(id: ${other}) { success } }`));
    t.match(rows, [{ event: 'user.deleted', actor, subject: `user:${other}`, ...where }], 'the same by GraphQL');
    const input = '{ name: "N", email: "made@example.com", role: VIEWER }';
    const made = await written(() => graphql(admin, `mutation { createUser(input: ${input}) { id } }`));
    t.match(made, [{ event: 'user.created', actor, subject: /^user:\d+$/, ...where }]);
    const restMade = await written(() => victim('ruth'));
    t.match(restMade, [{ event: 'user.created', actor, subject: /^user:\d+$/, ...where }]);
    const again = { as: admin, headers: { 'idempotency-key': 'audited-once' } };
    const body = { name: 'Once', email: 'once@example.com', role: 'viewer' };
    const once = await written(async () => {
      for (let i = 0; i < 3; i++) t.equal((await rest('POST', '/api/v1/users', { ...again, body })).status, 201);
    });
    t.equal(once.length, 1, 'a request that is repeated under its key has created once');
  });

  t.test('refusals have one row a minute for each caller and kind', async (t) => {
    const clock = { time: Date.now() };
    const environment = { RATE_LIMIT: '12', RATE_LIMIT_ANONYMOUS: '1', TRUST_PROXY: '127.0.0.1', DEMO: 'on' };
    const instance = await startInstance(t, database, environment, { now: () => clock.time });
    const { url, app } = instance;
    const [one, other] = [viewer, developer];
    const create = 'mutation { createUser(input: { name: "N", email: "no@example.com", role: VIEWER }) { id } }';
    const remove = async (as: Person) => {
      for (let i = 0; i < 3; i++) {
        t.equal((await instance.rest('DELETE', `/api/v1/users/${admin.id}`, { as })).status, 403);
      }
      t.same((await instance.graphql(as, create)).codes, ['FORBIDDEN']);
    };
    const insist = async (from: string) => {
      for (let i = 0; i < 3; i++) {
        await fetch(`${url}/.well-known/jwks.json`, { headers: { 'x-forwarded-for': from } });
      }
    };
    const [before] = await read({ limit: 1 });

    await written(() => Promise.all([remove(one), remove(other)]), 2);
    await written(async () => {
      const answers = [];
      for (let i = 0; i < 15; i++) answers.push((await instance.rest('GET', '/api/v1/auth/me', { as: one })).status);
      t.ok(answers.filter((status) => status === 429).length > 2);
    });
    clock.time += 61_000;
    await written(async () => {
      for (let i = 0; i < 3; i++) t.same((await instance.graphql(one, create)).codes, ['FORBIDDEN']);
    });
    clock.time += 61_000;
    await written(async () => {
      const dialled = await dialAs(t, url, one);
      for (const id of ['1', '2']) {
        dialled.send({ type: 'subscribe', id, payload: { query: create } });
        await dialled.take((message) => message.id === id && message.type === 'next');
      }
    });
    // The beginning of a minute, all of which is the strangers'.
    clock.time += 120_000 - (clock.time % 60_000);
    await written(async () => {
      for (let i = 1; i <= 5; i++) await insist(`2001:db8:0:1::${i}`);
    });
    await written(async () => {
      for (let i = 1; i <= 120; i++) await insist(`203.0.113.${i}`);
    }, 99);

    // What is under way is written by then.
    await app.close();
    const rows = (await read({ limit: 1000 })).filter(({ id }) => Number(id) > Number(before?.id));
    const told = rows.map(({ event, actor, subject }) => `${event} ${actor} ${subject}`);
    t.same(told.slice(0, 2).sort(), [`access.refused ${one.id} null`, `access.refused ${other.id} null`].sort());
    t.same(told.slice(2, 6), [
      `limit.exceeded ${one.id} null`,
      `access.refused ${one.id} null`,
      `access.refused ${one.id} null`,
      'limit.exceeded null null',
    ]);
    t.match(rows[5], { address: '2001:db8:0:1::1' }, 'a stranger is a network');
    t.equal(told.slice(6).length, 99, 'and strangers have a hundred rows a minute, however many they are');
    t.same([...new Set(told.slice(6))], ['limit.exceeded null null']);
  });

  t.test('rows have the request id of the answer, and no input of the caller', async (t) => {
    const answer = await login('typed@example.com', 'typed as a password');
    const rows = await read({ limit: 1 });
    t.equal(rows[0]?.requestId, answer.headers.get('x-request-id'));
    t.notMatch(JSON.stringify(await client.auditEvent.findMany({ select: { subject: true } })), /typed|mistake/);
  });

  t.test('the table is append-only', async (t) => {
    const count = await client.auditEvent.count();
    for (const sql of ['UPDATE audit_events SET event = NULL', 'DELETE FROM audit_events', 'TRUNCATE audit_events']) {
      await t.rejects(client.$executeRawUnsafe(sql), /append-only/, sql);
    }
    t.equal(await client.auditEvent.count(), count);
  });

  t.test('uncommitted events are not stored', async (t) => {
    const id = await victim('rear');
    await client.$executeRawUnsafe(`
      CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$`);
    await client.$executeRawUnsafe(`
      CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON audit_events DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.event = 'user.deleted') EXECUTE FUNCTION refuse_removal()`);
    const rows = await written(() => rest('DELETE', `/api/v1/users/${id}`, { as: admin }), 0);
    t.same(rows, []);
    t.equal((await rest('GET', `/api/v1/users/${id}`, { as: admin })).status, 200, 'nor has the deletion');
    await client.$executeRawUnsafe('DROP TRIGGER refuse ON audit_events');
  });

  t.test('the audit is filtered by event, actor, subject and time, newest last', async (t) => {
    const all = await read({ limit: 1000 });
    const ids = all.map(({ id }) => Number(id));
    t.same(
      ids,
      [...ids].sort((a, b) => a - b),
    );
    t.same(await read({ limit: 2 }), all.slice(-2));
    const only = (keep: (event: (typeof all)[number]) => boolean) => all.filter(keep);
    t.same(
      await read({ limit: 1000, event: 'login' }),
      only(({ event }) => event === 'login'),
    );
    t.same(
      await read({ limit: 1000, actor: admin.id }),
      only(({ actor }) => actor === admin.id),
    );
    t.same(
      await read({ limit: 1000, subject: `user:${viewer.id}` }),
      only((event) => event.subject === `user:${viewer.id}`),
    );
    const since = all.at(-3)?.time as string;
    t.same(
      await read({ limit: 1000, since }),
      only(({ time }) => time >= since),
    );
  });
});
