import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import t from 'tap';
import { ConfigError } from '../../src/platform/server/config.js';
import { exampleVariables, exampleConfig as readConfig } from '../support/example.js';
import { temporaryFolder } from '../support/process.js';
import { PRODUCTION } from '../support/production.js';

const SECRET = '0123456789abcdef0123456789abcdef';

/** Returns the error of an environment; undefined if it is valid. */
function refusal(environment: NodeJS.ProcessEnv): string | undefined {
  try {
    readConfig(environment);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

t.test('an empty environment gives the defaults, and nothing may change them', async (t) => {
  const config = readConfig({});
  t.strictSame(config, {
    NODE_ENV: 'development',
    PORT: 3000,
    HOST: 'localhost',
    LOG_LEVEL: 'info',
    DATABASE_POOL: 10,
    MIGRATE_ON_START: 'on',
    JWT_ALGORITHM: 'RS256',
    BODY_LIMIT: 65_536,
    RATE_LIMIT: 300,
    RATE_LIMIT_ANONYMOUS: 60,
    LOGIN_LIMIT: 10,
    GRAPHQL_MAX_DEPTH: 10,
    GRAPHQL_MAX_COMPLEXITY: 5000,
    GRAPHQL_MAX_ALIASES: 30,
    GRAPHQL_MAX_TOKENS: 2000,
    GRAPHQL_MAX_BATCH: 10,
    GRAPHQL_MAX_SUBSCRIBE: 16_384,
    PAYMENT_TIMEOUT: 2000,
    DRAIN_DELAY: 0,
    REQUEST_LOG_RATE: 100,
    WEBSOCKET_PING: 30_000,
    production: false,
    given: [],
  });
  t.ok(Object.isFrozen(config));
});

t.test('empty and blank variables count as unset, and other variables are ignored', async (t) => {
  const blank = Object.fromEntries(Object.keys(exampleVariables).map((name, i) => [name, i % 2 ? '' : ' ']));
  t.strictSame(readConfig({ ...blank, PATH: '/bin', npm_config_port: '1' }), readConfig({}));
});

t.test('a name that looks like a misspelt variable is reported with the likely name, without its value', async (t) => {
  const cases: [environment: NodeJS.ProcessEnv, similar?: string][] = [
    [{ RATELIMIT: 'hunter2' }, 'RATE_LIMIT'],
    [{ rate_limit: 'hunter2' }, 'RATE_LIMIT'],
    [{ DATBASE_URL: 'hunter2' }, 'DATABASE_URL'],
    [{ DATABASE_URI: 'hunter2' }, 'DATABASE_URL'],
    [{ KEY_SERCET: 'hunter2' }, 'KEY_SECRET'],
    [{ PROT: 'hunter2' }, 'PORT'],
    [{ PAYMENT_URLS: 'hunter2' }, 'PAYMENT_URL'],
    [{ DATABASE_URI: 'hunter2', DATABASE_URL: 'pglite://memory' }],
    [{ DATBASE_URL: ' ' }],
    [{ HOME: '/', PATH: '/bin', HOSTNAME: 'x', PWD: '/', TERM: 'x', LOGNAME: 'x', TMPDIR: '/', npm_config_port: '1' }],
  ];
  for (const [environment, similar] of cases) {
    const [name] = Object.keys(environment);
    const sentences: string[] = [];
    readConfig(environment, (sentence) => sentences.push(sentence));
    const expected = similar ? [`${name}: is not a variable of this service. Did you mean ${similar}?`] : [];
    t.strictSame(sentences, expected);
  }
});

t.test('values have the types of the table', async (t) => {
  t.match(readConfig({ PORT: '0', GRAPHQL_INTROSPECTION: 'false', RATE_CEILING: '7', HOST: '::1' }), {
    PORT: 0,
    GRAPHQL_INTROSPECTION: false,
    RATE_CEILING: 7,
    HOST: '::1',
  });
});

t.test('errors name the variable', async (t) => {
  const cases: [NodeJS.ProcessEnv, string | undefined][] = [
    [{ NODE_ENV: 'staging' }, 'NODE_ENV: must be one of development, production, test'],
    [{ PORT: 'abc' }, 'PORT: must be integer'],
    [{ PORT: '65536' }, 'PORT: must be <= 65535'],
    [{ RATE_LIMIT: '0' }, 'RATE_LIMIT: must be >= 1'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: must be one of info, trace, debug, warn, error, fatal, silent'],
    [{ GRAPHQL_INTROSPECTION: 'yes' }, 'GRAPHQL_INTROSPECTION: must be true or false'],
    [{ JWT_ALGORITHM: 'none' }, 'JWT_ALGORITHM: must be one of RS256, HS256'],
    [{ KEY_SECRET: SECRET.slice(1) }, 'KEY_SECRET: must have at least 32 characters'],
    [{ KEY_SECRET: `${SECRET},${SECRET}` }, undefined],
    ...[SECRET.slice(1), '', ` ${SECRET}`].map((secret): [NodeJS.ProcessEnv, string] => [
      { KEY_SECRET: `${SECRET},${secret}` },
      'KEY_SECRET: secret 2 of 2 must have at least 32 characters, without blanks around it',
    ]),
    [{ BODY_LIMIT: '1k', RATE_LIMIT: '-1' }, 'BODY_LIMIT: must be integer\nRATE_LIMIT: must be >= 1'],

    [{ JWT_ALGORITHM: 'HS256' }, 'JWT_SECRET: HS256 needs a secret of at least 32 characters'],
    [{ JWT_ALGORITHM: 'HS256', JWT_SECRET: SECRET }, undefined],
    [{ JWT_SECRET: SECRET }, undefined],
    [
      { JWT_SECRET: `${SECRET},short` },
      'JWT_SECRET: secret 2 of 2 must have at least 32 characters, without blanks around it',
    ],

    [{ ADMIN_EMAIL: 'root@example.com' }, 'ADMIN_EMAIL, ADMIN_PASSWORD: set both or neither'],
    [{ ADMIN_PASSWORD: SECRET }, 'ADMIN_EMAIL, ADMIN_PASSWORD: set both or neither'],
    [{ ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: SECRET }, undefined],
    [{ ADMIN_EMAIL: 'root', ADMIN_PASSWORD: SECRET }, 'ADMIN_EMAIL: has the wrong form'],
    [
      { ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: 'x'.repeat(129) },
      'ADMIN_PASSWORD: must have at most 128 characters',
    ],

    [{ ...PRODUCTION, TLS_CERT: 'tls.crt' }, 'TLS_CERT, TLS_KEY: set both or neither'],
    [{ ...PRODUCTION, TLS_CERT: 'tls.crt', TLS_KEY: 'tls.key' }, undefined],
    [{ CORS_ORIGINS: 'https://app.example.com, http://localhost:5173' }, undefined],
    ...['*', 'https://app.example.com/', 'app.example.com', 'null', 'https://*.example.com', 'https://a.example,'].map(
      (CORS_ORIGINS): [NodeJS.ProcessEnv, string] => [
        { CORS_ORIGINS },
        'CORS_ORIGINS: must be origins such as https://app.example.com, separated by commas',
      ],
    ),

    [{ ...PRODUCTION, PUBLIC_URL: 'https://api.example.com/' }, undefined],
    [{ PUBLIC_URL: 'api.example.com' }, 'PUBLIC_URL: must be a URL that begins with http:// or https://'],
    [{ PUBLIC_URL: 'localhost:3000' }, 'PUBLIC_URL: must be a URL that begins with http:// or https://'],

    [{ REDIS_URL: 'rediss://:secret@redis.example.com:6380/1' }, undefined],
    [{ REDIS_URL: 'redis://h/1?keyPrefix=a:&family=6' }, undefined],
    [{ REDIS_URL: 'redis://h?keyprefix=secret' }, 'REDIS_URL: keyprefix is unknown. Did you mean keyPrefix?'],
    [
      { REDIS_URL: 'redis://h?commandTimeout=secret' },
      'REDIS_URL: commandTimeout is unknown. docs/configuration.md lists the parameters.',
    ],
    [{ REDIS_URL: 'redis://h?tls=true' }, 'REDIS_URL: tls is refused: use rediss://'],
    [{ REDIS_URL: 'redis://h?db=1&db=2' }, 'REDIS_URL: db occurs twice'],
    [{ REDIS_URL: 'redis.example.com:6379' }, 'REDIS_URL: must be a URL that begins with redis:// or rediss://'],

    [{ ...PRODUCTION, TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8,192.0.2.1' }, undefined],
    ...['true', '10.0.0.0/33', '10.0.0.0/', 'loopback/8', '10.0.0.1,', 'proxy.example.com'].map(
      (TRUST_PROXY): [NodeJS.ProcessEnv, string] => [
        { ...PRODUCTION, TRUST_PROXY },
        'TRUST_PROXY: must be addresses, subnets, loopback, linklocal or uniquelocal, separated by commas',
      ],
    ),

    [{ METRICS_TOKEN: 'token', METRICS_HTTP_FROM: 'uniquelocal, 100.64.0.0/10' }, undefined],
    [{ METRICS_HTTP_FROM: 'uniquelocal' }, 'METRICS_HTTP_FROM: needs a METRICS_TOKEN'],
    [
      { METRICS_TOKEN: 'token', METRICS_HTTP_FROM: 'prometheus.local' },
      'METRICS_HTTP_FROM: must be addresses, subnets, loopback, linklocal or uniquelocal, separated by commas',
    ],

    [{ WEBSOCKET_PING: '999' }, 'WEBSOCKET_PING: must be >= 1000'],
  ];
  for (const [environment, message] of cases) t.equal(refusal(environment), message, JSON.stringify(environment));
});

/** The exposure of each environment; undefined for none. */
const EXPOSED: [NodeJS.ProcessEnv, string][] = [
  ...['0.0.0.0', '::', '192.168.0.7', 'api.example.com', '127.example.com', 'localhost.example.com'].map(
    (HOST): [NodeJS.ProcessEnv, string] => [{ HOST }, 'HOST'],
  ),
  ...['https://api.example.com', 'http://192.168.0.7:3000', 'https://localhost.example.com'].map(
    (PUBLIC_URL): [NodeJS.ProcessEnv, string] => [{ PUBLIC_URL }, 'PUBLIC_URL'],
  ),
  [{ TLS_CERT: 'tls.crt', TLS_KEY: 'tls.key' }, 'TLS_CERT'],
  [{ TRUST_PROXY: 'loopback' }, 'TRUST_PROXY'],
  [{ NODE_ENV: 'test', HOST: '::', TRUST_PROXY: 'loopback' }, 'HOST, TRUST_PROXY'],
  ...['localhost', '127.0.0.1', '127.1.2.3', '::1', 'v1.localhost', 'LocalHost'].map(
    (HOST): [NodeJS.ProcessEnv, string] => [{ HOST }, ''],
  ),
  ...['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:3000', 'http://accord.localhost'].map(
    (PUBLIC_URL): [NodeJS.ProcessEnv, string] => [{ PUBLIC_URL }, ''],
  ),
];

t.test('S08: exposure brings the rules of production, unless the operator asks for a demo', async (t) => {
  const missing = (environment: NodeJS.ProcessEnv) => {
    const secret = 'KEY_SECRET: production has no default secret; set at least 32 characters';
    const address = 'PUBLIC_URL: production needs it for cookies and links; set the address that clients use';
    return environment['PUBLIC_URL'] ? [secret] : [secret, address];
  };
  for (const [environment, by] of EXPOSED) {
    const why = `The rules of production apply because of ${by}. DEMO=on applies the rules of a demo.`;
    const says = by ? [...missing(environment), why].join('\n') : undefined;
    t.equal(refusal(environment), says, JSON.stringify(environment));
    t.equal(readConfig({ ...environment, DEMO: 'on' }).production, false, 'DEMO=on');
    t.equal(refusal({ ...environment, DEMO: 'off' }), missing(environment).join('\n'), 'DEMO=off');
    const { NODE_ENV: _, ...demanded } = PRODUCTION;
    t.equal(readConfig({ ...demanded, ...environment, DEMO: 'off' }).production, true);
    if (by) t.equal(readConfig({ ...demanded, ...environment }).production, true, 'with what is demanded');
  }
  t.equal(refusal({ NODE_ENV: 'production' }), missing({}).join('\n'));
  t.equal(readConfig(PRODUCTION).production, true);
  t.equal(refusal({ ...PRODUCTION, DEMO: 'on' }), 'NODE_ENV, DEMO: production has no demo; set one of them');
  t.equal(refusal({ DEMO: 'yes' }), 'DEMO: must be one of on, off');
});

t.test('a file may contain each secret, and errors name its path without its content', async (t) => {
  const folder = temporaryFolder(t);
  const fileOf = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const secrets: Record<string, string> = {
    KEY_SECRET: SECRET,
    JWT_SECRET: SECRET,
    ADMIN_PASSWORD: SECRET,
    METRICS_TOKEN: 'a token',
    DATABASE_URL: 'postgres://me:hunter2@db/accord',
    DATABASE_DIRECT_URL: 'postgres://me:hunter2@db/accord',
    REDIS_URL: 'redis://:hunter2@redis',
    PAYMENT_URL: 'https://me:hunter2@pay.example.com',
  };
  const marked = Object.entries(exampleVariables).filter(([, { writeOnly }]) => writeOnly);
  t.strictSame(marked.map(([name]) => name).sort(), Object.keys(secrets).sort());
  const ADMIN_EMAIL = 'root@example.com';
  for (const newline of ['', '\n', '\r\n']) {
    const files = Object.entries(secrets).map(([name, value]) => [`${name}_FILE`, fileOf(name, value + newline)]);
    t.strictSame(
      readConfig({ ADMIN_EMAIL, ...Object.fromEntries(files) }, (sentence) => t.fail(sentence)),
      readConfig({ ADMIN_EMAIL, ...secrets }),
    );
  }
  t.strictSame(readConfig({ METRICS_TOKEN_FILE: fileOf('token', ' a token\n\n') }).METRICS_TOKEN, ' a token\n');

  const [short, empty, none] = [fileOf('short', 'hunter2'), fileOf('empty', '\n'), join(folder, 'none')];
  const cases: [NodeJS.ProcessEnv, string][] = [
    [{ KEY_SECRET: SECRET, KEY_SECRET_FILE: short }, 'KEY_SECRET, KEY_SECRET_FILE: set one of them'],
    [{ PAYMENT_URL_FILE: none }, `PAYMENT_URL_FILE: ${none} cannot be read (ENOENT)`],
    [{ KEY_SECRET_FILE: folder }, `KEY_SECRET_FILE: ${folder} cannot be read (EISDIR)`],
    [{ METRICS_TOKEN_FILE: empty }, `METRICS_TOKEN_FILE: ${empty} is empty`],
    [{ KEY_SECRET_FILE: short }, 'KEY_SECRET: must have at least 32 characters'],
    [{ PAYMENT_URL_FILE: short }, 'PAYMENT_URL: must be a URL that begins with http:// or https://'],
  ];
  for (const [environment, message] of cases) t.equal(refusal(environment), message);
  const sentences: string[] = [];
  readConfig({ KEY_SECRET_FIEL: short, PORT_FILE: short }, (sentence) => sentences.push(sentence));
  t.strictSame(sentences, ['KEY_SECRET_FIEL: is not a variable of this service. Did you mean KEY_SECRET_FILE?']);
});

t.test('errors never contain values', async (t) => {
  const message = refusal({ KEY_SECRET: 'hunter2', ADMIN_PASSWORD: 'hunter2', PORT: 'hunter2', NODE_ENV: 'hunter2' });
  t.equal(message?.split('\n').length, 4);
  t.notMatch(message, 'hunter2');
});

t.test('.env.example lists the same variables with the same defaults', async (t) => {
  const text = readFileSync('.env.example', 'utf8');
  const expected = Object.entries(exampleVariables).map(
    ([name, { description, default: value = '' }]) => `# ${description}\n# ${name}=${value}\n`,
  );
  const [, ...entries] = text.split(/\n\n/);
  t.strictSame(entries.join('\n\n'), expected.join('\n'));
  const uncommented = text.replaceAll(/^# (?=[A-Z_]+=)/gm, '');
  t.strictSame({ ...readConfig(parseEnv(uncommented) as NodeJS.ProcessEnv), given: [] }, readConfig({}));
});
