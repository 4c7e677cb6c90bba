import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { application } from '../../../src/application/application.js';
import { demo } from '../../../src/application/seed.js';
import { operations } from '../../../src/platform/core/contract/openapi.js';
import { filesIn } from '../../../src/platform/core/contract/project-files.js';
import { notWrittenFields } from '../../../src/platform/core/graphql/plugin.js';
import { type Handlers, notWrittenOperations } from '../../../src/platform/core/rest/plugin.js';
import { openApiOf } from '../../../src/workbench/model/openapi-source.js';
import { demoDirectory, emptyDirectory } from '../../support/demo.js';
import {
  ask,
  basic,
  type Ended,
  eventually,
  messagesIn,
  refusedServer,
  type Server,
  startServer,
  temporaryFolder,
} from '../../support/process.js';
import { ARRIVAL, PRODUCTION, PROXIED } from '../../support/production.js';
import { open, untilClosed } from '../../support/raw.js';

const { email: DEMO_ADMIN, password: DEMO_PASSWORD } = demo.people[0];

const shell = promisify(execFile);
const MEMORY = { DATABASE_URL: 'pglite://memory' };
const JSON_BODY = { 'content-type': 'application/json' };
const STACK = /^ +at /m;

const inFolder = (t: Test) => ({ DATABASE_URL: `pglite://${temporaryFolder(t)}` });

/** Returns the line with a label, without the label. */
function line(output: string, label: string): string {
  const found = output.split('\n').find((line) => line.startsWith(`  ${label} `));
  if (found === undefined) throw new Error(`${label} was not printed.`);
  return found.slice(label.length + 2).trim();
}

const login = ({ url }: Server, credentials: { email: string; password: string }) =>
  ask(`${url}/api/v1/auth/login`, { method: 'POST', headers: JSON_BODY, body: JSON.stringify(credentials) });

t.test('a start prints the addresses and accounts; its data survive a kill and belong to one process', async (t) => {
  const environment = inFolder(t);
  const first = await startServer(t, { ...environment, RATELIMIT: 'hunter2' });
  const printed = first.stdout();
  t.match(first.stderr(), 'RATELIMIT: is not a variable of this service. Did you mean RATE_LIMIT?\n');
  t.notMatch(first.stderr() + printed, /hunter2/);
  t.match(line(printed, 'Database'), /^embedded PostgreSQL in \S+ \(migrated: 0_init.*\)$/);
  t.match(first.url, /^http:\/\/localhost:[1-9]\d+$/, 'the port that was taken, not the 0 that was asked for');
  t.equal(line(printed, 'GraphQL'), `${first.url}/graphql`);
  for (const address of [line(printed, 'Docs'), ...line(printed, 'Contracts').split(/ +/)]) {
    const response = await ask(address);
    t.equal(response.status, 200, address);
    await response.arrayBuffer();
  }
  const openapi = openApiOf(readFileSync('openapi.yaml', 'utf8'), undefined, filesIn('.')).document;
  const notWritten = [
    ...notWrittenOperations(operations(openapi), application.handlers as Handlers),
    ...notWrittenFields(application.resolvers),
  ];
  t.equal(notWritten.length > 0 ? line(printed, 'Not written yet (501):') : '', notWritten.join(', '));

  const [email = '', password = ''] = line(printed, 'Demo login').split(' / ');
  t.equal((await login(first, { email, password })).status, 200, 'the demo login works');
  const { stdout } = await shell('sh', [
    '-c',
    line(printed, 'Try it').replace('curl', 'curl --retry 30 --retry-delay 1 -sS -f'),
  ]);
  t.match(JSON.parse(stdout), [{ email }], 'the line to paste works');

  const headers = { ...basic(email, password), ...JSON_BODY };
  const create = async ({ url }: Server, name: string) => {
    const body = JSON.stringify({ name, email: `${name}@example.com`, role: 'viewer' });
    return (await ask(`${url}/api/v1/users`, { method: 'POST', headers, body })).status;
  };
  const emails = async ({ url }: Server) =>
    ((await (await ask(`${url}/api/v1/users`, { headers })).json()) as { email: string }[]).map((user) => user.email);
  t.equal(await create(first, 'mary'), 201);

  await t.test('one process owns the data, and no signal loses them', async (t) => {
    const second = await refusedServer(t, environment);
    t.equal(second.code, 1, 'a second process is refused');
    t.match(second.stderr, `is in use by process ${first.pid}.`);
    t.notMatch(second.stderr, STACK);
    t.ok((await emails(first)).includes('mary@example.com'), 'and does the first one no harm');

    const silent = connect(Number(new URL(first.url).port), '127.0.0.1');
    t.teardown(() => silent.destroy());
    await once(silent, 'connect');
    await (await ask(`${first.url}/livez`)).text();
    first.kill('SIGTERM');
    t.equal((await first.ended).code, 0, 'SIGTERM is a good end, for which a silent connection is not waited out');

    const third = await startServer(t, environment);
    t.notMatch(third.stdout(), 'migrated', 'no migration is applied twice');
    t.equal(await create(third, 'anne'), 201);
    third.kill('SIGKILL');
    await third.ended;

    const fourth = await startServer(t, environment);
    t.strictSame((await emails(fourth)).slice(-2), ['mary@example.com', 'anne@example.com']);
    fourth.kill('SIGINT');
    t.equal((await fourth.ended).code, 0, 'SIGINT is a good end as well');
    const fifth = await startServer(t, environment);
    fifth.kill('SIGHUP');
    const hungUp = await fifth.ended;
    t.same([hungUp.code, hungUp.signal], [0, null], 'and so is SIGHUP');
  });
});

