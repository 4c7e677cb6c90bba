import { isIP } from 'node:net';
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { Ajv, type ErrorObject } from 'ajv';
import { isLoopbackHost } from '../loopback.js';

const HTTP_URL = 'http-url';
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
/**
 * Declares a variable with an HTTP URL. Another value stops the start.
 * @example
 * export const variables = { LIBRARY_URL: httpUrl('address of the library of old') };
 */
export const httpUrl = (description: string) => Type.Optional(Type.String({ format: HTTP_URL, description }));
const oneOf = <const T extends readonly string[]>(values: T, options: object) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options });
const choice = <const T extends readonly string[]>(values: T, description: string) =>
  oneOf(values, { default: values[0], description });
const between = (minimum: number, maximum: number, value: number, description: string) =>
  Type.Integer({ minimum, maximum, default: value, description });
const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description });

/** The minimum for HS256 (RFC 7518 §3.2) and AES-256. */
const SECRET_BYTES = 32;
const secret = (description: string) => Type.Optional(Type.String({ minLength: SECRET_BYTES, description }));

/** The environment variables. The tables in `docs/` and `.env.example` are generated from them. */
export const variables = Type.Object({
  NODE_ENV: choice(['development', 'production', 'test'], 'production requires secrets and refuses demo data'),
  DEMO: Type.Optional(
    oneOf(['on', 'off'], {
      description:
        'on: a demo, even if other machines can reach it; off: the rules of production; unset: the rules of production if HOST, PUBLIC_URL, TLS_CERT or TRUST_PROXY exposes the service',
    }),
  ),
  PORT: between(0, 65_535, 3000, 'port to listen on; 0 selects a free one'),
  HOST: Type.String({ default: 'localhost', description: 'address to listen on' }),
  PUBLIC_URL: httpUrl(
    'URL of the service for clients, used in cookies and links; unset: the address that it listens on; required in production',
  ),
  LOG_LEVEL: choice(['info', 'trace', 'debug', 'warn', 'error', 'fatal', 'silent'], 'minimum level of the log'),
  DATABASE_URL: text('pglite://memory, pglite:///path or postgres://…; unset: embedded PostgreSQL in ./data'),
  REDIS_URL: text(
    'redis://… for rate limits and signals of all instances, with ?keyPrefix=… on a shared server; unset: each instance counts alone, and the database sends signals',
  ),
  ADMIN_EMAIL: Type.Optional(
    Type.String({
      pattern: '^[^\\s@]+@[^\\s@]+$',
      maxLength: 254,
      description: 'e-mail address of the first administrator; ignored when there is one',
    }),
  ),
  ADMIN_PASSWORD: Type.Optional(
    Type.String({ minLength: 12, maxLength: 128, description: 'password of the first administrator' }),
  ),
  KEY_SECRET: secret(
    'encrypts stored signing keys and authenticates cursors: one secret, or several, newest first, separated by commas; required in production',
  ),
  JWT_ALGORITHM: choice(['RS256', 'HS256'], 'signature algorithm of access tokens'),
  JWT_SECRET: secret('HS256 secret; required with JWT_ALGORITHM=HS256'),
  JWT_ISSUER: text('iss claim of access tokens; unset: the name of the application'),
  JWT_AUDIENCE: text('aud claim of access tokens; unset: the name of the application'),
  BODY_LIMIT: count(65_536, 'maximum bytes of a request body'),
  RATE_LIMIT: count(300, 'requests per minute of each authenticated caller'),
  RATE_LIMIT_ANONYMOUS: count(
    60,
    'requests per minute of each address without credentials; a GraphQL document counts once per started KiB',
  ),
  RATE_CEILING: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'requests per minute of each address, with and without credentials; unset: ten times RATE_LIMIT',
    }),
  ),
  LOGIN_LIMIT: count(10, 'logins and wrong Basic credentials per minute of each address'),
  GRAPHQL_MAX_DEPTH: count(10, 'maximum depth of fields in a document'),
  GRAPHQL_MAX_COMPLEXITY: count(5000, 'maximum cost of an operation; a list multiplies the cost of its selection'),
  GRAPHQL_MAX_ALIASES: count(30, 'maximum number of aliases in a document'),
  GRAPHQL_MAX_TOKENS: count(2000, 'maximum number of tokens in a document'),
  GRAPHQL_MAX_BATCH: between(1, 100, 10, 'maximum number of operations in one request'),
  GRAPHQL_MAX_SUBSCRIBE: count(16_384, 'maximum bytes of a document in a `subscribe` message'),
  GRAPHQL_INTROSPECTION: flag('true: answers introspection queries; unset: outside production only'),
  TRUSTED_DOCUMENTS: text(
    'file or folder of GraphQL documents from `accord trust`: the service runs only these; unset: all documents',
  ),
  TLS_CERT: text('PEM file of the certificate and its chain, for HTTPS and HTTP/2'),
  TLS_KEY: text("PEM file of the certificate's private key"),
  TRUST_PROXY: text('addresses of trusted proxies, which send X-Forwarded-* headers, separated by commas'),
  CORS_ORIGINS: text(
    'origins of browser applications, separated by commas; outside production also all origins of this machine',
  ),
  DRAIN_DELAY: between(
    0,
    600_000,
    0,
    'milliseconds from the signal to stop, when /readyz starts to fail, to the stop, for load balancers',
  ),
  METRICS_TOKEN: text('bearer token for /metrics; unset: only callers on this machine, and nobody with TRUST_PROXY'),
});

