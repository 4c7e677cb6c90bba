import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import t from 'tap';
import { openDatabase } from '../../../src/platform/database/open.js';
import { administration } from '../../../src/platform/parts/identity/keys/administration.js';
import { slowClock } from '../../support/clock.js';
import { onEachDatabase } from '../../support/databases.js';
import { PASSWORD } from '../../support/people.js';
import { eventually } from '../../support/process.js';
import { codeOf, type Instance, startInstance, startService } from '../../support/service.js';
import { statementsOf } from '../../support/statements.js';

const JWKS = '/.well-known/jwks.json';
const ME = '/api/v1/auth/me';
const SECRET = 'a secret that encrypts the keys at rest';
const SECOND = 1000;

onEachDatabase(t, async (t, open) => {
  let offset = 0;
  const time = slowClock();
  const now = () => time() + offset;
  const environment = { KEY_SECRET: SECRET };
  const database = await open();
  const first = await startService(t, database, environment, now);
  const connection = database.url === undefined ? database : await openDatabase(database.url);
  if (connection !== database) t.teardown(connection.close);
  const second = await startInstance(t, connection, environment, { now });
  const instances: Instance[] = [first, second];
  const options = {
    client: database.client,
    generation: database.generation,
    algorithm: 'RS256',
    keySecrets: [SECRET],
    now,
  } as const;
  const commands = administration(options);

  const kids = async ({ rest }: Instance): Promise<string[]> =>
    (await rest('GET', JWKS)).body.keys.map(({ kid }: { kid: string }) => kid);
  const published = (instance: Instance, expected: string[]) =>
    eventually(`the keys ${expected}`, async () => String(await kids(instance)) === String(expected));
  async function token({ rest }: Instance) {
    const body = { email: first.viewer.email, password: PASSWORD };
    const jwt = (await rest('POST', '/api/v1/auth/login', { body })).body.access_token as string;
    return { jwt, kid: decodeProtectedHeader(jwt).kid as string, headers: { authorization: `Bearer ${jwt}` } };
  }
  const states = async () => (await commands['keys.list']({})).map(({ state }) => state);

  t.test(
    'a rotation publishes the next key before it signs, and removes the old key after its last token',
    async (t) => {
      const [old = ''] = await kids(first);
      const before = await first.rest('GET', JWKS);
      const maxAge = Number(/max-age=(\d+)/.exec(before.headers.get('cache-control') as string)?.[1]);

      const next = (await commands['keys.rotate']({})).find(({ state }) => state === 'next')?.kid as string;
      for (const instance of instances) await published(instance, [old, next]);
      const after = await first.rest('GET', JWKS, {
        headers: { 'if-none-match': before.headers.get('etag') as string },
      });
      t.equal(after.status, 200, 'and the entity tag of the key set has changed');
      t.same(await states(), ['current', 'next']);
      await t.rejects(commands['keys.rotate']({}), { name: 'CommandError' }, 'one rotation at a time');

      offset = (maxAge + 5) * SECOND;
      const last = await token(first);
      t.equal(last.kid, old, 'a key set that was fetched just before the rotation may still be in use');
      offset = 311 * SECOND;
      for (const instance of instances) t.equal((await token(instance)).kid, next);
      const fresh = await token(second);
      for (const { rest } of instances) {
        for (const { headers } of [last, fresh])
          t.equal((await rest('GET', ME, { headers })).status, 200, 'both verify');
      }
      t.same(await states(), ['retired', 'current']);
      const remote = createRemoteJWKSet(new URL(second.url + JWKS));
      const currentDate = new Date(now());
      for (const { jwt } of [last, fresh]) await t.resolves(jwtVerify(jwt, remote, { currentDate }));

      offset += 899 * SECOND;
      for (const instance of instances) t.same(await kids(instance), [old, next], 'until its last token has expired');
      offset += 8 * SECOND;
      for (const instance of instances) t.same(await kids(instance), [next]);
      for (const { rest } of instances) {
        t.same(codeOf(await rest('GET', ME, { headers: last.headers })), [401, 'UNAUTHENTICATED']);
      }
      t.same(await states(), ['current']);
      t.equal(await database.client.signingKey.count(), 1, 'its private half is gone');
      const { jwt } = await token(first);
      t.equal((await second.rest('GET', ME, { headers: { authorization: `Bearer ${jwt}` } })).status, 200);
    },
  );

  t.test('a retired key is refused at once on every instance', async (t) => {
    const victim = await token(first);
    for (const { rest } of instances) t.equal((await rest('GET', ME, { headers: victim.headers })).status, 200);
    const [{ kid } = { kid: '' }] = await commands['keys.retire']({ kid: victim.kid });
    for (const instance of instances) await published(instance, [kid]);
    for (const instance of instances) {
      const { rest } = instance;
      t.same(codeOf(await rest('GET', ME, { headers: victim.headers })), [401, 'UNAUTHENTICATED'], 'also remembered');
      t.equal((await token(instance)).kid, kid);
    }
    await t.rejects(commands['keys.retire']({ kid: 'unknown' }), { name: 'CommandError' });

    const next = (await commands['keys.rotate']({})).at(-1)?.kid as string;
    const left = await commands['keys.retire']({ kid });
    t.match(left, [{ kid: next, state: 'current' }], 'a next key takes over');
    for (const instance of instances) await published(instance, [next]);
  });

  t.test('keys are encrypted under KEY_SECRET, and commands with another secret fail', async (t) => {
    const rows = await database.client.signingKey.findMany();
    for (const { privateKey, encrypted } of rows) {
      t.equal(encrypted, true);
      // The OID of the algorithm, which every PKCS #8 key contains in clear.
      t.notOk(Buffer.from(privateKey).includes(Buffer.from('2a864886f70d010101', 'hex')));
    }
    const stranger = administration({ ...options, keySecrets: ['another secret, and just as long as it'] });
    await t.rejects(stranger['keys.rotate']({}), { message: /another KEY_SECRET/ });
    t.same(await states(), ['current']);
  });

  t.test('rotation and retirement are in the audit table', async (t) => {
    const events = await commands['audit.read']({ limit: 100 });
    const ofKeys = events.filter(({ event }) => event.startsWith('key.'));
    t.same(
      ofKeys.map(({ event }) => event),
      ['key.rotated', 'key.retired', 'key.rotated', 'key.retired'],
    );
    t.match(ofKeys[0], { actor: null, address: null, subject: /^key:[\w-]{43}$/ });
  });

  t.test('an unknown kid causes no query', async (t) => {
    const { jwt } = await token(first);
    const [, payload, signature] = jwt.split('.');
    const head = Buffer.from(JSON.stringify({ alg: 'RS256', typ: 'JWT', kid: 'unknown' })).toString('base64url');
    const headers = { authorization: `Bearer ${head}.${payload}.${signature}` };
    const { statements } = await statementsOf(async () => {
      for (let attempt = 0; attempt < 20; attempt++) {
        t.equal((await first.rest('GET', ME, { headers })).status, 401);
      }
    });
    t.same(statements, []);
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('with HS256 there is nothing to rotate', async (t) => {
    const { client, generation } = await open();
    const commands = administration({ client, generation, algorithm: 'HS256', keySecrets: [], now: Date.now });
    await t.rejects(commands['keys.rotate']({}), { name: 'CommandError' });
  });
});
