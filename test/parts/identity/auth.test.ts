import { createHmac, createPrivateKey, createSign, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import t from 'tap';
import { slowClock } from '../../support/clock.js';
import { onEachDatabase } from '../../support/databases.js';
import { PASSWORD, passwordHash, TEST_HASHING } from '../../support/people.js';
import { codeOf, startService } from '../../support/service.js';

const LOGIN = '/api/v1/auth/login';
const encode = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

onEachDatabase(t, async (t, open) => {
  let offset = 0;
  const time = slowClock();
  const now = () => time() + offset;
  const { rest, graphql, viewer, database, log } = await startService(t, await open(), {}, now);
  const login = (body: object) => rest('POST', LOGIN, { body });
  const { email } = viewer;

  t.test('the published key set contains public keys only', async (t) => {
    const { body, headers } = await rest('GET', '/.well-known/jwks.json');
    for (const key of body.keys) t.same(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
    t.ok(Buffer.from(body.keys[0].n, 'base64url').length >= 256);
    t.match(headers.get('cache-control'), /max-age=([12]?\d?\d|300)$/);
    const etag = headers.get('etag') as string;
    t.equal((await rest('GET', '/.well-known/jwks.json', { headers: { 'if-none-match': etag } })).status, 304);
  });

  t.test('REST and GraphQL refuse forged and damaged tokens in the same way', async (t) => {
    const good = (await login({ email, password: PASSWORD })).body.access_token as string;
    const [head, claims, signature] = good.split('.') as [string, string, string];
    const header = decodeProtectedHeader(good);
    const payload = decodeJwt(good);
    const stored = await database.client.signingKey.findFirstOrThrow();
    const key = createPrivateKey({ key: Buffer.from(stored.privateKey), format: 'der', type: 'pkcs8' });
    const sign = (h: object | string, p: object) => {
      const text = `${encode(h)}.${encode(p)}`;
      return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
    };
    const hmac = (secret: string, alg = 'HS256') => {
      const text = `${encode({ ...header, alg })}.${encode(payload)}`;
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };
    const jwk = (await rest('GET', '/.well-known/jwks.json')).body.keys[0];
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const seconds = Math.floor(now() / 1000);
    const tokens: [string, string][] = [
      ...['none', 'None', 'NONE', ''].map((alg): [string, string] => [
        `alg ${alg}`,
        `${encode({ ...header, alg })}.${claims}.`,
      ]),
      ['alg absent', sign({ typ: 'JWT', kid: header.kid }, payload)],
      ['alg twice', sign(`{"alg":"none","alg":"RS256","typ":"JWT","kid":"${header.kid}"}`, payload)],
      ...[jwk.n, JSON.stringify(jwk), header.kid as string, 'secret', ''].map((secret): [string, string] => [
        `HS256 keyed with ${String(secret).slice(0, 8)}`,
        hmac(secret),
      ]),
      [
        'signed by a stranger',
        `${head}.${claims}.${createSign('RSA-SHA256').update(`${head}.${claims}`).sign(stranger, 'base64url')}`,
      ],
      ...['../../etc/passwd', "' OR 1=1", '__proto__', 'unknown', 'x'.repeat(6000)].map((kid): [string, string] => [
        `kid ${kid.slice(0, 12)}`,
        sign({ ...header, kid }, payload),
      ]),
      ['kid a number', sign({ ...header, kid: 7 }, payload)],
      ['jwk embedded', sign({ alg: 'RS256', typ: 'JWT', jwk }, payload)],
      ['crit unknown', sign({ ...header, crit: ['x'], x: 1 }, payload)],
      ['crit b64', sign({ ...header, crit: ['b64'], b64: false }, payload)],
      ['typ other', sign({ ...header, typ: 'at+jwt' }, payload)],
      ['expired', sign(header, { ...payload, iat: seconds - 1000, exp: seconds - 100 })],
      ['not before', sign(header, { ...payload, nbf: seconds + 100 })],
      ['from the future', sign(header, { ...payload, iat: seconds + 100, exp: seconds + 900 })],
      ...['exp', 'iat', 'sub', 'iss', 'aud', 'jti', 'role'].map((claim): [string, string] => [
        `${claim} absent`,
        sign(header, { ...payload, [claim]: undefined }),
      ]),
      ...['exp', 'iat'].map((claim): [string, string] => [
        `${claim} a string`,
        sign(header, { ...payload, [claim]: String(seconds + 500) }),
      ]),
      ['exp negative', sign(header, { ...payload, exp: -1 })],
      ['iss near', sign(header, { ...payload, iss: 'accord/' })],
      ['aud another', sign(header, { ...payload, aud: 'other' })],
      ['padded', `${good}==`],
      ['padded header', `${head}=.${claims}.${signature}`],
      ['stray low bits', `${head}.${claims}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`],
      ['two parts', `${head}.${claims}`],
      ['four parts', `${good}.x`],
      ['trailing dot', `${good}.`],
      ['signature cut', good.slice(0, -5)],
      ['payload changed', `${head}.${encode({ ...payload, role: 'ADMIN' })}.${signature}`],
    ];
    for (const [what, token] of tokens) {
      const authorization = `Bearer ${token}`;
      const answer = await rest('GET', '/api/v1/users', { headers: { authorization } });
      t.same(codeOf(answer), [401, 'UNAUTHENTICATED'], what);
      t.match(answer.headers.get('www-authenticate'), 'error="invalid_token"');
      t.same(
        (await graphql({ ...viewer, headers: { authorization } }, '{ me { id } }')).codes,
        ['UNAUTHENTICATED'],
        what,
      );
    }
    t.equal(
      (
        await rest('GET', '/api/v1/users', {
          headers: { authorization: `Bearer ${sign(header, { ...payload, aud: ['other', 'accord'] })}` },
        })
      ).status,
      200,
      'aud may be a list with ours',
    );
    t.equal(
      (await rest('GET', '/api/v1/users')).headers.get('www-authenticate')?.includes('error='),
      false,
      'no credential, no error',
    );
  });

  t.test('Basic credentials that cannot be read are refused', async (t) => {
    for (const value of [
      '',
      '!!!',
      Buffer.from('no colon').toString('base64'),
      Buffer.from('a\u0000:b').toString('base64'),
      Buffer.from([0xff, 0x3a]).toString('base64'),
    ]) {
      t.same(
        codeOf(await rest('GET', '/api/v1/users', { headers: { authorization: `Basic ${value}` } })),
        [401, 'UNAUTHENTICATED'],
        value,
      );
    }
  });

  t.test('a token expires after fifteen minutes, also in the cache', async (t) => {
    const { body } = await login({ email, password: PASSWORD });
    const headers = { authorization: `Bearer ${body.access_token}` };
    t.equal((await rest('GET', '/api/v1/auth/me', { headers })).status, 200);
    offset = 895_000;
    t.equal((await rest('GET', '/api/v1/auth/me', { headers })).status, 200);
    offset = 906_000;
    t.same(codeOf(await rest('GET', '/api/v1/auth/me', { headers })), [401, 'UNAUTHENTICATED']);
    offset = 0;
  });

  t.test('the own account is 410 for a token of a deleted user before the signal arrives', async (t) => {
    const gone = { name: 'Gone', email: 'gone@example.com', emailKey: 'gone@example.com', role: 'VIEWER' as const };
    const { id } = await database.client.user.create({ data: { ...gone, passwordHash: await passwordHash } });
    const { body } = await login({ email: gone.email, password: PASSWORD });
    await database.client.user.delete({ where: { id } });
    await database.client.tombstone.create({ data: { kind: 'USER', id } });
    const headers = { authorization: `Bearer ${body.access_token}` };
    t.same(codeOf(await rest('GET', '/api/v1/auth/me', { headers })), [410, 'GONE']);
  });

  t.test('no secret is logged or stored in clear', async (t) => {
    const { body } = await login({ email, password: PASSWORD });
    for (const secret of [PASSWORD, body.access_token, body.refresh_token])
      t.notOk(log.some((line) => line.includes(secret)));
    const { memoryCost, timeCost, parallelism } = TEST_HASHING;
    const rows = JSON.stringify([await database.client.user.findMany(), await database.client.refreshToken.findMany()]);
    for (const secret of [PASSWORD, body.refresh_token]) t.notOk(rows.includes(secret));
    t.match(rows, `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`);
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('HS256 publishes no key', async (t) => {
    const environment = { JWT_ALGORITHM: 'HS256', JWT_SECRET: 'a secret of at least thirty-two bytes' };
    const { rest, viewer } = await startService(t, await open(), environment);
    t.same((await rest('GET', '/.well-known/jwks.json')).body, { keys: [] });
    t.equal((await rest('GET', '/api/v1/auth/me', { as: viewer })).status, 200);
  });
});
