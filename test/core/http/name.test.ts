import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import pg from 'pg';
import t from 'tap';
import { readConfig } from '../../../src/platform/server/config.js';
import { printAddresses } from '../../../src/platform/server/run.js';
import { memoryDatabase, onEachDatabase } from '../../support/databases.js';
import { EMAIL, notesContract, PASSWORD, startNotes } from '../../support/notes-fixture.js';
import { eventually, ROOT, run } from '../../support/process.js';
import { REDIS, skipWithoutRedis } from '../../support/servers.js';

const NAME = 'field-notes';
const TITLE = `Field's <Notes>`;
const LOGIN = { email: EMAIL, password: PASSWORD };

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const pairOf = (line = '') => line.split(';')[0] as string;

t.test('the name of an application is in its media type, cookies, tokens and pages', async (t) => {
  const { ask, bearer, database } = await startNotes(t, { name: NAME, title: TITLE });

  t.test('the vendor media type has the name', async (t) => {
    for (const [spelled, version] of [
      [`application/vnd.${NAME}+json; version=1`, '1'],
      [`application/vnd.${NAME}+json;v=2`, '2'],
      [`application/vnd.${NAME}+json`, '2'],
    ] as const) {
      const { status, headers } = await ask('GET', '/notes', { headers: { ...bearer, accept: spelled } });
      t.same([status, headers['api-version']], [200, version], spelled);
      t.match(headers['content-type'], `application/vnd.${NAME}+json`);
      t.match(headers['vary'], /\bAccept\b/);
    }
    const foreign = { ...bearer, accept: 'application/vnd.accord+json;v=1' };
    t.equal((await ask('GET', '/notes', { headers: foreign })).status, 406);
  });

  t.test('cookies have the name', async (t) => {
    const { cookies } = await ask('POST', '/api/v1/auth/login', { body: { ...LOGIN, cookie: true } });
    t.match(cookies, [/^field_notes_access=[^;]+; /, /^field_notes_refresh=fir_[^;]+; /]);
    const [access, refresh] = cookies.map(pairOf) as [string, string];
    t.equal((await ask('GET', '/notes', { headers: { cookie: access } })).status, 200);
    const foreign = access.replace('field_notes', 'accord');
    t.equal((await ask('GET', '/notes', { headers: { cookie: foreign } })).status, 401);
    const renewed = await ask('POST', '/api/v1/auth/refresh', { headers: { cookie: refresh } });
    t.match(renewed, { status: 200, cookies: [/^field_notes_access=/, /^field_notes_refresh=/] });
    const left = await ask('POST', '/api/v1/auth/logout', { headers: { cookie: pairOf(renewed.cookies[1]) } });
    t.match(left.cookies, [/^field_notes_access=;/, /^field_notes_refresh=;/]);
  });

  t.test('cookies over HTTPS have the name after their prefix', async (t) => {
    const environment = { TRUST_PROXY: 'loopback', DEMO: 'on' };
    const proxied = await startNotes(t, { name: NAME, database, environment });
    const headers = { 'x-forwarded-proto': 'https' };
    const { cookies } = await proxied.ask('POST', '/api/v1/auth/login', { headers, body: { ...LOGIN, cookie: true } });
    t.match(cookies, [/^__Host-field_notes_access=/, /^__Secure-field_notes_refresh=/]);
    const cookie = pairOf(cookies[0]);
    t.equal((await proxied.ask('GET', '/notes', { headers: { ...headers, cookie } })).status, 200);
    const bare = cookie.replace('__Host-', '');
    t.equal((await proxied.ask('GET', '/notes', { headers: { ...headers, cookie: bare } })).status, 401);
  });

  t.test('tokens have the prefixes, the issuer and the audience of the name', async (t) => {
    const jwt = await ask('POST', '/auth/login', { body: LOGIN });
    t.match(jwt.body.refreshToken, /^fir_[\w-]{43}$/);
    t.match(claimsOf(jwt.body.accessToken), { iss: NAME, aud: NAME });
    const { body } = await ask('POST', '/auth/login', { body: { ...LOGIN, flow: 'opaque' } });
    t.match(body.token, /^fio_[\w-]{43}$/);
    const by = (token: string) => ask('GET', '/notes', { headers: { authorization: `Bearer ${token}` } });
    t.equal((await by(body.token)).status, 200);
    t.equal((await by(body.token.replace('fio_', 'aco_'))).status, 401);
    const environment = { JWT_ISSUER: 'https://id.example.com', JWT_AUDIENCE: 'notes' };
    const other = await startNotes(t, { name: NAME, database, environment });
    const issued = other.bearer.authorization.split(' ')[1] as string;
    t.match(claimsOf(issued), { iss: 'https://id.example.com', aud: 'notes' }, 'what the operator says goes before');
  });

  t.test('challenges have the name as their realm', async (t) => {
    const bare = `Bearer realm="${NAME}", Basic realm="${NAME}", charset="UTF-8"`;
    t.equal((await ask('GET', '/notes')).headers['www-authenticate'], bare);
    const graphql = await ask('POST', '/graphql', { body: { query: '{ note }' } });
    t.match(graphql, { status: 200, headers: { 'www-authenticate': bare } });
    const headers = { authorization: 'Bearer x' };
    const invalid = `Bearer realm="${NAME}", error="invalid_token", Basic realm="${NAME}", charset="UTF-8"`;
    t.equal((await ask('GET', '/notes', { headers })).headers['www-authenticate'], invalid);
  });

  t.test('the pages have the title', async (t) => {
    const title = 'Field&#39;s &lt;Notes&gt;';
    for (const [path, accept] of [
      ['/docs', '*/*'],
      ['/docs/errors', '*/*'],
      ['/graphql', 'text/html'],
    ] as const) {
      const { status, text } = await ask('GET', path, { headers: { accept } });
      t.equal(status, 200, path);
      t.match(text, title, path);
      t.notMatch(text, /accord/i, path);
    }
    const { text } = await ask('GET', '/docs');
    t.match(text, `<title>${title} API reference</title>`);
  });
});