type Environment = Static<typeof variables>;
type Settings = Omit<Environment, 'KEY_SECRET'>;

export type Config = Readonly<Settings> & {
  /** Newest first. */
  readonly KEY_SECRET?: readonly string[];
  /** True if the rules of production apply instead of the demo's. */
  readonly production: boolean;
};

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Never shows the value, which may be a secret. */
function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const reasons: Record<string, string> = {
    enum: `must be one of ${params['allowedValues']?.join(', ')}`,
    minLength: `must have at least ${params['limit']} characters`,
    maxLength: `must have at most ${params['limit']} characters`,
    pattern: 'has the wrong form',
    format: 'must be a URL that begins with http:// or https://',
  };
  const reason = message === 'must be boolean' ? 'must be true or false' : (reasons[keyword] ?? message);
  return `${instancePath.slice(1)}: ${reason}`;
}

const isHttpUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Returns true for an address, a subnet in CIDR notation, or a named range. */
function isProxy(text: string): boolean {
  const [address = '', prefix] = text.trim().split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (prefix !== undefined) return /^\d+$/.test(prefix) && Number(prefix) <= bits;
  return bits > 0 || ['loopback', 'linklocal', 'uniquelocal'].includes(address);
}

/** Returns true for scheme, host and port, as in the Origin header. Refuses wildcards. */
const isOrigin = (text: string): boolean => isHttpUrl(text) && new URL(text).origin === text && !text.includes('*');

const unfitSecrets = (secrets: readonly string[]): string[] =>
  secrets.flatMap((secret, place) =>
    secrets.length > 1 && (secret.length < SECRET_BYTES || secret.trim() !== secret)
      ? [
          `KEY_SECRET: secret ${place + 1} of ${secrets.length} must have at least ${SECRET_BYTES} characters, without blanks around it`,
        ]
      : [],
  );

type Problem = string | false | undefined;
const onlyTexts = (problems: Problem[]) => problems.filter((one) => typeof one === 'string' && one !== '') as string[];

/** Returns the variables that make the service reachable from other machines. */
const exposedBy = ({ HOST, PUBLIC_URL, TLS_CERT, TRUST_PROXY }: Settings): string[] =>
  onlyTexts([
    !isLoopbackHost(HOST) && 'HOST',
    PUBLIC_URL && isHttpUrl(PUBLIC_URL) && !isLoopbackHost(new URL(PUBLIC_URL).hostname) && 'PUBLIC_URL',
    TLS_CERT && 'TLS_CERT',
    TRUST_PROXY && 'TRUST_PROXY',
  ]);

const isProduction = (environment: Environment): boolean =>
  environment.NODE_ENV === 'production' ||
  environment.DEMO === 'off' ||
  (environment.DEMO === undefined && exposedBy(environment).length > 0);

/** Adds the variables that make the rules of production apply, unless NODE_ENV or DEMO do. */
export function inProduction(environment: Settings, problems: string[]): string[] {
  const unsaid = environment.NODE_ENV !== 'production' && environment.DEMO === undefined;
  if (problems.length === 0 || !unsaid) return problems;
  const names = exposedBy(environment).join(', ');
  return [...problems, `The rules of production apply because of ${names}. DEMO=on applies the rules of a demo.`];
}

