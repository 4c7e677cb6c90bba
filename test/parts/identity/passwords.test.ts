import { hash } from '@node-rs/argon2';
import t from 'tap';
import { HASH_PARAMETERS } from '../../../src/platform/core/hasher.js';
import { onEachDatabase } from '../../support/databases.js';
import { someoneWaits } from '../../support/locks.js';
import { PASSWORD, passwordHash } from '../../support/people.js';
import { basic } from '../../support/process.js';
import { raw } from '../../support/raw.js';
import { codeOf, startService } from '../../support/service.js';

const LOGIN = '/api/v1/auth/login';

onEachDatabase(t, async (t, open) => {
  const database = await open();

  // Uses the real parameters of hashes. The first login of the test's accounts replaces their cheaper hashes.
  const service = await startService(t, database, {}, Date.now, { hashing: HASH_PARAMETERS });
  const { rest, graphql, admin, developer, viewer, url } = service;
  const login = (email: string, password: string) => rest('POST', LOGIN, { body: { email, password } });
  const me = (headers: Record<string, string>) => rest('GET', '/api/v1/auth/me', { headers });
  const createUser = async (email: string) => {
    const data = { name: 'New', email, emailKey: email, role: 'VIEWER' as const, passwordHash: await passwordHash };
    const { id } = await database.client.user.create({ data });
    return { id, email };
  };
  const change = (as: typeof admin, id: number, body: object) =>
    rest('PUT', `/api/v1/users/${id}/password`, { as, body });

  t.test('P01: passwords have 12 to 128 characters and are not common ones', async (t) => {
    let n = 0;
    const create = (password: string) =>
      rest('POST', '/api/v1/users', {
        as: admin,
        body: { name: 'New', email: `new${n++}@example.com`, role: 'viewer', password },
      });
    for (const password of ['elevenchars', '123456789qwe', 'QwertyQwerty', 'x'.repeat(129), 'nul\u0000in the middle']) {
      const answer = await create(password);
      t.same(codeOf(answer), [422, 'VALIDATION_FAILED'], password.slice(0, 12));
      t.same(answer.body.errors[0].pointer, '/password');
      t.notOk(answer.text.includes(password));
      const set = await change(admin, viewer.id, { new_password: password });
      t.same([codeOf(set), set.body.errors[0].pointer], [[422, 'VALIDATION_FAILED'], '/new_password']);
      const { errors } = await graphql(
        admin,
        'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }',
        { input: { name: 'New', email: `new${n++}@example.com`, role: 'VIEWER', password } },
      );
      t.match(errors[0]?.extensions, { code: 'VALIDATION_FAILED', errors: [{ pointer: '/input/password' }] });
    }
    for (const password of [
      'twelve chars',
      'y'.repeat(64),
      'z'.repeat(128),
      '   spaces   in   it',
      '🐘🐘🐘🐘🐘🐘🐘🐘🐘🐘🐘🐘',
      'a:colon:in:it',
    ]) {
      const { status, body } = await create(password);
      t.equal(status, 201, password.slice(0, 12));
      t.equal((await login(body.email, password)).status, 200);
      t.equal((await me(basic(body.email, password))).status, 200, 'P05: by Basic too');
    }
  });

  t.test('P02: two users with the same password have different hashes', async (t) => {
    const rows = await database.client.user.findMany({ where: { passwordHash: { not: null } } });
    t.equal(new Set(rows.map((row) => row.passwordHash)).size, rows.length, 'the three of the test among them');
    const made = rows.filter(({ email }) => email.startsWith('new'));
    for (const { passwordHash } of made) t.match(passwordHash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  t.test('users change their password with the current one, and administrators change it without', async (t) => {
    const own = (body: object) => change(developer, developer.id, body);
    t.same(codeOf(await own({})), [400, 'BAD_REQUEST']);
    t.same(codeOf(await rest('PUT', `/api/v1/users/${viewer.id}/password`, { body: { new_password: 'x' } })), [
      401,
      'UNAUTHENTICATED',
    ]);
    t.same(codeOf(await change(developer, viewer.id, { new_password: 'a new password' })), [403, 'FORBIDDEN']);
    t.same(codeOf(await change(admin, 999_999, { new_password: 'x' })), [404, 'NOT_FOUND']);
    for (const body of [
      { new_password: 'a new password' },
      { new_password: 'a new password', current_password: 'wrong' },
    ]) {
      const answer = await own(body);
      t.same(codeOf(answer), [422, 'VALIDATION_FAILED']);
      t.equal(answer.body.errors[0].pointer, '/current_password');
    }
    t.same(
      codeOf(await change(admin, admin.id, { new_password: 'a new password' })),
      [422, 'VALIDATION_FAILED'],
      'an admin is no exception',
    );
    t.equal((await login(developer.email, PASSWORD)).status, 200, 'nothing has changed');

    await t.test('a change ends older sessions, tokens and the old password', async (t) => {
      t.equal((await me(basic(developer.email, PASSWORD))).status, 200);
      const { refresh_token } = (await login(developer.email, PASSWORD)).body;
      const { token } = (
        await rest('POST', LOGIN, { body: { email: developer.email, password: PASSWORD, flow: 'opaque' } })
      ).body;
      t.equal((await own({ new_password: 'a new password', current_password: PASSWORD })).status, 204);
      t.same(
        codeOf(await rest('POST', '/api/v1/auth/refresh', { body: { refresh_token } })),
        [401, 'UNAUTHENTICATED'],
        'T05',
      );
      t.same(codeOf(await me({ authorization: `Bearer ${token}` })), [401, 'UNAUTHENTICATED']);
      t.same(codeOf(await me(basic(developer.email, PASSWORD))), [401, 'UNAUTHENTICATED'], 'a remembered one included');
      t.same(codeOf(await login(developer.email, PASSWORD)), [401, 'UNAUTHENTICATED']);
      t.equal((await login(developer.email, 'a new password')).status, 200);
      t.equal((await change(admin, developer.id, { new_password: PASSWORD })).status, 204);
      t.equal((await me(basic(developer.email, PASSWORD))).status, 200);

      const gone = await rest('POST', '/api/v1/users', {
        as: admin,
        body: { name: 'G', email: 'g@example.com', role: 'viewer' },
      });
      await rest('DELETE', `/api/v1/users/${gone.body.id}`, { as: admin });
      t.same(codeOf(await change(admin, gone.body.id, { new_password: 'a new password' })), [410, 'GONE']);
    });
  });

  t.test('a login fails if the password changes while it is verified', async (t) => {
    const { id, email } = await createUser('changing@example.com');
    const changed = await hash('another password', HASH_PARAMETERS);
    const answer = await database.client.$transaction(async (db) => {
      await db.user.update({ where: { id }, data: { passwordHash: changed } });
      // On PostgreSQL the login reads the old password, and waits for the row.
      const early = login(email, PASSWORD);
      await someoneWaits(database);
      return { early };
    });
    t.same(codeOf(await answer.early), [401, 'UNAUTHENTICATED']);
    t.equal(await database.client.session.count({ where: { userId: id } }), 0);
  });

  t.test('one of two simultaneous changes succeeds', async (t) => {
    const answers = await Promise.all(
      ['the first of the two', 'the second of the two'].map((new_password) =>
        change(viewer, viewer.id, { new_password, current_password: PASSWORD }),
      ),
    );
    t.same(answers.map(({ status }) => status).sort(), [204, 422]);
    await change(admin, viewer.id, { new_password: PASSWORD });
  });

  t.test('a login replaces a hash with outdated parameters', async (t) => {
    const weak = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    const stored = async () =>
      (await database.client.user.findUniqueOrThrow({ where: { id: viewer.id } })).passwordHash;
    for (const present of [() => login(viewer.email, PASSWORD), () => me(basic(viewer.email, PASSWORD))]) {
      await database.client.user.update({ where: { id: viewer.id }, data: { passwordHash: weak } });
      await login(viewer.email, 'a wrong password');
      t.equal(await stored(), weak);
      t.equal((await present()).status, 200);
      t.match(await stored(), '$argon2id$v=19$m=19456,t=2,p=1$');
      t.equal((await present()).status, 200);
    }
  });

  t.test('J13–J17: credentials are accepted in one place and one spelling only', async (t) => {
    // The changes above have ended all earlier tokens.
    const token = (await login(viewer.email, PASSWORD)).body.access_token as string;
    viewer.headers = { authorization: `Bearer ${token}` };
    for (const header of [`bearer ${token}`, `BEARER ${token}`, `Bearer  ${token}`, `  Bearer ${token}  `])
      t.equal((await me({ authorization: header })).status, 200, header.slice(0, 10));
    for (const lines of [
      [`Bearer ${token}`, 'Bearer x'],
      ['Bearer x', `Bearer ${token}`],
      [`Bearer ${token}, Bearer ${token}`],
    ])
      t.match(
        await answerTo(
          url,
          lines.map((line) => `Authorization: ${line}`),
        ),
        /^HTTP\/1.1 40[01] /,
      );
    for (const headers of [
      { cookie: `token=${token}` },
      { 'x-authorization': `Bearer ${token}` },
      { 'proxy-authorization': `Bearer ${token}` },
    ])
      t.same(codeOf(await me(headers as never)), [401, 'UNAUTHENTICATED'], JSON.stringify(headers).slice(0, 12));
    for (const name of ['access_token', 'token'])
      t.match((await rest('GET', `/api/v1/auth/me?${name}=${token}`)).status, /^40[01]$/);
    t.same(codeOf(await me({ authorization: `Bearer ${'x'.repeat(12_000)}` })), [401, 'UNAUTHENTICATED']);
    for (const size of [64, 1024])
      t.match(await answerTo(url, [`Authorization: Bearer ${'x'.repeat(size * 1024)}`]), /^(HTTP\/1.1 4(01|31) |$)/);
    t.equal((await me(viewer.headers)).status, 200, 'the service lives');
    const challenge = async (headers = {}, path = '/api/v1/auth/me', method = 'GET') =>
      (await rest(method, path, { headers })).headers.get('www-authenticate');
    t.notMatch(await challenge(), 'error=');
    t.match(await challenge({ authorization: 'Bearer aco_x' }), 'error="invalid_token"');
    t.match(await challenge({ authorization: `Bearer aco_${'x'.repeat(43)}` }), 'error="invalid_token"');
    t.match(await challenge(viewer.headers, `/api/v1/users/${admin.id}`, 'DELETE'), 'error="insufficient_scope"');
  });
});

/** Returns the raw answer to a request with these header lines. */
const answerTo = (url: string, lines: string[]): Promise<string> =>
  raw(url, `GET /api/v1/auth/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`);
