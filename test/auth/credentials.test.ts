import t from 'tap';
import { credentialsService, verifiedPasswords } from '../../src/platform/accounts/credentials.js';
import { loginAttempts } from '../../src/platform/accounts/login-attempts.js';
import { networkOf } from '../../src/platform/accounts/networks.js';
import { type Hasher, hasher, passwords } from '../../src/platform/accounts/passwords.js';
import { slowClock } from '../support/clock.js';
import { memoryDatabase } from '../support/databases.js';

const secrets = ['a secret of the test'];
const caller = { address: '192.0.2.1', requestId: 'test' };

t.test('P03: an unknown address costs one hash, like a wrong password', async (t) => {
  const { client } = await memoryDatabase(t);
  const real = hasher();
  const forms: string[] = [];
  const counting: Hasher = {
    ...real,
    verify: (stored, password) => {
      forms.push(stored === null ? 'nobody' : 'somebody');
      return real.verify(stored, password);
    },
  };
  const now = slowClock();
  const admit = loginAttempts({ client, secrets, now, perMinute: 100 });
  const { check, basic, forget } = credentialsService({
    client,
    passwords: passwords(counting),
    admit,
    endSessions: async () => {},
    now,
  });
  const row = (name: string, passwordHash: string | null) => {
    const email = `${name}@example.com`;
    return client.user.create({ data: { name, email, emailKey: email, role: 'VIEWER', passwordHash } });
  };
  const { id } = await row('known', await real.hash('the right password'));
  await row('without', null);

  for (const occasion of ['login', 'change'] as const)
    for (const who of ['known', 'unknown', 'without', '\u0000'])
      t.equal(await check(occasion, caller, `${who}@example.com`, 'wrong'), undefined);
  t.same(forms, Array(2).fill(['somebody', 'nobody', 'nobody', 'nobody']).flat(), 'one hash each');

  forms.length = 0;
  for (let i = 0; i < 3; i++) t.match(await basic('known@example.com', 'the right password', caller), { id });
  t.equal(forms.length, 1, 'a verified Basic credential is remembered');
  forget(id);
  forms.length = 0;
  const atOnce = Array.from({ length: 200 }, () => basic('known@example.com', 'the right password', caller));
  for (const actor of await Promise.all(atOnce)) t.match(actor, { id });
  t.equal(forms.length, 1, 'and two hundred at once cost one hash');
  t.equal(await basic('known@example.com', 'the right passwor', caller), undefined);
  t.equal(await basic('unknown@example.com', 'the right password', caller), undefined);
  t.equal(forms.length, 3, 'one that is not right never is');
  forget(id);
  await basic('known@example.com', 'the right password', caller);
  t.equal(forms.length, 4);
  await client.user.update({ where: { id }, data: { passwordHash: await real.hash('another password') } });
  t.equal(
    await basic('known@example.com', 'the right password', caller),
    undefined,
    'a change needs no word from anyone',
  );
});

t.test('an attempt that could not be verified is not counted', async (t) => {
  const { client } = await memoryDatabase(t);
  const full = new Error('the queue is full');
  const failing = { ...hasher(), hash: () => Promise.reject(full), verify: () => Promise.reject(full) };
  const now = slowClock();
  const admit = loginAttempts({ client, secrets, now, perMinute: 2 });
  const { check } = credentialsService({
    client,
    passwords: passwords(failing),
    admit,
    endSessions: async () => {},
    now,
  });
  for (let i = 0; i < 20; i++) await t.rejects(check('login', caller, 'a@example.com', 'x'), full);
  t.same(
    (await client.throttle.findMany()).map(({ count }) => count),
    [0, 0, 0, 0],
  );
});

t.test('verified passwords are cached for a limited time, in limited number', async (t) => {
  let clock = 0;
  const known = verifiedPasswords(() => clock);
  known.add(1, 'stored', 'password');
  t.same(
    [known.has('stored', 'password'), known.has('stored', 'passwor'), known.has('storedp', 'assword')],
    [true, false, false],
  );
  clock = 5 * 60_000;
  t.notOk(known.has('stored', 'password'));
  for (let n = 0; n < 10_001; n++) known.add(n, 'stored', String(n));
  t.same([known.has('stored', '0'), known.has('stored', '10000')], [false, true]);
});

t.test('a hash with lower parameters is outdated', async (t) => {
  const form = (m: number, time: number, p: number) => `$argon2id$v=19$m=${m},t=${time},p=${p}$c2FsdA$aGFzaA`;
  const { isOutdated } = hasher();
  t.same([form(19_456, 2, 1), form(65_536, 3, 4)].map(isOutdated), [false, false]);
  t.same([form(8192, 2, 1), form(19_456, 1, 1), '$2b$10$x', form(19_456, 2, 1).replace('2id', '2i')].map(isOutdated), [
    true,
    true,
    true,
    true,
  ]);
});

t.test('an IPv6 host counts by its network', async (t) => {
  const pairs = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:1::5', '2001:db8:0:1'],
    ['2001:DB8:0:1:a:b:c:d', '2001:db8:0:1'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ] as const;
  for (const [ip, network] of pairs) t.equal(networkOf(ip), network, ip);
});