t.test('a second signal ends a process that waits for a request', async (t) => {
  const server = await startServer(t, { DATABASE_URL: await demoDirectory(t) });
  const socket = open(server.url);
  const head = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n';
  socket.write(`${head}Expect: 100-continue\r\n\r\n`);
  const [begun] = await once(socket, 'data');
  t.match(String(begun), /^HTTP\/1\.1 100 /, 'its body is waited for');
  const dropped = untilClosed(socket);
  server.kill('SIGTERM');
  await eventually('the first signal', () => server.stdout().includes('"msg":"stopping"'));
  // npm repeats a signal immediately.
  const again = setInterval(() => server.kill('SIGTERM'), 100);
  const { code, stdout } = await server.ended;
  clearInterval(again);
  t.equal(code, 1);
  t.match(stdout, '"msg":"stopping at once"');
  t.equal(await dropped, '', 'without an answer');
});

t.test('a server under npm ends with the shell of npm', async (t) => {
  const command = ['sh', '-c', `'${process.execPath}' src/platform/server/cli/bin.js start; :`] as const;
  const shell = await startServer(t, { DATABASE_URL: await demoDirectory(t), npm_lifecycle_event: 'start' }, command);
  shell.kill('SIGTERM');
  // The output closes with the server.
  const { signal, stdout } = await shell.ended;
  t.equal(signal, 'SIGTERM', 'the shell dies without a word');
  t.match(stdout, '"msg":"stopping"', 'the server in good order');
  await t.rejects(fetch(shell.url));
});

/** Failing starts: the variable that the message must name, and the texts that it must not contain. */
const REFUSALS: {
  name: string;
  environment: (t: Test) => Promise<Record<string, string>>;
  says: string;
  hides?: string;
}[] = [
  {
    name: 'a variable that is wrong',
    environment: async () => ({ PORT: 'abc', KEY_SECRET: 'hunter2', DATBASE_URL: 'hunter2' }),
    says: 'PORT: must be integer\nKEY_SECRET: must have at least 32 characters',
    hides: 'abc|hunter2',
  },
  {
    name: 'production without a secret',
    environment: async () => ({ ...MEMORY, NODE_ENV: 'production' }),
    says: 'KEY_SECRET: production has no default secret',
  },
  {
    name: 'an address beyond this machine, without secrets',
    environment: async () => ({ ...MEMORY, HOST: '0.0.0.0' }),
    says: 'The rules of production apply because of HOST. DEMO=on applies the rules of a demo.',
  },
  {
    name: 'a proxy, without an administrator',
    environment: async (t) => ({ DATABASE_URL: await emptyDirectory(t), ...PROXIED, NODE_ENV: '' }),
    says: 'there is no administrator yet; set both.\nThe rules of production apply because of PUBLIC_URL, TRUST_PROXY.',
  },
  {
    name: 'production without an administrator',
    environment: async (t) => ({ DATABASE_URL: await emptyDirectory(t), ...PRODUCTION }),
    says: 'ADMIN_EMAIL, ADMIN_PASSWORD: there is no administrator yet',
  },
  {
    name: 'an administrator with a common password',
    environment: async () => ({ ...MEMORY, ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: '123456789012' }),
    says: 'ADMIN_PASSWORD: is one of the passwords that attackers try first',
    hides: '123456789012',
  },
  {
    name: 'production on demo data',
    environment: async (t) => ({ DATABASE_URL: await demoDirectory(t), ...PRODUCTION }),
    says: 'DATABASE_URL: names a database with demo accounts',
    hides: DEMO_PASSWORD,
  },
  {
    name: 'a DATABASE_URL of an unknown form',
    environment: async () => ({ DATABASE_URL: 'mysql://root:hunter2@localhost/accord' }),
    says: 'DATABASE_URL (mysql:…) has an unknown form',
    hides: 'hunter2',
  },
  {
    name: 'a port that is in use',
    environment: async (t) => {
      const other = createServer().listen(0, '127.0.0.1');
      t.teardown(() => other.close());
      await once(other, 'listening');
      return { ...MEMORY, HOST: '127.0.0.1', PORT: String((other.address() as AddressInfo).port) };
    },
    says: 'PORT: another process listens on ',
  },
];

