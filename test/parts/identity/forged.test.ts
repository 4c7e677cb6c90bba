import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import t from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import { forgeries } from '../../support/forgeries.js';
import { codeOf, startService } from '../../support/service.js';
import { dial } from '../../support/socket.js';

onEachDatabase(t, async (t, open) => {
  const { rest, graphql, viewer, database, log, url } = await startService(t, await open());
  const good = viewer.headers['authorization']?.slice(7) as string;
  const { privateKey } = await database.client.signingKey.findFirstOrThrow();
  let hits = 0;
  const listening = createServer((_request, response) => {
    hits += 1;
    response.end('{"keys":[]}');
  }).listen(0, '127.0.0.1');
  t.teardown(() => listening.close());
  await once(listening, 'listening');
  const tokens = forgeries({
    good,
    key: createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' }),
    jwks: (await rest('GET', '/.well-known/jwks.json')).text,
    listener: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    now: Math.floor(Date.now() / 1000),
  });

  t.test('a valid token is accepted, and contains no personal data', async (t) => {
    t.equal((await rest('GET', '/api/v1/auth/me', { as: viewer })).status, 200);
    const claims = decodeJwt(good);
    t.same(Object.keys(claims).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'role', 'sub']);
    t.notMatch(JSON.stringify(claims), new RegExp(`${viewer.email}|example|password`, 'i'));
  });

  t.test(`REST and GraphQL refuse ${tokens.length} forged and damaged tokens in the same way`, async (t) => {
    t.ok(new Set(tokens.map(([, token]) => token)).size >= 100);
    for (const [what, token] of tokens) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await rest('GET', '/api/v1/users', { headers });
      t.same(codeOf(answer), [401, 'UNAUTHENTICATED'], what);
      t.match(answer.headers.get('www-authenticate'), 'error="invalid_token"');
      t.notOk(token.length > 10 && answer.text.includes(token), 'it is not echoed');
      const asked = await graphql({ ...viewer, headers }, '{ me { id } }');
      t.same([asked.codes, asked.data], [['UNAUTHENTICATED'], undefined], what);
    }
    t.equal(hits, 0, 'no key was fetched from where a token says');
    t.equal((await rest('GET', '/api/v1/auth/me', { as: viewer })).status, 200, 'the good one is still taken');
  });

  t.test('sockets refuse them at the upgrade and at connection_init', async (t) => {
    for (const [index, [what, token]] of tokens.entries()) {
      const Authorization = `Bearer ${token}`;
      const byUpgrade = index % 2 === 0;
      const dialled = await dial(t, url, byUpgrade ? { headers: { authorization: Authorization } } : {});
      dialled.send({ type: 'connection_init', ...(!byUpgrade && { payload: { Authorization } }) });
      t.equal(await dialled.closed, 4403, `${what}, by ${byUpgrade ? 'the upgrade' : 'connection_init'}`);
      t.same(dialled.received, []);
    }
  });

  t.test('the log contains none of the tokens', async (t) => {
    const lines = log.join('');
    const logged = [good, ...tokens.map(([, token]) => token)].filter(
      (token) => token.length > 20 && lines.includes(token),
    );
    t.same(logged, []);
    t.notMatch(lines, /"level":[56]0/, 'nor is any of them a fault of ours');
  });
});
