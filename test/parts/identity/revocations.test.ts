import { decodeJwt, SignJWT } from 'jose';
import { Client } from 'pg';
import t from 'tap';
import { openDatabase } from '../../../src/platform/database/open.js';
import { removeExpired } from '../../../src/platform/parts/identity/expiry.js';
import { sessionEnds } from '../../../src/platform/parts/identity/sessions/session-ends.js';
import { slowClock } from '../../support/clock.js';
import { onEachDatabase } from '../../support/databases.js';
import { PASSWORD, type Person } from '../../support/people.js';
import { basic, eventually } from '../../support/process.js';
import { codeOf, type Instance, startInstance, startService } from '../../support/service.js';
import { statementsOf } from '../../support/statements.js';

const USERS = '/api/v1/users';
const ME = '/api/v1/auth/me';

onEachDatabase(t, async (t, open) => {
  let offset = 0;
  const time = slowClock();
  const now = () => time() + offset;
  const database = await open();
  const first = await startService(t, database, {}, now);
  const { admin } = first;
  const { revoke } = sessionEnds(first.app.core.names.signals, now);

  /** Starts another instance on the same data. The embedded database allows it in this process only. */
  async function another(clock = now): Promise<Instance> {
    const connection = database.url === undefined ? database : await openDatabase(database.url);
    if (connection !== database) t.teardown(connection.close);
    return startInstance(t, connection, {}, { now: clock });
  }
  const second = await another();
  let made = 0;

  async function logIn(email: string): Promise<Record<string, string>> {
    const { body } = await first.rest('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
    return { authorization: `Bearer ${body.access_token}` };
  }

  async function person(role = 'developer'): Promise<Person> {
    made += 1;
    const fields = { name: 'N', email: `person${made}@example.com`, role, password: PASSWORD };
    const { body } = await first.rest('POST', USERS, { as: admin, body: fields });
    return { id: body.id, email: fields.email, headers: await logIn(fields.email) };
  }

  const meets = async (instance: Instance, headers: Record<string, string>) => {
    const answer = await instance.rest('GET', ME, { headers });
    const { codes } = await instance.graphql({ headers } as Person, '{ me { id } }');
    return [answer.status, ...codes];
  };
  const REFUSED = [401, 'UNAUTHENTICATED'];
  /** Waits until the instance has received the signal. */
  const hears = (instance: Instance, headers: Record<string, string>) =>
    eventually('a refusal', async () => (await instance.rest('GET', ME, { headers })).status === 401);

  t.test('tokens of a deleted user are refused on every instance, and after a restart', async (t) => {
    const { id, headers } = await person();
    for (const instance of [first, second]) t.same(await meets(instance, headers), [200], 'and remembered from now on');
    t.equal((await first.rest('DELETE', `${USERS}/${id}`, { as: admin })).status, 204);
    for (const instance of [second, first]) await hears(instance, headers);
    for (const instance of [second, first]) t.same(await meets(instance, headers), REFUSED);
    const third = await another();
    t.same(await meets(third, headers), REFUSED, 'an instance that starts later has read it');
  });

  t.test('a new role revokes tokens with the old role, and a new login has the new role', async (t) => {
    const { id, email, headers } = await person('admin');
    const change = { as: admin, body: { role: 'viewer' } };
    t.same(await meets(second, headers), [200]);
    t.equal((await first.rest('PATCH', `${USERS}/${id}`, change)).status, 200);
    await hears(second, headers);
    const fresh = await logIn(email);
    for (const instance of [first, second]) t.same(await meets(instance, fresh), [200], 'also in the same second');
    t.same(codeOf(await second.rest('DELETE', `${USERS}/${admin.id}`, { headers: fresh })), [403, 'FORBIDDEN']);
    t.equal((await first.rest('PATCH', `${USERS}/${id}`, { as: admin, body: { name: 'Other' } })).status, 200);
    t.same(await meets(second, fresh), [200], 'a change of the name ends nothing');
  });

  t.test('a change follows the change of an instance whose clock is fast', async (t) => {
    const fast = await another(() => now() + 5000);
    const { id, email, headers } = await person();
    const become = (instance: Instance, role: string) =>
      instance.rest('PATCH', `${USERS}/${id}`, { as: admin, body: { role } });
    t.equal((await become(fast, 'admin')).status, 200);
    for (const instance of [first, second]) await hears(instance, headers);
    t.equal((await become(first, 'viewer')).status, 200);
    offset += 10_000;
    const fresh = await logIn(email);
    for (const instance of [first, second]) t.same(await meets(instance, fresh), [200], 'the last role is known');
  });

  t.test('an instance whose clock is behind revokes tokens of one whose clock is ahead', async (t) => {
    const [ahead, behind] = [await another(() => now() + 2000), await another(() => now() - 2000)];
    const { id, email } = await person();
    const { body } = await ahead.rest('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
    const headers = { authorization: `Bearer ${body.access_token}` };
    t.same(await meets(behind, headers), [200]);
    const change = { as: admin, body: { new_password: `${PASSWORD} of now` } };
    t.equal((await behind.rest('PUT', `${USERS}/${id}/password`, change)).status, 204);
    for (const instance of [ahead, behind]) await hears(instance, headers);
  });

  t.test('the order of a token and a revocation in one millisecond is known', async (t) => {
    const still = Date.now();
    const [one, other] = [await another(() => still), await another(() => still)];
    const { id, email } = await person();
    const login = async () => {
      const { body } = await one.rest('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
      return { authorization: `Bearer ${body.access_token}` };
    };
    for (let round = 0; round < 3; round++) {
      const before = await login();
      await database.client.$transaction((db) => revoke(db, id));
      const after = await login();
      for (const instance of [one, other]) {
        await hears(instance, before);
        t.same(await meets(instance, after), [200]);
      }
    }
  });

  t.test('a signal that arrives after a later one restores no token', async (t) => {
    const [early, last] = [await person(), await person()];
    await first.rest('PATCH', `${USERS}/${early.id}`, { as: admin, body: { role: 'viewer' } });
    await hears(second, early.headers);
    for (const late of [`${early.id} ${now()} DEVELOPER 1`, `${early.id} ${now() - 60_000} DEVELOPER`])
      await database.client.$executeRaw`SELECT pg_notify('accord_revocations', ${late})`;
    await first.rest('DELETE', `${USERS}/${last.id}`, { as: admin });
    await hears(second, last.headers);
    t.same(await meets(second, early.headers), REFUSED);
  });

  t.test('a change that is rolled back revokes nothing', async (t) => {
    const { id, headers } = await person();
    const undone = database.client.$transaction(async (db) => {
      await revoke(db, id);
      throw new Error('undone');
    });
    await t.rejects(undone, { message: 'undone' });
    const { id: other, headers: theirs } = await person();
    await database.client.$transaction((db) => revoke(db, other));
    await hears(second, theirs);
    t.same(await meets(second, headers), [200], 'though what was committed later has been heard');
  });

  t.test('the verification of a token sends no query', async (t) => {
    const { headers } = await person();
    t.equal((await second.rest('GET', `${USERS}/0`, { headers })).status, 400);
    // Caches the password, because its first verification costs more.
    const byPassword = { ...admin, headers: basic(admin.email, PASSWORD) };
    await second.graphql(byPassword, '{ __typename }');
    const byToken = await statementsOf(() => second.graphql({ headers } as Person, '{ __typename }'));
    t.same([byToken.result.codes, byToken.statements], [[], []]);
    const { statements } = await statementsOf(() => second.graphql(byPassword, '{ __typename }'));
    t.equal(statements.length, 1);
    t.match(statements[0], /FROM "public"\."users" .*"email_key"/, 'as Basic asks it');
  });

  t.test('a mark is kept for the lifetime of a token', async (t) => {
    const marked = await person();
    await first.rest('PATCH', `${USERS}/${marked.id}`, { as: admin, body: { role: 'viewer' } });
    await hears(first, marked.headers);
    t.ok(await database.client.revocation.findUnique({ where: { userId: marked.id } }));
    offset = 17 * 60_000;
    await removeExpired(database.client, now());
    t.equal(await database.client.revocation.findUnique({ where: { userId: marked.id } }), null);
    offset = 0;
  });
});

onEachDatabase(t, async (t, open) => {
  const JWT_SECRET = 'a secret of at least thirty-two bytes';
  const database = await open();
  const { rest, developer, viewer, admin } = await startService(t, database, { JWT_ALGORITHM: 'HS256', JWT_SECRET });
  const me = async (headers: Record<string, string>) => (await rest('GET', ME, { headers })).status;
  const logIn = async ({ email }: Person) => {
    const { body } = await rest('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
    return { authorization: `Bearer ${body.access_token}` };
  };
  /** Returns the token as the release before issued it. */
  async function ofReleaseBefore({ authorization }: Record<string, string>): Promise<Record<string, string>> {
    const claims = decodeJwt(authorization?.slice('Bearer '.length) as string);
    const [session, unique] = String(claims.jti).split(':');
    const token = new SignJWT({ ...claims, jti: `${session}:${unique}` }).setProtectedHeader({
      alg: 'HS256',
      typ: 'JWT',
    });
    return { authorization: `Bearer ${await token.sign(new TextEncoder().encode(JWT_SECRET))}` };
  }
  const refused = (headers: Record<string, string>) => eventually('a refusal', async () => (await me(headers)) === 401);

  t.test('a token of the release before is refused if it was issued before a change', async (t) => {
    const token = await ofReleaseBefore(await logIn(developer));
    t.equal(await me(token), 200);
    const change = { as: admin, body: { role: 'viewer' } };
    t.equal((await rest('PATCH', `${USERS}/${developer.id}`, change)).status, 200);
    await refused(token);
    t.equal(await me(await ofReleaseBefore(await logIn(developer))), 200);
  });

  t.test('a revocation by an instance of the release before refuses tokens with a lower version', async (t) => {
    const { client } = database;
    for (const round of [1, 2]) {
      const before = await logIn(viewer);
      const at = new Date();
      await client.$transaction(async (db) => {
        await db.$executeRaw`
          INSERT INTO revocations (user_id, revoked_at, role) VALUES (${viewer.id}, ${at}::timestamptz, 'VIEWER')
          ON CONFLICT (user_id) DO UPDATE SET revoked_at = EXCLUDED.revoked_at, role = EXCLUDED.role`;
        await db.$executeRaw`SELECT pg_notify('accord_revocations', ${`${viewer.id} ${at.getTime()} VIEWER`})`;
      });
      const after = await logIn(viewer);
      await refused(before);
      t.equal(await me(after), 200, `${round}`);
    }
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('an instance reads missed marks when it reconnects', async (t) => {
    const database = await open();
    if (database.url === undefined) return t.comment('the embedded database has no connection to lose');
    const service = await startService(t, database);
    const { developer, admin, rest } = service;
    t.equal((await rest('GET', ME, { as: developer })).status, 200);
    // Writes a mark without a signal.
    const data = { userId: developer.id, revokedAt: new Date(), role: null };
    await database.client.revocation.create({ data });
    t.equal((await rest('GET', ME, { as: developer })).status, 200, 'nothing was heard');
    await database.client.$executeRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'accord signals' AND datname = current_database()`;
    await eventually('a refusal', async () => (await rest('GET', ME, { as: developer })).status === 401);
    t.equal((await rest('GET', ME, { as: admin })).status, 200);
  });

  t.test('a revoked token stays refused while the marks of another server are read', async (t) => {
    const database = await open();
    if (database.url === undefined) return t.comment('the embedded database is not replaced');
    const { developer, admin, rest } = await startService(t, database);
    const status = async () => (await rest('GET', ME, { as: developer })).status;
    t.equal((await rest('DELETE', `${USERS}/${developer.id}`, { as: admin })).status, 204);
    await eventually('a refusal', async () => (await status()) === 401);
    const locking = new Client({ connectionString: database.url });
    await locking.connect();
    t.teardown(() => locking.end());
    await locking.query('BEGIN; LOCK TABLE revocations IN ACCESS EXCLUSIVE MODE');
    const { rows } = await locking.query('SELECT generation, counter::float8 AS counter FROM database_state');
    const state = { ...rows[0], isOriginal: true, server: 'another' };
    await database.generation.checkServer((text, values) => locking.query(text, values), state, 'another');
    t.equal(await status(), 401);
    await locking.query('ROLLBACK');
    t.equal(await status(), 401);
  });
});