for (const { name, environment, says, hides } of REFUSALS) {
  t.test(`a start fails with a sentence for ${name}`, async (t) => {
    const { code, stdout, stderr } = await refusedServer(t, await environment(t));
    t.equal(code, 1);
    t.match(messagesIn(stderr), `accord cannot start.\n`);
    t.match(messagesIn(stderr), says);
    t.notMatch(stderr, STACK);
    t.notMatch(stdout, 'Accord is ready');
    if (hides !== undefined) t.notMatch(stdout + stderr, new RegExp(hides));
  });
}

t.test(
  'in production, the first administrator comes from the environment, and introspection and GraphiQL are off',
  async (t) => {
    const admin = { email: 'root@example.com', password: 'an administrator of our own' };
    const server = await startServer(t, {
      DATABASE_URL: await emptyDirectory(t),
      ...PROXIED,
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
    });
    t.notMatch(server.stdout(), /Demo login|Try it/);
    t.notMatch(server.stdout(), admin.password);

    const headers = { ...basic(admin.email, admin.password), ...JSON_BODY, ...ARRIVAL };
    const users = await ask(`${server.url}/api/v1/users`, { headers });
    t.equal(users.status, 200);
    t.match(await users.json(), [{ email: admin.email, role: 'admin' }]);

    const run = async (query: string) => {
      const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
      return (await ask(`${server.url}/graphql`, init)).json();
    };
    t.match(await run('{ me { email } }'), { data: { me: { email: admin.email } } });
    t.match(await run('{ __schema { types { name } } }'), { data: null, errors: [{}] }, 'no introspection');
    const page = await ask(`${server.url}/graphql`, { headers: { accept: 'text/html' } });
    t.strictSame([page.status, page.headers.get('allow')], [405, 'POST'], 'no GraphiQL');
  },
);

t.test('a demo on a public address needs DEMO, and credentials need HTTPS', async (t) => {
  const server = await startServer(t, { ...MEMORY, HOST: '0.0.0.0', TRUST_PROXY: 'loopback', DEMO: 'on' });
  const [email = '', password = ''] = line(server.stdout(), 'Demo login').split(' / ');
  const { port } = new URL(server.url);
  const ask = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${port}/api/v1/users`, { headers: { ...basic(email, password), ...headers } });
  t.equal((await ask({ 'x-forwarded-for': '203.0.113.7' })).status, 403);
  t.equal((await ask({ 'x-forwarded-for': '203.0.113.7', ...ARRIVAL })).status, 200);
});

/** Loaded before the service: prints as dependencies do when the service stops, and throws at SIGUSR2 where nothing catches. */
const LOUD = `
  function print() {
    process.emitWarning('a warning of Node', 'DeprecationWarning', 'DEP9999');
    console.log('printed by %s', 'a dependency');
    console.warn(new Error('a warning of a dependency'));
  }
  process.once('SIGTERM', print);
  process.once('SIGUSR2', () => { print(); throw new Error('nothing catches this'); });`;
/** Loaded before the service: throws when the start looks for its port. */
const FAULTY = `
  import { Socket } from 'node:net';
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (...given) {
    setImmediate(() => { throw new Error('nothing catches this'); });
    return connect.apply(this, given);
  };`;
const loading = (module: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}`,
});

/** Returns the lines of an output, each of which must be JSON in the form of the log. */
function jsonLines(t: Test, output: string): Record<string, unknown>[] {
  const texts = output.split('\n').filter((line) => line !== '');
  return texts.map((text) => {
    const line = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    t.match(line, { level: Number, time: Number, pid: Number, hostname: String, msg: String }, text);
    return line;
  });
}

