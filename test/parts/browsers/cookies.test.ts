import t from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import { PASSWORD } from '../../support/people.js';
import { ARRIVAL, PROXIED } from '../../support/production.js';
import { codeOf, type RestAnswer, startService } from '../../support/service.js';
import { dial, refusedUpgrade } from '../../support/socket.js';

const AUTH = '/api/v1/auth';
const ACCESS = '__Host-accord_access';
const REFRESH = '__Secure-accord_refresh';
const BINDING = '__Host-accord_session';
const ATTRIBUTES = 'HttpOnly; Secure; SameSite=Strict';

/** Returns the value and the attributes of each cookie in `Set-Cookie`, without expiry times. */
const cookiesOf = ({ headers }: RestAnswer): Record<string, { value: string; attributes: string }> =>
  Object.fromEntries(
    headers.getSetCookie().map((line) => {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*); (.*)$/.exec(line) ?? [];
      return [name, { value, attributes: attributes.replace(/(Max-Age|Expires)=[^;]*; /g, '') }];
    }),
  );
const valueIn = (answer: RestAnswer, name: string) => cookiesOf(answer)[name]?.value as string;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  let passed = 0;
  const service = await startService(t, database, PROXIED, () => Date.now() + passed);
  const { rest, graphql, viewer, admin, url } = service;
  const own = { ...ARRIVAL, origin: PROXIED.PUBLIC_URL };
  const login = (more: object = {}) => {
    const body = { email: viewer.email, password: PASSWORD, cookie: true, ...more };
    return rest('POST', `${AUTH}/login`, { headers: ARRIVAL, body });
  };
  const me = (cookie: string) => rest('GET', `${AUTH}/me`, { headers: { ...ARRIVAL, cookie } });

  t.test('over HTTPS cookies have prefixes, and cookies without a prefix are ignored', async (t) => {
    const answer = await login();
    const attributes = Object.entries(cookiesOf(answer)).map(([name, cookie]) => [name, cookie.attributes]);
    t.same(attributes, [
      [ACCESS, `Path=/; ${ATTRIBUTES}`],
      [REFRESH, `Path=/api/v1/auth; ${ATTRIBUTES}`],
      [BINDING, `Path=/; ${ATTRIBUTES}`],
    ]);
    const token = valueIn(answer, ACCESS);
    t.equal((await me(`${ACCESS}=${token}`)).body.id, viewer.id);
    t.same(codeOf(await me(`accord_access=${token}`)), [401, 'UNAUTHENTICATED'], 'a neighbour could have set it');
    const other = admin.headers['authorization']?.slice('Bearer '.length);
    for (const cookie of [
      `${ACCESS}=${token}; accord_access=${other}`,
      `accord_access=${other}; ${ACCESS}=${token}`,
      `accord_access=nonsense; ${ACCESS}=${token}`,
    ]) {
      t.equal((await me(cookie)).body.id, viewer.id, 'nor does it stand in the way');
    }
    t.same(codeOf(await me(`accord_access=${token}; ${ACCESS}=nonsense`)), [401, 'UNAUTHENTICATED']);
  });

  t.test('GraphQL and sockets accept only prefixed cookies as well', async (t) => {
    const token = valueIn(await login(), ACCESS);
    const by = (name: string) => ({ ...viewer, headers: { ...ARRIVAL, cookie: `${name}=${token}` } });
    t.same((await graphql(by(ACCESS), '{ me { id } }')).data, { me: { id: String(viewer.id) } });
    t.same((await graphql(by('accord_access'), '{ me { id } }')).codes, ['UNAUTHENTICATED']);
    const dialBy = async (name: string) => {
      const dialled = await dial(t, url, { headers: { ...own, cookie: `${name}=${token}` } });
      dialled.send({ type: 'connection_init' });
      return dialled;
    };
    t.ok(await (await dialBy(ACCESS)).take(({ type }) => type === 'connection_ack'));
    t.equal(await (await dialBy('accord_access')).closed, 4403);
    t.equal(
      await refusedUpgrade(`${url}/graphql`, { ...ARRIVAL, cookie: `${ACCESS}=${token}` }),
      403,
      'without Origin',
    );
  });

  t.test('only the prefixed cookie renews and ends a session', async (t) => {
    const answer = await login();
    const token = valueIn(answer, REFRESH);
    const binding = `${BINDING}=${valueIn(answer, BINDING)}`;
    const refresh = (cookie: string, headers: Record<string, string> = own) =>
      rest('POST', `${AUTH}/refresh`, { headers: { ...headers, cookie } });
    t.same(codeOf(await refresh(`accord_refresh=${token}`)), [400, 'BAD_REQUEST']);
    t.same(codeOf(await refresh(`${REFRESH}=${token}`, ARRIVAL)), [403, 'FORBIDDEN'], 'without Origin');
    const renewed = await refresh(`${REFRESH}=${token}; ${binding}; accord_refresh=nonsense`);
    t.same(Object.keys(cookiesOf(renewed)), [ACCESS, REFRESH, BINDING]);
    t.equal(`${BINDING}=${valueIn(renewed, BINDING)}`, binding, 'the session is the same');
    const cookie = `${REFRESH}=${valueIn(renewed, REFRESH)}; ${binding}`;
    const out = await rest('POST', `${AUTH}/logout`, { headers: { ...own, cookie } });
    t.same(cookiesOf(out), {
      [ACCESS]: { value: '', attributes: `Path=/; ${ATTRIBUTES}` },
      [REFRESH]: { value: '', attributes: `Path=/api/v1/auth; ${ATTRIBUTES}` },
      [BINDING]: { value: '', attributes: `Path=/; ${ATTRIBUTES}` },
    });
    t.same(codeOf(await refresh(cookie)), [401, 'UNAUTHENTICATED']);
  });

  t.test('a refresh cookie without the cookie that binds it to its session does nothing', async (t) => {
    const cookies = async () => {
      const answer = await login();
      const value = (name: string) => `${name}=${valueIn(answer, name)}`;
      return { refresh: value(REFRESH), binding: value(BINDING), access: value(ACCESS) };
    };
    const ask = (operation: 'refresh' | 'logout', ...sent: string[]) =>
      rest('POST', `${AUTH}/${operation}`, { headers: { ...own, cookie: sent.join('; ') } });
    const [victim, attacker] = [await cookies(), await cookies()];
    const forged = `${attacker.binding.split('.')[0]}.${victim.binding.split('.')[1]}`;
    const planted: [string, string[]][] = [
      ['alone', [attacker.refresh]],
      ['under the session of another', [attacker.refresh, victim.binding]],
      ['under the access cookie of another', [attacker.refresh, victim.access]],
      ['under a changed session', [attacker.refresh, forged]],
      ['under a cookie that a neighbour can set', [attacker.refresh, attacker.binding.replace('__Host-', '')]],
      ['under nonsense', [attacker.refresh, `${ACCESS}=nonsense`, `${BINDING}=nonsense`]],
      ['under two proofs of another', [attacker.refresh, victim.access, victim.binding]],
      ['and escaped', [attacker.refresh.replace('=a', '=%61')]],
      ['and escaped under the session of another', [attacker.refresh.replace('=a', '=%61'), victim.binding]],
      ['in quotes', [attacker.refresh.replace(/=(.*)/, '="$1"')]],
      ['in escaped quotes', [attacker.refresh.replace(/=(.*)/, '=%22$1%22')]],
      ['behind a space', [attacker.refresh.replace('=', '= ')]],
      ['under a name before a space', [attacker.refresh.replace('=', ' =')]],
      ['behind a tab', [`x=1;\t${attacker.refresh}`]],
      ['escaped before another', [attacker.refresh.replace('=a', '=%61'), victim.refresh]],
    ];
    const ended = () => database.client.session.count({ where: { revokedAt: { not: null } } });
    const before = await ended();
    for (const operation of ['refresh', 'logout'] as const)
      for (const [name, sent] of planted)
        t.same(codeOf(await ask(operation, ...sent)), [401, 'UNAUTHENTICATED'], `${operation} ${name}`);
    t.equal(await ended(), before, 'no session ends');

    t.equal(
      (await ask('refresh', attacker.refresh, victim.refresh, victim.binding)).status,
      200,
      'the planted one first',
    );
    const another = await cookies();
    t.equal((await ask('refresh', another.refresh, 'x=1', attacker.refresh, another.binding)).status, 200, 'or last');
    const old = await cookies();
    t.equal(
      (await ask('refresh', old.refresh, old.access)).status,
      200,
      'the access cookie proves its session as well',
    );
    const escaped = attacker.refresh.replace('=a', '=%61');
    t.equal((await ask('logout', escaped, old.refresh, old.binding)).status, 204);
    t.equal(await ended(), before + 1);
    t.equal((await ask('refresh', attacker.refresh, attacker.binding)).status, 200, 'the other session lives');
    const body = { refresh_token: (await cookies()).refresh.slice(`${REFRESH}=`.length) };
    const inBody = await rest('POST', `${AUTH}/refresh`, { headers: { ...own, cookie: attacker.refresh }, body });
    t.equal(inBody.status, 200, 'a planted cookie does not stand in the way of a token in the body');
  });

  t.test('a stale binding does not refuse the session that the access cookie proves', async (t) => {
    // The release before neither sets nor clears the binding, and a secret may leave KEY_SECRET.
    const value = (answer: RestAnswer, name: string) => `${name}=${valueIn(answer, name)}`;
    const before = await login();
    for (const stale of [value(before, BINDING), `${BINDING}=nonsense`, `${value(before, BINDING).slice(0, -4)}AAAA`]) {
      const answer = await login();
      const access = value(answer, ACCESS);
      const ask = (operation: string, refresh: string) =>
        rest('POST', `${AUTH}/${operation}`, { headers: { ...own, cookie: [refresh, access, stale].join('; ') } });
      const renewed = await ask('refresh', value(answer, REFRESH));
      t.equal(renewed.status, 200);
      t.equal(value(renewed, BINDING), value(answer, BINDING), 'the binding is renewed, too');
      t.equal((await ask('logout', value(renewed, REFRESH))).status, 204);
      t.same(codeOf(await ask('refresh', value(renewed, REFRESH))), [401, 'UNAUTHENTICATED'], 'the session has ended');
    }
  });

  t.test('an access cookie that is wrong or expired does not refuse the session of the binding', async (t) => {
    const value = (answer: RestAnswer, name: string) => `${name}=${valueIn(answer, name)}`;
    const answer = await login();
    const refresh = (access: string, from: RestAnswer) => {
      const cookie = [value(from, REFRESH), access, value(from, BINDING)].join('; ');
      return rest('POST', `${AUTH}/refresh`, { headers: { ...own, cookie } });
    };
    const renewed = await refresh(`${ACCESS}=nonsense`, answer);
    t.equal(renewed.status, 200);
    passed = 16 * 60_000;
    const late = await refresh(value(renewed, ACCESS), renewed);
    t.equal(late.status, 200);
    t.equal((await refresh(value(renewed, ACCESS), late)).status, 200, 'nor once its expiry is known');
    passed = 0;
  });

  t.test('the opaque flow uses prefixed cookies', async (t) => {
    const answer = await login({ flow: 'opaque' });
    t.match(cookiesOf(answer), { [ACCESS]: { value: /^aco_/ }, [REFRESH]: { value: '' } });
    const cookie = `${ACCESS}=${valueIn(answer, ACCESS)}`;
    t.equal((await me(cookie)).status, 200);
    t.equal((await rest('POST', `${AUTH}/logout`, { headers: { ...own, cookie } })).status, 204);
    t.same(codeOf(await me(cookie)), [401, 'UNAUTHENTICATED']);
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('over plain HTTP, where browsers refuse prefixes, a prefixed cookie takes precedence', async (t) => {
    const { rest, viewer } = await startService(t, await open());
    const body = { email: viewer.email, password: PASSWORD, cookie: true };
    const answer = await rest('POST', `${AUTH}/login`, { body });
    t.same(Object.keys(cookiesOf(answer)), ['accord_access', 'accord_refresh']);
    const token = valueIn(answer, 'accord_access');
    const status = async (cookie: string) => (await rest('GET', `${AUTH}/me`, { headers: { cookie } })).status;
    t.equal(await status(`accord_access=${token}`), 200);
    t.equal(await status(`accord_access=nonsense; ${ACCESS}=${token}`), 200);
    t.equal(await status(`accord_access=${token}; ${ACCESS}=nonsense`), 401);
  });
});

