import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import t from 'tap';
import { removeExpired } from '../../../src/platform/parts/identity/expiry.js';
import { slowClock } from '../../support/clock.js';
import { onEachDatabase } from '../../support/databases.js';
import { PASSWORD } from '../../support/people.js';
import { basic } from '../../support/process.js';
import { codeOf, startInstance, startService } from '../../support/service.js';

const AUTH = '/api/v1/auth';
const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

onEachDatabase(t, async (t, open) => {
  let offset = 0;
  const time = slowClock();
  const now = () => time() + offset;
  const { rest, graphql, admin, viewer, developer, database } = await startService(t, await open(), {}, now);
  const { email } = viewer;
  const login = async (more: object = {}, who = email) =>
    (await rest('POST', `${AUTH}/login`, { body: { email: who, password: PASSWORD, ...more } })).body;
  const refresh = (token: string) => rest('POST', `${AUTH}/refresh`, { body: { refresh_token: token } });
  const me = (headers: Record<string, string>) => rest('GET', `${AUTH}/me`, { headers });
  const isLive = async (token: string) => (await refresh(token)).status === 200;
  t.beforeEach(() => {
    offset = 0;
  });

  t.test('T06: both transports accept an opaque token until its logout', async (t) => {
    const { token, expires_in } = await login({ flow: 'opaque' });
    t.match(token, /^aco_[\w-]{43}$/);
    t.equal(expires_in, 30 * 24 * 60 * 60);
    const headers = bearer(token);
    t.equal((await me(headers)).body.id, viewer.id);
    t.same((await graphql({ ...viewer, headers }, '{ me { id } }')).data, { me: { id: String(viewer.id) } });
    t.equal((await rest('POST', `${AUTH}/logout`, { headers })).status, 204);
    t.same(codeOf(await me(headers)), [401, 'UNAUTHENTICATED'], 'on the very next request');
    t.same((await graphql({ ...viewer, headers }, '{ me { id } }')).codes, ['UNAUTHENTICATED']);
    t.equal((await rest('POST', `${AUTH}/logout`, { headers })).status, 204, 'also when it was gone already');
    const authorization = `bearer ${(await login({ flow: 'opaque' })).token}`;
    t.equal((await rest('POST', `${AUTH}/logout`, { headers: { authorization } })).status, 204, 'a scheme in any case');
    t.same(codeOf(await me({ authorization })), [401, 'UNAUTHENTICATED']);
  });

  t.test('an opaque token has the current role of its user, and expires', async (t) => {
    const { token } = await login({ flow: 'opaque' }, developer.email);
    const patch = (role: string) => rest('PATCH', `/api/v1/users/${developer.id}`, { as: admin, body: { role } });
    const create = () => rest('POST', '/api/v1/users', { headers: bearer(token), body: {} });
    const body = { name: 'New', email: 'new@example.com', role: 'viewer' };
    const asRole = () => rest('POST', '/api/v1/users', { headers: bearer(token), body });
    t.same(codeOf(await create()), [400, 'BAD_REQUEST']);
    t.same(codeOf(await asRole()), [403, 'FORBIDDEN']);
    await patch('admin');
    t.equal((await asRole()).status, 201);
    await patch('developer');
    t.same(codeOf(await asRole()), [403, 'FORBIDDEN']);
    offset = 30 * DAY - 10 * SECOND;
    t.equal((await me(bearer(token))).status, 200);
    offset = 30 * DAY + SECOND;
    t.same(codeOf(await me(bearer(token))), [401, 'UNAUTHENTICATED']);
  });

  t.test('J11: no kind of token is accepted as another', async (t) => {
    const { access_token, refresh_token } = await login();
    const { token } = await login({ flow: 'opaque' });
    t.same(codeOf(await me(bearer(refresh_token))), [401, 'UNAUTHENTICATED'], 'refresh as access');
    for (const other of [access_token, token, '', 'acr_short', `acr_${'x'.repeat(43)}`, 'x\u0000'])
      t.same(codeOf(await refresh(other)), [401, 'UNAUTHENTICATED'], other.slice(0, 8));
    t.same(codeOf(await rest('POST', `${AUTH}/refresh`)), [400, 'BAD_REQUEST']);
    t.same(codeOf(await rest('POST', `${AUTH}/refresh`, { body: {} })), [400, 'BAD_REQUEST']);
    t.same(codeOf(await rest('POST', `${AUTH}/refresh`, { body: { refresh_token: 7 } })), [400, 'BAD_REQUEST']);
    const literal = { headers: { 'content-type': 'application/json' }, body: 'null' };
    t.same(codeOf(await rest('POST', `${AUTH}/refresh`, literal)), [400, 'BAD_REQUEST']);
    t.ok(await isLive(refresh_token), 'nothing of this has used it');
  });

  t.test('J19, T01: the second use of a refresh token ends the session', async (t) => {
    const first = await login();
    const answer = await refresh(first.refresh_token);
    t.match(answer.body, { token_type: 'Bearer', expires_in: 900 });
    t.equal(answer.headers.get('cache-control'), 'no-store');
    const { sub, iat = 0, exp = 0, jti = '' } = decodeJwt(answer.body.access_token);
    t.same([sub, exp - iat], [String(viewer.id), 900]);
    t.equal(jti.split(':')[0], decodeJwt(first.access_token).jti?.split(':')[0], 'of the same session');
    t.equal((await me(bearer(answer.body.access_token))).status, 200);
    offset = 11 * SECOND;
    const again = await refresh(first.refresh_token);
    t.same(codeOf(again), [401, 'UNAUTHENTICATED']);
    t.match(again.headers.get('www-authenticate'), 'error="invalid_token"');
    t.notOk(await isLive(answer.body.refresh_token), 'and its successor is dead');
    t.equal((await me(bearer(answer.body.access_token))).status, 200, 'access tokens live out their time');
  });

  t.test('T02: fifty simultaneous refreshes return at most five tokens of one session', async (t) => {
    const { refresh_token } = await login();
    const instances = [rest];
    for (let n = 2; n <= 3; n += 1) instances.push((await startInstance(t, database, {}, { now })).rest);
    // Slows each exchange down, so that exchanges of both instances overlap.
    await database.client.$executeRawUnsafe(`
      CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END'`);
    await database.client.$executeRawUnsafe(`
      CREATE TRIGGER linger BEFORE INSERT ON refresh_tokens FOR EACH ROW EXECUTE FUNCTION linger()`);
    const answers = await Promise.all(
      Array.from({ length: 51 }, (_, i) => {
        const ask = instances[i % 3] as typeof rest;
        return ask('POST', `${AUTH}/refresh`, { body: { refresh_token } });
      }),
    );
    await database.client.$executeRawUnsafe('DROP TRIGGER linger ON refresh_tokens');
    const won = answers.filter(({ status }) => status === 200);
    t.equal(won.length, 5, 'on three instances');
    t.same(new Set(answers.map(({ status }) => status)), new Set([200, 401]));
    t.equal(new Set(won.map(({ body }) => decodeJwt(body.access_token).jti?.split(':')[0])).size, 1);
    const live = [];
    for (const { body } of won) live.push(await isLive(body.refresh_token));
    t.same(live, [true, false, false, false, false], 'each of them was good, until the first one went on');
  });

  t.test('T03: only the immediate parent has a grace period', async (t) => {
    const [r1] = [(await login()).refresh_token];
    const r2 = (await refresh(r1)).body.refresh_token;
    const sibling = (await refresh(r1)).body.refresh_token;
    t.type(sibling, 'string', 'a lost answer is made good');
    const r3 = (await refresh(r2)).body.refresh_token;
    t.same(codeOf(await refresh(r1)), [401, 'UNAUTHENTICATED'], 'but not once a child has been used');
    t.notOk(await isLive(r3));
    t.notOk(await isLive(sibling));
  });

  t.test('T03: only one line of refresh tokens stays valid', async (t) => {
    const next = async (token: string): Promise<string> => (await refresh(token)).body.refresh_token;
    const family = async () => {
      const { refresh_token, access_token } = await login();
      const subject = `session:${decodeJwt(access_token).jti?.split(':')[0]}`;
      const reported = () => database.client.auditEvent.count({ where: { event: 'refresh.reused', subject } });
      return { r1: refresh_token as string, reported };
    };
    const REFUSED = [401, 'UNAUTHENTICATED'];

    const tabs = await family();
    const [one, other] = [await next(tabs.r1), await next(tabs.r1)];
    const onwards = await next(one);
    t.match(onwards, /^acr_/, 'the one that goes on first');
    t.equal(await tabs.reported(), 0);
    t.same(codeOf(await refresh(other)), REFUSED, 'the other one was ended by it');
    t.equal(await tabs.reported(), 1);
    t.same(codeOf(await refresh(onwards)), REFUSED, 'and its use ends the family');

    const lost = await family();
    const [unheard, heard] = [await next(lost.r1), await next(lost.r1)];
    let current = await next(heard);
    for (const later of [20 * SECOND, DAY]) {
      offset = later;
      current = await next(current);
      t.match(current, /^acr_/, 'a lost answer costs no login');
    }
    t.equal(await lost.reported(), 0);
    t.same(codeOf(await refresh(unheard)), REFUSED, 'what was lost is found by somebody else, however late');
    t.equal(await lost.reported(), 1);
    t.same(codeOf(await refresh(current)), REFUSED);
    offset = 0;

    const again = await family();
    const [, second] = [await next(again.r1), await next(again.r1)];
    const [, good] = [await next(second), await next(second)];
    t.match(await next(good), /^acr_/, 'also where two answers in a row were lost');

    const there = await startInstance(t, database, {}, { now });
    for (let round = 0; round < 10; round++) {
      const { r1, reported } = await family();
      const children = [await next(r1), await next(r1)];
      const answers = await Promise.all(
        [rest, there.rest].map((ask, i) => ask('POST', `${AUTH}/refresh`, { body: { refresh_token: children[i] } })),
      );
      const [winner, ...more] = answers.filter(({ status }) => status === 200);
      t.same([winner?.status, more], [200, []], 'of two at once one goes on');
      t.equal(await reported(), 1, 'and the other one was a second use');
      t.notOk(await isLive(winner?.body.refresh_token));
    }
  });

  t.test('T07, T08: a session ends 30 days after its login, also if it is refreshed', async (t) => {
    const untouched = (await login()).refresh_token;
    let rotated = (await login()).refresh_token;
    for (let day = 1; day < 30; day++) {
      offset = day * DAY;
      rotated = (await refresh(rotated)).body.refresh_token;
    }
    offset = 30 * DAY - 10 * SECOND;
    rotated = (await refresh(rotated)).body.refresh_token;
    t.type(rotated, 'string');
    offset = 30 * DAY + SECOND;
    t.same(codeOf(await refresh(rotated)), [401, 'UNAUTHENTICATED']);
    t.same(codeOf(await refresh(untouched)), [401, 'UNAUTHENTICATED']);
  });

  t.test('T04: the database contains hashes of tokens only', async (t) => {
    const logins = await Promise.all([login(), login({ flow: 'opaque' }), login({ flow: 'opaque' })]);
    const secrets = logins.flatMap(({ refresh_token, token }) => [refresh_token, token]).filter(Boolean) as string[];
    const sessions = await database.client.session.findMany();
    const tokens = await database.client.refreshToken.findMany();
    const hashes = [...sessions.map(({ tokenHash }) => tokenHash), ...tokens.map(({ hash }) => hash)];
    const stored = new Set(hashes.map((hash) => hash && Buffer.from(hash).toString('hex')));
    const text = [...sessions, ...tokens].map((row) => Object.values(row).map(String).join()).join();
    for (const secret of secrets) {
      t.ok(stored.has(createHash('sha256').update(secret).digest('hex')));
      t.notOk(text.includes(secret) || [...stored].some((hash) => hash?.includes(Buffer.from(secret).toString('hex'))));
    }
  });

  t.test('the deletion of a user deletes its sessions', async (t) => {
    const body = { name: 'Gone', email: 'gone@example.com', role: 'viewer', password: PASSWORD };
    const { id } = (await rest('POST', '/api/v1/users', { as: admin, body })).body;
    const [jwt, opaque] = [await login({}, body.email), await login({ flow: 'opaque' }, body.email)];
    await rest('DELETE', `/api/v1/users/${id}`, { as: admin });
    t.notOk(await isLive(jwt.refresh_token));
    t.same(codeOf(await me(bearer(opaque.token))), [401, 'UNAUTHENTICATED']);
    t.same(codeOf(await me(basic(body.email, PASSWORD))), [401, 'UNAUTHENTICATED']);
  });

  t.test('expired rows are deleted, and others stay', async (t) => {
    const count = async () => [
      await database.client.session.count({ where: { revokedAt: { not: null } } }),
      await database.client.throttle.count({ where: { resetsAt: { lte: new Date(now()) } } }),
      await database.client.session.count({ where: { expiresAt: { lte: new Date(now()) } } }),
    ];
    const alive = await login();
    offset = 16 * 60 * SECOND;
    t.not((await count())[0], 0);
    t.not((await count())[1], 0);
    t.ok(
      (await Promise.all([removeExpired(database.client, now()), removeExpired(database.client, now())])).some(Boolean),
    );
    // An instance skips a table that another instance cleans. Both instances may skip one.
    await removeExpired(database.client, now());
    t.same(await count(), [0, 0, 0]);
    t.ok(await isLive(alive.refresh_token));
    offset = 31 * DAY;
    await removeExpired(database.client, now());
    t.same([await database.client.session.count(), await database.client.refreshToken.count()], [0, 0]);
  });
});