t.test('the lines of a start have the name', async (t) => {
  const lines = t.capture(console, 'log');
  const app = {
    log: undefined as never,
    core: { seams: { pages: {} } } as never,
    hasRoute: () => true,
    notWritten: [],
    restEntry: { probes: [], prefixes: ['/api/v1', '/api/v2'], sample: '/api/v2/labels' },
  };
  const [config, database] = [readConfig({}), { label: 'a database', migrated: [] } as never];
  printAddresses({
    title: TITLE,
    config,
    database,
    address: 'http://127.0.0.1:1',
    demo: { name: 'Ada', role: 'admin', ...LOGIN },
    app,
  });
  const [said] = lines().map(({ args }) => String(args[0]));
  t.match(said, `  ${TITLE} is ready.\n`);
  t.match(said, '  REST       http://localhost:1/api/v1  http://localhost:1/api/v2\n');
  t.match(said, `  Try it     curl -u '${EMAIL}:${PASSWORD}' http://localhost:1/api/v2/labels\n`);
});

t.test('an unsuitable name, and a contract of another application, prevent the start', async (t) => {
  const database = await memoryDatabase(t);
  for (const name of [
    '',
    'a',
    'Notes',
    'field_notes',
    'field notes',
    '1st',
    '-a',
    'a--b',
    'a-',
    'a'.repeat(21),
    'é́a',
  ]) {
    await t.rejects(startNotes(t, { name, database, contract: notesContract('accord') }), {
      message: /^The application's name is ".*", and must have 2 to 20 lower-case letters, digits/,
    });
  }
  await t.rejects(startNotes(t, { name: NAME, database, title: 'two\nlines' }), { message: /title must be one line/ });
  const error = await startNotes(t, { name: NAME, database, contract: notesContract('shop') }).catch(
    (thrown: Error) => thrown,
  );
  const { message } = error as Error;
  t.match(message, 'the cookie shop_access is not field_notes_access');
  t.match(message, 'refreshSession: the cookie shop_refresh is not field_notes_access or field_notes_refresh');
  t.match(message, 'listNotes speaks application/vnd.shop+json');
  t.equal(message.match(/listNotes speaks/g)?.length, 1, 'once, whatever has it');

  const program = (name: string, own: string) =>
    `import { run as serve } from '${ROOT}/src/platform/server/run.js';
    await serve({ name: '${name}', application: async () => ({ name: '${own}', handlers: {}, resolvers: {}, services: () => ({}) }) });`;
  for (const [name, own, says] of [
    ['Field Notes', NAME, /^Field Notes cannot start\.\nThe application's name is "Field Notes", and must/],
    [NAME, 'shop', /^field-notes cannot start\.\nThe program is called "field-notes", and its application "shop"\.$/m],
  ] as const) {
    const environment = { PORT: '0', DATABASE_URL: 'pglite://memory' };
    const args = ['--import', 'tsx', '--input-type=module', '-e', program(name, own)];
    const { code, stderr } = await run(t, [process.execPath, ...args], environment).ended;
    t.equal(code, 1);
    t.match(stderr.trim(), says);
  }
});

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { url } = database;

  t.test(
    'two applications on one database do not receive signals of each other',
    { skip: url === undefined },
    async (t) => {
      const here = await startNotes(t, { name: NAME, database });
      const there = await startNotes(t, { name: 'shop', database });
      t.equal((await there.ask('GET', '/notes', { headers: here.bearer })).status, 401, 'nor take its tokens');

      const client = new pg.Client({ connectionString: url as string });
      await client.connect();
      t.teardown(() => client.end());
      const heard: string[] = [];
      client.on('notification', ({ channel }) => heard.push(channel));
      for (const name of ['field_notes', 'shop', 'accord']) {
        for (const what of ['revocations', 'sessions', 'streams']) await client.query(`LISTEN ${name}_${what}`);
      }
      for (const [{ ask }, name] of [
        [here, 'field_notes'],
        [there, 'shop'],
      ] as const) {
        heard.length = 0;
        const { cookies } = await ask('POST', '/auth/login', { body: { ...LOGIN, cookie: true } });
        const ended = await ask('POST', '/auth/logout', { headers: { cookie: pairOf(cookies[1]) } });
        t.equal(ended.status, 204);
        await client.query('SELECT 1');
        await eventually('the signal', () => heard.length > 0);
        t.same(heard, [`${name}_sessions`]);
      }
    },
  );
});

