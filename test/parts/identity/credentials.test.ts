import t from 'tap';
import { prefixesOf } from '../../../src/platform/core/calls/fair-queue.js';
import { networkOf, parseAddress } from '../../../src/platform/core/calls/networks.js';
import { type Hasher, passwordHasher } from '../../../src/platform/core/hasher.js';
import { credentialsService, verifiedPasswords } from '../../../src/platform/parts/identity/accounts/credentials.js';
import { loginAttempts } from '../../../src/platform/parts/identity/accounts/login-attempts.js';
import { passwords } from '../../../src/platform/parts/identity/accounts/passwords.js';
import { slowClock } from '../../support/clock.js';
import { memoryDatabase } from '../../support/databases.js';
import { eventually } from '../../support/process.js';

const secrets = ['a secret of the test'];
const caller = { address: '192.0.2.1', requestId: 'test' };

t.test('P03: an unknown address costs one hash, like a wrong password', async (t) => {
  const { client } = await memoryDatabase(t);
  const real = passwordHasher();
  const forms: string[] = [];
  const counting: Hasher = {
    ...real,
    verify: (stored, password) => {
      forms.push(stored === null ? 'nobody' : 'somebody');
      return real.verify(stored, password);
    },
  };
  const now = slowClock();
  const attempts = loginAttempts({ client, secrets, now, perMinute: 100 });
  const { check, basic, forget } = credentialsService({
    client,
    passwords: passwords(counting),
    attempts,
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
  let tried = 0;
  const verify = () => {
    tried += 1;
    return Promise.reject(full);
  };
  const failing = { ...passwordHasher(), hash: () => Promise.reject(full), verify };
  const now = slowClock();
  const attempts = loginAttempts({ client, secrets, now, perMinute: 2 });
  const { check } = credentialsService({
    client,
    passwords: passwords(failing),
    attempts,
    endSessions: async () => {},
    now,
  });
  const attempt = () => check('login', caller, 'a@example.com', 'x');
  for (let i = 0; i < 20; i++) await t.rejects(attempt(), full);
  await Promise.allSettled([attempt(), attempt()]);
  t.equal(tried, 22, 'an equal attempt that waited is verified by itself');
  t.same(
    (await client.throttle.findMany()).map(({ count }) => count),
    [0, 0, 0, 0],
  );
});

t.test('S12: networks take turns for hashes, and a network that the account knows keeps a place', async (t) => {
  const { client } = await memoryDatabase(t);
  let gate = Promise.resolve();
  const verify: Hasher['verify'] = async (stored) => gate.then(() => stored !== null);
  const queue = passwords({ ...passwordHasher(), verify });
  const now = slowClock();
  const attempts = loginAttempts({ client, secrets, now, perMinute: 1000 });
  const { check } = credentialsService({ client, passwords: queue, attempts, endSessions: async () => {}, now });
  const names = ['owner', ...Array.from({ length: 8 }, (_, i) => `honest${i}`)];
  for (const name of names) {
    const email = `${name}@example.com`;
    await client.user.create({ data: { name, email, emailKey: email, role: 'VIEWER', passwordHash: 'stored' } });
  }
  const served: string[] = [];
  const login = async (name: string, address: string) => {
    const account = await check('login', { address, requestId: 'test' }, `${name}@example.com`, `password of ${name}`);
    served.push(name);
    return account;
  };
  const home = '203.0.113.9';
  t.ok(await login('owner', home));
  served.length = 0;

  let open = () => {};
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const flood = async (name: string, addressOf: (i: number) => string) => {
    const logins = Array.from({ length: queue.figures().running === 0 ? 400 : 120 }, (_, i) =>
      login(`${name}${i}`, addressOf(i)).catch(({ code }) => code),
    );
    await eventually('a full queue', () => queue.figures().waiting === 100);
    return logins;
  };
  const attack = await flood('attacker', (i) => `2001:db8:a:${i.toString(16)}::1`);
  const honest = names.slice(1).map((name, i) => login(name, `192.0.${i}.1`));
  const strangers = await flood('stranger', (i) => `198.18.${i}.1`);
  const known = login('owner', home);
  await eventually('places that are taken', () =>
    client.knownNetwork.count().then(() => queue.figures().waiting === 100),
  );
  const { running } = queue.figures();
  open();
  t.ok(await known);
  for (const answer of await Promise.all(honest)) t.ok(answer);
  const refused = (await Promise.all([...attack, ...strangers])).filter((answer) => answer === 'UNAVAILABLE');
  t.ok(refused.length > 0);
  const place = served.filter((name) => !name.startsWith('attacker')).indexOf('owner');
  t.ok(place >= 0 && place <= running, `the owner waits for few strangers: ${place}`);
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
  const { isOutdated } = passwordHasher();
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
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:FFFF:192.0.2.1', '192.0.2.1'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
    ['1::3:4:5:6:192.0.2.1', '1:0:3:4'],
    ['2001:db8:0:1::5', '2001:db8:0:1'],
    ['2001:DB8:0:1:a:b:c:d', '2001:db8:0:1'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ] as const;
  for (const [ip, network] of pairs) t.equal(networkOf(parseAddress(ip) as string), network, ip);
});

t.test('networks take turns by /48, /56 and /64, or by /24 and address', async (t) => {
  const rows = [
    ['198.51.100.7', ['198.51.100', '198.51.100.7']],
    ['2001:db8:a:1234', ['2001:db8:a', '2001:db8:a:12', '2001:db8:a:1234']],
    ['2001:db8:a:5', ['2001:db8:a', '2001:db8:a:00', '2001:db8:a:5']],
    ['', ['', '']],
  ] as const;
  for (const [network, prefixes] of rows) t.same(prefixesOf(network), prefixes, network);
});