t.test('production prints JSON lines only, from the start to the end, whoever prints', async (t) => {
  const environment = {
    ...PROXIED,
    ADMIN_EMAIL: 'root@example.com',
    ADMIN_PASSWORD: 'an administrator of our own',
    RATELIMIT: 'hunter2',
    ...loading(LOUD),
  };
  const wholeOutput = ({ stdout, stderr }: Ended) => jsonLines(t, stdout + stderr);
  for (const [signal, code, last] of [
    ['SIGTERM', 0, { level: 30, msg: 'stopping' }],
    ['SIGUSR2', 1, { level: 60, msg: 'stopping after a fault', err: { message: 'nothing catches this' } }],
  ] as const) {
    const server = await startServer(t, { DATABASE_URL: await emptyDirectory(t), ...environment });
    server.kill(signal);
    const ended = await server.ended;
    t.equal(ended.code, code, signal);
    const lines = wholeOutput(ended);
    for (const expected of [
      { level: 30, msg: 'Accord is ready.', GraphQL: 'https://api.example.com/graphql', notWritten: [] },
      { level: 40, msg: 'RATELIMIT: is not a variable of this service. Did you mean RATE_LIMIT?' },
      { level: 40, msg: 'a warning of Node', err: { type: 'DeprecationWarning' } },
      { level: 30, msg: 'printed by a dependency' },
      { level: 40, msg: 'a warning of a dependency', err: { type: 'Error', stack: /at / } },
      last,
    ])
      t.match(
        lines.find(({ msg }) => msg === expected.msg),
        expected,
      );
  }

  const failed = async (change: Record<string, string>) => {
    const ended = await refusedServer(t, { DATABASE_URL: 'pglite://memory', ...environment, ...change });
    t.equal(ended.code, 1);
    return wholeOutput(ended).filter(({ level }) => level === 50);
  };
  t.match(await failed({ KEY_SECRET: '' }), [{ msg: /^accord cannot start\.\nKEY_SECRET: production has no default/ }]);
  t.match(await failed({ DATABASE_URL: 'postgres://127.0.0.1:5432/no_such_database' }), [
    { msg: /^accord cannot start\..*no_such_database/s },
  ]);
  t.match(await failed(loading(FAULTY)), [{ msg: 'nothing catches this', err: { stack: /at / } }]);
});

t.test('the log contains no secret at any level', async (t) => {
  const secrets = {
    KEY_SECRET: 'the key secret that nobody may read',
    JWT_SECRET: 'the token secret that nobody may read',
    METRICS_TOKEN: 'metrics-token-that-nobody-may-read',
  };
  const server = await startServer(t, { DATABASE_URL: await demoDirectory(t), ...secrets, LOG_LEVEL: 'trace' });
  const entered = 'a password that was typed';
  const demo = { email: DEMO_ADMIN, password: DEMO_PASSWORD };
  const tokens = (await (await login(server, demo)).json()) as Record<string, unknown>;
  const credentials = Object.values(tokens).filter((value) => typeof value === 'string' && value.length > 20);
  t.ok(credentials.length > 0, 'a login gives tokens');

  const send = (path: string, body: string, headers: Record<string, string>) =>
    ask(server.url + path, { method: 'POST', headers: { ...JSON_BODY, ...headers }, body });
  const bearer = { authorization: `Bearer ${tokens['access_token']}` };
  const wrong = basic(DEMO_ADMIN, entered);
  const account = { name: 'Mary', email: 'mary@example.com', role: 'viewer', password: entered };
  const statuses = await Promise.all([
    ask(`${server.url}/api/v1/users`, { headers: basic(demo.email, demo.password) }),
    ask(`${server.url}/api/v1/users`, { headers: bearer }),
    ask(`${server.url}/api/v1/users`, { headers: wrong }),
    ask(`${server.url}/metrics`, { headers: { authorization: `Bearer ${secrets.METRICS_TOKEN}` } }),
    login(server, { ...demo, password: entered }),
    send('/api/v1/users', JSON.stringify(account), bearer),
    send('/api/v1/users', JSON.stringify(account).slice(0, -1), bearer),
    send('/graphql', JSON.stringify({ query: '{ me { id } }', variables: { password: entered } }), bearer),
  ]).then((responses) => responses.map(({ status }) => status));
  t.strictSame(statuses, [200, 200, 401, 200, 401, 201, 400, 200]);

  server.kill('SIGTERM');
  const { stdout, stderr } = await server.ended;
  const log =
    stderr +
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .join('\n');
  t.match(log, '"msg":"stopping"');
  const hidden = [...credentials, ...Object.values(secrets), entered, DEMO_PASSWORD, wrong.authorization.slice(6)];
  t.strictSame(
    hidden.filter((secret) => log.includes(String(secret))),
    [],
  );
  t.notMatch(log, /authorization|\b(Basic|Bearer) /i);
});