t.test(
  'two applications on one Redis share neither signals nor rate counters',
  { skip: skipWithoutRedis },
  async (t) => {
    const prefix = randomUUID();
    const environment = { REDIS_URL: `${REDIS.href.replace(/\/$/, '')}?keyPrefix=${prefix}`, RATE_LIMIT: '100' };
    const redis = new Redis(REDIS.href);
    t.teardown(() => redis.disconnect());
    await once(redis, 'ready');
    const here = await startNotes(t, { name: NAME, environment });
    const there = await startNotes(t, { name: 'shop', environment });
    await eventually('the topics of both', async () => {
      const topics = (await redis.pubsub('CHANNELS', `${prefix}*`)) as string[];
      return topics.sort().join() === [`${prefix}field_notes_streams:text`, `${prefix}shop_streams:text`].join();
    });

    // Both accounts have the same id.
    for (let n = 0; n < 3; n++) await here.ask('GET', '/notes', { headers: here.bearer });
    const { headers } = await there.ask('GET', '/notes', { headers: there.bearer });
    t.equal(headers['x-rate-limit-remaining'], '99');
    // An instance counts locally for a second after a time-out of Redis.
    await eventually('what both have counted', async () => {
      for (const service of [here, there]) await service.ask('GET', '/notes', { headers: service.bearer });
      const keys = (await redis.keys(`${prefix}*`)).map((key) => key.slice(prefix.length).split(':')[0]);
      return [...new Set(keys)].sort().join() === [NAME, 'shop'].join();
    });
  },
);
