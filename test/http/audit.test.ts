import t from 'tap';
import { administration } from '../../src/services/administration.js';
import { onEachDatabase } from '../support/databases.js';
import { PASSWORD, startService } from '../support/service.js';

onEachDatabase(t, async (t, open) => {
  const { rest, graphql, admin, viewer, database } = await startService(t, await open());
  const { client } = database;
  const commands = administration({ client, algorithm: 'RS256', jwtSecret: undefined, keySecret: undefined });
  const read = commands['audit.read'];
  /** What an act has written down. */
  async function written(act: () => Promise<unknown>) {
    const [before] = await read({ limit: 1 });
    await act();
    return (await read({ limit: 100 })).filter(({ id }) => Number(id) > Number(before?.id));
  }
  const login = (email: string, password: string) => rest('POST', '/api/v1/auth/login', { body: { email, password } });
  const where = { address: '127.0.0.1', requestId: /^[0-9a-f-]{36}$/, time: /^\d{4}-.*Z$/ };
  const victim = async (name: string): Promise<number> => {
    const body = { name, email: `${name}@example.com`, role: 'viewer', password: PASSWORD };
    return (await rest('POST', '/api/v1/users', { as: admin, body })).body.id;
  };

  t.test('one row for each event, with actor, address and request', async (t) => {
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
      ['a deletion refused', () => rest('DELETE', path, { as: viewer }), []],
      [
        'a deletion',
        () => rest('DELETE', path, { as: admin }),
        [{ event: 'user.deleted', actor, subject: `user:${id}` }],
      ],
    ];
    for (const [what, act, expected] of cases) {
      const rows = await written(act);
      t.equal(rows.length, expected.length, what);
      t.match(
        rows,
        expected.map((one) => ({ ...one, ...where })),
        what,
      );
    }
    const other = await victim('mary');
    const rows = await written(() => graphql(admin, `mutation { deleteUser(id: ${other}) { success } }`));
    t.match(rows, [{ event: 'user.deleted', actor, subject: `user:${other}`, ...where }], 'the same by GraphQL');
  });

  t.test('the request id is that of the answer, and nothing that was typed is kept', async (t) => {
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

  t.test('what is not committed has not happened', async (t) => {
    const id = await victim('rear');
    await client.$executeRawUnsafe(`
      CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$`);
    await client.$executeRawUnsafe(`
      CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON audit_events DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.event = 'user.deleted') EXECUTE FUNCTION refuse_removal()`);
    const rows = await written(() => rest('DELETE', `/api/v1/users/${id}`, { as: admin }));
    t.same(rows, []);
    t.equal((await rest('GET', `/api/v1/users/${id}`, { as: admin })).status, 200, 'nor has the deletion');
    await client.$executeRawUnsafe('DROP TRIGGER refuse ON audit_events');
  });

  t.test('it is read by event, actor, subject and time, the newest last', async (t) => {
    const all = await read({ limit: 1000 });
    const ids = all.map(({ id }) => Number(id));
    t.same(
      ids,
      [...ids].sort((a, b) => a - b),
    );
    t.same(await read({ limit: 2 }), all.slice(-2));
    const only = (keep: (one: (typeof all)[number]) => boolean) => all.filter(keep);
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
      only((one) => one.subject === `user:${viewer.id}`),
    );
    const since = all.at(-3)?.time as string;
    t.same(
      await read({ limit: 1000, since }),
      only(({ time }) => time >= since),
    );
  });
});