function contradictions(environment: Environment): string[] {
  const { KEY_SECRET, JWT_SECRET, ADMIN_EMAIL, ADMIN_PASSWORD, PUBLIC_URL } = environment;
  const { REDIS_URL, TRUST_PROXY, CORS_ORIGINS } = environment;
  const ofProduction = [
    !KEY_SECRET && 'KEY_SECRET: production has no default secret; set at least 32 characters',
    !PUBLIC_URL && 'PUBLIC_URL: production needs it for cookies and links; set the address that clients use',
  ];
  return onlyTexts([
    environment.NODE_ENV === 'production' &&
      environment.DEMO === 'on' &&
      'NODE_ENV, DEMO: production has no demo; set one of them',
    ...unfitSecrets(KEY_SECRET?.split(',') ?? []),
    environment.JWT_ALGORITHM === 'HS256' &&
      !JWT_SECRET &&
      'JWT_SECRET: HS256 needs a secret of at least 32 characters',
    !ADMIN_EMAIL !== !ADMIN_PASSWORD && 'ADMIN_EMAIL, ADMIN_PASSWORD: set both or neither',
    !environment.TLS_CERT !== !environment.TLS_KEY && 'TLS_CERT, TLS_KEY: set both or neither',
    CORS_ORIGINS?.split(',').every((one) => isOrigin(one.trim())) === false &&
      'CORS_ORIGINS: must be origins such as https://app.example.com, separated by commas',
    REDIS_URL &&
      !(URL.canParse(REDIS_URL) && /^rediss?:$/.test(new URL(REDIS_URL).protocol)) &&
      'REDIS_URL: must be a URL that begins with redis:// or rediss://',
    TRUST_PROXY?.split(',').every(isProxy) === false &&
      'TRUST_PROXY: must be addresses, subnets, loopback, linklocal or uniquelocal, separated by commas',
    ...(isProduction(environment) ? inProduction(environment, onlyTexts(ofProduction)) : []),
  ]);
}

/** Optimised for a fast start. */
const ajv = new Ajv({
  allErrors: true,
  coerceTypes: true,
  removeAdditional: true,
  useDefaults: true,
  validateSchema: false,
  code: { optimize: false },
  formats: { [HTTP_URL]: isHttpUrl },
});

const NONE: TProperties = {};
const schemas = new WeakMap<TProperties, TObject>();

function schemaWith(own: TProperties): TObject {
  const schema = schemas.get(own) ?? Type.Object({ ...variables.properties, ...own }, { additionalProperties: false });
  schemas.set(own, schema);
  return schema;
}

/** Returns true if one inserted, deleted, replaced or transposed letter makes the texts equal. */
function isOneEdit(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [rest, otherRest] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  const isTransposed = rest.length === 2 && rest === [...otherRest].reverse().join('');
  return isTransposed || Math.max(rest.length, otherRest.length) <= 1;
}

function misspeltNames(given: readonly string[], known: readonly string[]): string[] {
  const plain = (name: string) => name.toUpperCase().replaceAll(/[^A-Z]/g, '');
  const unset = known.filter((name) => !given.includes(name));
  return given
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const similar = unset.find((one) => isOneEdit(plain(name), plain(one)));
      return similar === undefined ? [] : [`${name}: is not a variable of this service. Did you mean ${similar}?`];
    });
}

/**
 * Reads the environment. No other code does.
 * @param warn gets a sentence for each name that looks misspelt
 * @throws ConfigError with the names of all wrong variables, without their values
 */
export function readConfig(
  environment: NodeJS.ProcessEnv,
  own: TProperties = NONE,
  warn: (sentence: string) => void = () => {},
): Config {
  const values = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const schema = schemaWith(own);
  for (const sentence of misspeltNames(Object.keys(values), Object.keys(schema.properties))) warn(sentence);
  if (!ajv.validate<Environment>(schema, values)) {
    throw new ConfigError((ajv.errors ?? []).map(describe).join('\n'));
  }
  const problems = contradictions(values);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  const { KEY_SECRET, ...others } = values;
  const secrets = KEY_SECRET !== undefined && { KEY_SECRET: KEY_SECRET.split(',') };
  return Object.freeze({ ...others, ...secrets, production: isProduction(values) });
}

/** Returns one address, because Fastify cuts running requests of a second listener when it closes. */
export const listenHost = ({ HOST }: Pick<Config, 'HOST'>): string => (HOST === 'localhost' ? '127.0.0.1' : HOST);

/** Returns a ConfigError for a wrong port or host, and other errors unchanged. */
export function notListening(error: unknown, { PORT, HOST }: Pick<Config, 'PORT' | 'HOST'>): unknown {
  const problems: Record<string, string> = {
    EADDRINUSE: `PORT: another process listens on ${PORT}; stop it, or set another port (0 selects a free one).`,
    EACCES: `PORT: this process may not listen on ${PORT}.`,
    EADDRNOTAVAIL: `HOST: ${HOST} is not an address of this machine.`,
    ENOTFOUND: `HOST: ${HOST} is not known.`,
  };
  const problem = problems[(error as NodeJS.ErrnoException).code ?? ''];
  return problem ? new ConfigError(problem, { cause: error }) : error;
}