/** Returns the value and all attributes of each cookie in `Set-Cookie`. */
const wholeCookiesOf = ({ headers }: RestAnswer) =>
  Object.fromEntries(
    headers.getSetCookie().map((line) => {
      const [, name = '', value = '', attributes = ''] = /^(\w+)=([^;]*); (.*)$/.exec(line) ?? [];
      return [name, { value, attributes }];
    }),
  );
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

onEachDatabase(t, async (t, open) => {
  const { rest, graphql, admin, viewer, database, url } = await startService(t, await open());
  const { email } = viewer;
  const me = (headers: Record<string, string>) => rest('GET', `${AUTH}/me`, { headers });

  t.test('cookies are set by a login, accepted, refreshed, and cleared by a logout', async (t) => {
    const answer = await rest('POST', `${AUTH}/login`, { body: { email, password: PASSWORD, cookie: true } });
    t.same(answer.body, { expires_in: 900 }, 'no token in the body');
    const { accord_access, accord_refresh } = wholeCookiesOf(answer);
    t.equal(accord_access?.attributes, 'Max-Age=900; Path=/; HttpOnly; Secure; SameSite=Strict');
    t.match(accord_refresh?.attributes, /^Max-Age=25\d{5}; Path=\/api\/v1\/auth; HttpOnly; Secure; SameSite=Strict$/);
    const cookie = `accord_access=${accord_access?.value}`;
    t.equal((await me({ cookie })).body.id, viewer.id);
    t.same((await graphql({ ...viewer, headers: { cookie } }, '{ me { id } }')).data.me.id, String(viewer.id));
    t.same(codeOf(await me({ cookie: 'accord_access=nonsense' })), [401, 'UNAUTHENTICATED']);
    t.same(codeOf(await me({ cookie, ...bearer('nonsense') })), [401, 'UNAUTHENTICATED'], 'the header wins');

    await t.test('refreshes and logouts by cookie need the own Origin', async (t) => {
      const own = { origin: url };
      const refreshCookie = `accord_refresh=${accord_refresh?.value}`;
      const call = (path: string, headers: Record<string, string>, body?: object) =>
        rest('POST', `${AUTH}/${path}`, { headers, body });
      t.same(codeOf(await call('refresh', { cookie: refreshCookie })), [403, 'FORBIDDEN']);
      t.same(codeOf(await call('refresh', { cookie: refreshCookie, origin: 'https://evil.example' })), [
        403,
        'FORBIDDEN',
      ]);
      const renewed = await call('refresh', { cookie: refreshCookie, ...own });
      t.same(renewed.body, { expires_in: 900 });
      const next = wholeCookiesOf(renewed)['accord_refresh']?.value as string;
      t.match(next, /^acr_/);
      t.not(next, accord_refresh?.value);
      const inBody = await call('refresh', { cookie: 'accord_refresh=nonsense' }, { refresh_token: next });
      t.match(inBody.body, { refresh_token: /^acr_/ }, 'the body wins, and is answered in the body');
      t.same(inBody.headers.getSetCookie(), []);

      const last = `accord_refresh=${inBody.body.refresh_token}`;
      t.same(codeOf(await call('logout', { cookie: last, origin: 'null' })), [403, 'FORBIDDEN']);
      const out = await call('logout', { cookie: last, ...own });
      t.equal(out.status, 204);
      for (const { value, attributes } of Object.values(wholeCookiesOf(out))) {
        t.equal(value, '');
        t.match(attributes, 'Max-Age=0');
      }
      t.equal(wholeCookiesOf(out)['accord_refresh']?.attributes.includes('Path=/api/v1/auth'), true);
      const { refresh_token } = inBody.body;
      t.same(codeOf(await call('refresh', {}, { refresh_token })), [401, 'UNAUTHENTICATED'], 'the session has ended');
    });
  });

  t.test('the opaque flow sets one cookie', async (t) => {
    const answer = await rest('POST', `${AUTH}/login`, {
      body: { email, password: PASSWORD, flow: 'opaque', cookie: true },
    });
    t.same(answer.body, { expires_in: 2_592_000 });
    const { accord_access, accord_refresh } = wholeCookiesOf(answer);
    t.match(accord_access?.value, /^aco_/);
    t.equal(accord_refresh?.value, '', 'nothing to refresh by is left over');
    const cookie = `accord_access=${accord_access?.value}`;
    t.equal((await me({ cookie })).status, 200);
    t.same(codeOf(await rest('POST', `${AUTH}/logout`, { headers: { cookie } })), [403, 'FORBIDDEN']);
    t.equal((await rest('POST', `${AUTH}/logout`, { headers: { cookie, origin: url } })).status, 204);
    t.same(codeOf(await me({ cookie })), [401, 'UNAUTHENTICATED']);
    t.equal((await rest('POST', `${AUTH}/logout`, { headers: { cookie, origin: url } })).status, 204, 'gone already');
  });

  t.test('a write with a cookie needs a trusted Origin', async (t) => {
    const credentials = { email: admin.email, password: PASSWORD };
    const { access_token } = (await rest('POST', `${AUTH}/login`, { body: credentials })).body;
    const cookie = `accord_access=${access_token}`;
    const patch = (headers: Record<string, string>) =>
      rest('PATCH', `/api/v1/users/${viewer.id}`, { headers, body: { name: 'Changed' } });
    const mutation = `mutation { updateUser(id: "${viewer.id}", name: "Changed") { name } }`;
    const foreign = ['https://evil.example', 'null', '', `${url}.evil.example`, url.replace(/\d+$/, '1'), 'nonsense'];
    for (const headers of [{ cookie }, ...foreign.map((origin) => ({ cookie, origin }))]) {
      t.same(codeOf(await patch(headers)), [403, 'FORBIDDEN'], JSON.stringify(Object.values(headers).slice(1)));
      t.same((await graphql({ ...admin, headers }, mutation)).codes, ['FORBIDDEN']);
    }
    const { name } = await database.client.user.findUniqueOrThrow({ where: { id: viewer.id } });
    t.not(name, 'Changed', 'and has no effect');
    t.equal((await me({ cookie, origin: 'https://evil.example' })).status, 200, 'a read passes');
    t.same((await graphql({ ...admin, headers: { cookie } }, '{ me { id } }')).codes, []);
    t.equal((await patch({ cookie, origin: url })).status, 200);
    t.same((await graphql({ ...admin, headers: { cookie, origin: url } }, mutation)).data, {
      updateUser: { name: 'Changed' },
    });
    t.equal((await patch({ ...admin.headers, origin: 'https://evil.example' })).status, 200, 'a header is no cookie');
    const two = `query A { me { id } } ${mutation.replace('mutation', 'mutation B')}`;
    const body = JSON.stringify({ query: two, operationName: 'B' });
    const named = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body,
    });
    t.match(await named.text(), 'FORBIDDEN', 'the operation that runs is the one that counts');
  });
});
