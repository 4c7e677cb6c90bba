import t, { type Test } from 'tap';
import { openDatabase } from '../../../src/platform/database/open.js';
import { accord } from '../../support/accord.js';
import { blankDatabase, memoryDatabase, TEST_TIMEOUTS_MS } from '../../support/databases.js';
import { PASSWORD } from '../../support/people.js';
import { skipWithoutPostgresql } from '../../support/servers.js';
import { type Instance, startInstance, startService } from '../../support/service.js';

const KEY_SECRET = 'a secret that encrypts the keys at rest';
const [OLD, NEW] = ['the older secret of the access tokens', 'the newer secret of the access tokens'];
const ME = '/api/v1/auth/me';
type Environment = Record<string, string>;

/** A database on a server, on which each instance has connections of its own. */
async function fleet(t: Test) {
  const url = await blankDatabase(t);
  const open = async () => {
    const database = Object.assign(await openDatabase(url, { limits: TEST_TIMEOUTS_MS, poolSize: 3 }), { url });
    t.teardown(database.close);
    return database;
  };
  const start = async (environment: Environment) => startInstance(t, await open(), { KEY_SECRET, ...environment });
  const accept = (environment: Environment) =>
    accord(t, ['settings', 'accept'], { DATABASE_URL: url, KEY_SECRET, ...environment });
  const first = async (environment: Environment) => startService(t, await open(), { KEY_SECRET, ...environment });
  return { url, start, accept, first };
}

t.test(
  'an instance that would disagree does not start, and its message names the setting and both remedies',
  { skip: skipWithoutPostgresql },
  async (t) => {
    const { start, first } = await fleet(t);
    const hs256 = { JWT_ALGORITHM: 'HS256', JWT_SECRET: OLD };
    const { database } = await first({ ...hs256, JWT_ISSUER: 'one', JWT_AUDIENCE: 'one', RATE_LIMIT: '100' });
    const same = { ...hs256, JWT_ISSUER: 'one', JWT_AUDIENCE: 'one', RATE_LIMIT: '100' };
    const cases: [name: string, environment: Environment][] = [
      ['JWT_ISSUER', { ...same, JWT_ISSUER: 'hidden' }],
      ['JWT_AUDIENCE', { ...same, JWT_AUDIENCE: 'hidden' }],
      ['JWT_ALGORITHM', { ...same, JWT_ALGORITHM: 'RS256' }],
      ['JWT_SECRET', { ...same, JWT_SECRET: `hidden ${NEW}` }],
      ['KEY_SECRET', { ...same, KEY_SECRET: `hidden ${KEY_SECRET}` }],
    ];
    for (const [name, environment] of cases) {
      const error = await start(environment).then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      t.match(error, { message: new RegExp(`^${name}: .*(orrect it|${name}=old,new).*accord settings accept`) }, name);
      t.notMatch(error, { message: /hidden/ }, name);
    }
    await start(same);
    const stored = await database.client.fleetSetting.findMany();
    for (const { code } of stored) t.match(code, /^[\w-]{43}$/, 'only codes are stored');
    const codes = () => database.client.fleetSetting.findMany({ where: { name: 'RATE_LIMIT' } });
    const before = await codes();
    await start({ ...same, RATE_LIMIT: '200' });
    t.notSame(await codes(), before, 'another rate is taken');
  },
);

const tokenOf = async ({ rest }: Instance, email: string) => {
  const { status, body } = await rest('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
  if (status !== 200) throw new Error(`A login is ${status}.`);
  return `Bearer ${body.access_token}`;
};

t.test(
  'a rolling change of JWT_SECRET refuses no token of an instance that runs',
  { skip: skipWithoutPostgresql },
  async (t) => {
    const { start, first } = await fleet(t);
    const hs256 = (JWT_SECRET: string) => ({ JWT_ALGORITHM: 'HS256', JWT_SECRET });
    const service = await first(hs256(OLD));
    const running: Instance[] = [service, await start(hs256(OLD))];
    for (const secrets of [`${OLD},${NEW}`, `${NEW},${OLD}`, NEW]) {
      for (const place of [0, 1]) {
        running[place] = await start(hs256(secrets));
        for (const issuer of running) {
          const authorization = await tokenOf(issuer, service.viewer.email);
          for (const instance of running)
            t.equal((await instance.rest('GET', ME, { headers: { authorization } })).status, 200);
        }
      }
    }
    await t.rejects(start(hs256(OLD)), { message: /^JWT_SECRET: / }, 'the old one alone is refused');
  },
);

t.test(
  'accord settings accept makes another issuer that of all instances',
  { skip: skipWithoutPostgresql },
  async (t) => {
    const { start, accept, first } = await fleet(t);
    const { database } = await first({ JWT_ISSUER: 'one' });
    await t.rejects(start({ JWT_ISSUER: 'other' }), { message: /^JWT_ISSUER: / });
    t.match(await accept({ JWT_ISSUER: 'other', KEY_SECRET: '' }), { code: 1, stderr: /^KEY_SECRET: set it/ });
    t.match(await accept({ JWT_ISSUER: 'other' }), { code: 0, stdout: / JWT_ISSUER[,.]/ });
    t.match(await database.client.auditEvent.findMany({ where: { event: 'settings.accepted' } }), [{ actorId: null }]);
    await start({ JWT_ISSUER: 'other' });
    await t.rejects(start({ JWT_ISSUER: 'one' }), { message: /^JWT_ISSUER: / });
  },
);

t.test('the only instance on an embedded database takes each change, also back', async (t) => {
  const database = await memoryDatabase(t);
  for (const JWT_ISSUER of ['one', 'other', 'one']) await startInstance(t, database, { JWT_ISSUER });
  t.same(await database.client.fleetSetting.findMany(), []);
});
