import { createRemoteJWKSet, jwtVerify } from 'jose';
import t from 'tap';
import { slowClock } from '../support/clock.js';
import { onEachDatabase } from '../support/databases.js';
import { PASSWORD } from '../support/people.js';
import { basic } from '../support/process.js';
import { codeOf, startService } from '../support/service.js';

const AUTH = '/api/v1/auth';
const LOGIN = `${AUTH}/login`;
const DAY = 24 * 60 * 60 * 1000;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

onEachDatabase(t, async (t, open) => {
  const { rest, viewer, url } = await startService(t, await open(), {}, slowClock());
  const login = (body: object) => rest('POST', LOGIN, { body });
  const { email } = viewer;

  t.test('a login returns tokens that verify with the published keys', async (t) => {
    const { status, body, headers } = await login({ email, password: PASSWORD });
    t.match([status, body], [200, { token_type: 'Bearer', expires_in: 900 }]);
    t.equal(headers.get('cache-control'), 'no-store');
    const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(body.access_token, keys, {
      issuer: 'accord',
      audience: 'accord',
    });
    t.match(protectedHeader, { alg: 'RS256', typ: 'JWT' });
    t.same(Object.keys(payload).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'role', 'sub'], 'nothing personal');
    t.match(payload, { sub: String(viewer.id), role: 'VIEWER' });
    t.equal(Number(payload.exp) - Number(payload.iat), 900);
    const me = await rest('GET', '/api/v1/auth/me', { headers: { authorization: `bearer  ${body.access_token}` } });
    t.match([me.status, me.body], [200, { id: viewer.id, email }]);
  });

  t.test('a wrong password and an unknown address get the same answer', async (t) => {
    const [wrong, unknown] = [
      await login({ email, password: 'not this one' }),
      await login({ email: 'no@example.com', password: 'not this one' }),
    ];
    t.same(codeOf(wrong), [401, 'UNAUTHENTICATED']);
    t.same({ ...wrong.body, requestId: '' }, { ...unknown.body, requestId: '' });
    t.match(wrong.headers.get('www-authenticate'), 'Bearer');
    t.equal((await login({ email: email.toUpperCase(), password: PASSWORD })).status, 200, 'case does not matter');
    t.same(codeOf(await login({ email })), [400, 'BAD_REQUEST']);
    t.same(codeOf(await login({ email: 'a\u0000@example.com', password: PASSWORD })), [401, 'UNAUTHENTICATED']);
  });
});

onEachDatabase(t, async (t, open) => {
  const { rest, admin, viewer, developer } = await startService(t, await open(), {}, slowClock());
  const login = async (more: object = {}, who = viewer.email) =>
    (await rest('POST', LOGIN, { body: { email: who, password: PASSWORD, ...more } })).body;
  const refresh = (token: string) => rest('POST', `${AUTH}/refresh`, { body: { refresh_token: token } });
  const me = (headers: Record<string, string>) => rest('GET', `${AUTH}/me`, { headers });
  const isLive = async (token: string) => (await refresh(token)).status === 200;

  t.test('T05: a refresh token logs out, and access tokens do not', async (t) => {
    const { refresh_token, access_token } = await login();
    const logout = (body?: object, headers = {}) => rest('POST', `${AUTH}/logout`, { headers, body });
    t.same(codeOf(await logout()), [400, 'BAD_REQUEST']);
    t.same(codeOf(await logout({})), [400, 'BAD_REQUEST']);
    t.same(codeOf(await logout(undefined, bearer(access_token))), [401, 'UNAUTHENTICATED']);
    t.same(codeOf(await logout(undefined, bearer('nonsense'))), [401, 'UNAUTHENTICATED']);
    t.same(codeOf(await logout(undefined, viewer.headers)), [401, 'UNAUTHENTICATED']);
    const answer = await logout({ refresh_token }, bearer('expired'));
    t.equal(answer.status, 204, 'the refresh token says enough');
    t.same(
      answer.headers.getSetCookie().map((line) => line.split('=')[0]),
      ['accord_access', 'accord_refresh'],
    );
    t.notOk(await isLive(refresh_token));
    t.equal((await logout({ refresh_token })).status, 204, 'gone already');
    t.equal((await logout({ refresh_token: 'unknown' })).status, 204);
    t.equal((await me(bearer(access_token))).status, 200, 'access tokens live out their time');
  });

  t.test('owners list and revoke their sessions', async (t) => {
    await rest('DELETE', `${AUTH}/sessions`, { headers: basic(developer.email, PASSWORD) });
    const [one, two, three] = [
      await login({}, developer.email),
      await login({ flow: 'opaque' }, developer.email),
      await login({}, developer.email),
    ];
    const headers = bearer(two.token);
    const list = (query = '', as = headers) => rest('GET', `${AUTH}/sessions${query}`, { headers: as });
    const { body, headers: received } = await list();
    t.match(body, [
      { flow: 'jwt', current: false },
      { flow: 'opaque', current: true },
      { flow: 'jwt', current: false },
    ]);
    t.equal(received.get('x-total-count'), '3');
    t.same(
      (await list('', bearer(one.access_token))).body.map((row: { current: boolean }) => row.current),
      [true, false, false],
    );
    t.equal(Date.parse(body[0].expiresAt) - Date.parse(body[0].createdAt), 30 * DAY);
    const ids = body.map(({ id }: { id: string }) => id);
    t.same(
      (await list('?page=2&per_page=2')).body.map(({ id }: { id: string }) => id),
      [ids[2]],
    );
    t.same(
      (await list('?limit=1&offset=1')).body.map(({ id }: { id: string }) => id),
      [ids[1]],
    );
    const walked: string[] = [];
    for (let after = ''; ; ) {
      const { data, cursor } = (await list(`?limit=2&after=${after}`)).body;
      walked.push(...data.map(({ id }: { id: string }) => id));
      after = cursor.next;
      if (!cursor.hasMore) break;
    }
    t.same(walked, ids);
    t.same(codeOf(await list('?after=forged')), [400, 'BAD_REQUEST']);
    t.same(codeOf(await rest('GET', `${AUTH}/sessions`)), [401, 'UNAUTHENTICATED']);

    await t.test('a revoked session ends at once', async (t) => {
      const revoke = (id: string, as: Record<string, string> = headers) =>
        rest('DELETE', `${AUTH}/sessions/${id}`, { headers: as });
      t.same(codeOf(await revoke('7')), [400, 'BAD_REQUEST']);
      t.same(codeOf(await revoke('01993b5c-7d2e-7c4a-9f10-3b8a6c2d4e5f')), [404, 'NOT_FOUND']);
      t.same(codeOf(await revoke(ids[0], admin.headers)), [404, 'NOT_FOUND'], "another's, even to an admin");
      t.equal((await revoke(ids[0])).status, 204);
      t.same(codeOf(await revoke(ids[0])), [404, 'NOT_FOUND']);
      t.notOk(await isLive(one.refresh_token));
      t.equal((await list()).body.length, 2);

      t.equal((await rest('DELETE', `${AUTH}/sessions`, { headers })).status, 204);
      t.match((await list()).body, [{ id: ids[1], current: true }]);
      t.notOk(await isLive(three.refresh_token));
      t.equal((await rest('DELETE', `${AUTH}/sessions`, { headers: basic(developer.email, PASSWORD) })).status, 204);
      t.same(codeOf(await list()), [401, 'UNAUTHENTICATED'], 'Basic ends them all');
    });
  });
});
