import { readFileSync } from 'node:fs';
import proxyAddr from '@fastify/proxy-addr';
import { type TObject, type TProperties, Type } from '@sinclair/typebox';
import { Ajv, type ErrorObject } from 'ajv';
import { isLoopbackHost, listOf } from '../core/calls/networks.js';
import { type Config, type Environment, HTTP_URL, SECRET_BYTES, variables } from '../core/variables.js';
import { parameterProblems, REDIS } from '../database/parameters.js';

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

/** Returns true for addresses, subnets in CIDR notation, and named ranges, separated by commas. */
function areAddresses(text: string | undefined): boolean {
  try {
    return proxyAddr.compile(listOf(text)) !== undefined;
  } catch {
    return false;
  }
}

/** Returns true for scheme, host and port, as in the Origin header. Refuses wildcards. */
const isOrigin = (text: string): boolean => isHttpUrl(text) && new URL(text).origin === text && !text.includes('*');

const unfitSecrets = (name: string, secrets: readonly string[] = []): string[] =>
  secrets.flatMap((secret, place) =>
    secrets.length > 1 && (secret.length < SECRET_BYTES || secret.trim() !== secret)
      ? [
          `${name}: secret ${place + 1} of ${secrets.length} must have at least ${SECRET_BYTES} characters, without blanks around it`,
        ]
      : [],
  );

type Problem = string | false | undefined;
const onlyTexts = (found: Problem[]) => found.filter((text) => typeof text === 'string' && text !== '') as string[];

/** Returns the variables that make the service reachable from other machines. */
const exposedBy = ({ HOST, PUBLIC_URL, TLS_CERT, TRUST_PROXY }: Environment): string[] =>
  onlyTexts([
    !isLoopbackHost(HOST) && 'HOST',
    PUBLIC_URL && isHttpUrl(PUBLIC_URL) && !isLoopbackHost(new URL(PUBLIC_URL).hostname) && 'PUBLIC_URL',
    TLS_CERT && 'TLS_CERT',
    TRUST_PROXY && 'TRUST_PROXY',
  ]);

/** Returns the variables that are not blank. */
const valuesIn = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));

const isProduction = (environment: Environment): boolean =>
  environment.NODE_ENV === 'production' ||
  environment.DEMO === 'off' ||
  (environment.DEMO === undefined && exposedBy(environment).length > 0);

/** Returns true if the process prints only JSON: with the rules of production, and not on a terminal. */
export const printsJson = (environment: NodeJS.ProcessEnv): boolean =>
  !process.stdout.isTTY && isProduction({ HOST: 'localhost', ...valuesIn(environment) } as Environment);

/** Adds the variables that make the rules of production apply, unless NODE_ENV or DEMO do. */
export function inProduction(
  environment: Omit<Environment, 'KEY_SECRET' | 'JWT_SECRET'>,
  problems: string[],
): string[] {
  const unsaid = environment.NODE_ENV !== 'production' && environment.DEMO === undefined;
  if (problems.length === 0 || !unsaid) return problems;
  const names = exposedBy(environment).join(', ');
  return [...problems, `The rules of production apply because of ${names}. DEMO=on applies the rules of a demo.`];
}

function redisProblems(address: string): string[] {
  const isRedis = URL.canParse(address) && /^rediss?:$/.test(new URL(address).protocol);
  return isRedis
    ? parameterProblems(new URL(address), REDIS)
    : ['must be a URL that begins with redis:// or rediss://'];
}

function contradictions(environment: Environment): string[] {
  const { KEY_SECRET, JWT_SECRET, ADMIN_EMAIL, ADMIN_PASSWORD, PUBLIC_URL } = environment;
  const { REDIS_URL, CORS_ORIGINS } = environment;
  const ofProduction = [
    !KEY_SECRET && 'KEY_SECRET: production has no default secret; set at least 32 characters',
    !PUBLIC_URL && 'PUBLIC_URL: production needs it for cookies and links; set the address that clients use',
  ];
  return onlyTexts([
    environment.NODE_ENV === 'production' &&
      environment.DEMO === 'on' &&
      'NODE_ENV, DEMO: production has no demo; set one of them',
    ...unfitSecrets('KEY_SECRET', KEY_SECRET?.split(',')),
    ...unfitSecrets('JWT_SECRET', JWT_SECRET?.split(',')),
    environment.JWT_ALGORITHM === 'HS256' &&
      !JWT_SECRET &&
      'JWT_SECRET: HS256 needs a secret of at least 32 characters',
    !ADMIN_EMAIL !== !ADMIN_PASSWORD && 'ADMIN_EMAIL, ADMIN_PASSWORD: set both or neither',
    !environment.TLS_CERT !== !environment.TLS_KEY && 'TLS_CERT, TLS_KEY: set both or neither',
    CORS_ORIGINS?.split(',').every((origin) => isOrigin(origin.trim())) === false &&
      'CORS_ORIGINS: must be origins such as https://app.example.com, separated by commas',
    ...(REDIS_URL ? redisProblems(REDIS_URL) : []).map((problem) => `REDIS_URL: ${problem}`),
    ...(['TRUST_PROXY', 'METRICS_HTTP_FROM'] as const).map(
      (name) =>
        !areAddresses(environment[name]) &&
        `${name}: must be addresses, subnets, loopback, linklocal or uniquelocal, separated by commas`,
    ),
    environment.PORT > 0 &&
      environment.HEALTH_PORT === environment.PORT &&
      'PORT, HEALTH_PORT: must be different ports',
    environment.METRICS_HTTP_FROM && !environment.METRICS_TOKEN && 'METRICS_HTTP_FROM: needs a METRICS_TOKEN',
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
function isOneEdit(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [rest, otherRest] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const isTransposed = rest.length === 2 && rest === [...otherRest].reverse().join('');
  return isTransposed || Math.max(rest.length, otherRest.length) <= 1;
}

function misspeltNames(given: readonly string[], known: readonly string[]): string[] {
  const plain = (name: string) => name.toUpperCase().replaceAll(/[^A-Z]/g, '');
  const unset = known.filter((name) => !given.includes(name));
  return given
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const similar = unset.find((other) => isOneEdit(plain(name), plain(other)));
      return similar === undefined ? [] : [`${name}: is not a variable of this service. Did you mean ${similar}?`];
    });
}

const fileVariable = (name: string) => `${name}_FILE`;

/** Adds the secrets whose files the values name. @throws ConfigError that names the variables and the paths */
function withSecretFiles(given: NodeJS.ProcessEnv, secretNames: readonly string[]): NodeJS.ProcessEnv {
  const values = { ...given };
  const problems = secretNames.flatMap((name) => {
    const file = fileVariable(name);
    const path = given[file];
    if (path === undefined) return [];
    if (given[name] !== undefined) return [`${name}, ${file}: set one of them`];
    try {
      const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      values[name] = text;
      return text.trim() === '' ? [`${file}: ${path} is empty`] : [];
    } catch (error) {
      return [`${file}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return values;
}

/**
 * Reads the environment and the files of secrets. No other code does.
 * @param warn gets a sentence for each name that looks misspelt
 * @throws ConfigError with the names of all wrong variables, without their values
 */
export function readConfig(
  environment: NodeJS.ProcessEnv,
  own: TProperties = NONE,
  warn: (sentence: string) => void = () => {},
): Config {
  const given = valuesIn(environment);
  const schema = schemaWith(own);
  const names = Object.keys(schema.properties);
  const secretNames = names.filter((name) => schema.properties[name]?.['writeOnly']);
  const known = [...names, ...secretNames.map(fileVariable)];
  for (const sentence of misspeltNames(Object.keys(given), known)) warn(sentence);
  const values: unknown = withSecretFiles(given, secretNames);
  const set = names.filter((name) => Object.hasOwn(values as object, name));
  if (!ajv.validate<Environment>(schema, values)) {
    throw new ConfigError((ajv.errors ?? []).map(describe).join('\n'));
  }
  const problems = contradictions(values);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  const { KEY_SECRET, JWT_SECRET, ...others } = values;
  const secrets = {
    ...(KEY_SECRET !== undefined && { KEY_SECRET: KEY_SECRET.split(',') }),
    ...(JWT_SECRET !== undefined && { JWT_SECRET: JWT_SECRET.split(',') }),
  };
  return Object.freeze({ ...others, ...secrets, production: isProduction(values), given: set });
}

/** Returns one address, because Fastify cuts running requests of a second listener when it closes. */
export const listenHost = ({ HOST }: Pick<Config, 'HOST'>): string => (HOST === 'localhost' ? '127.0.0.1' : HOST);

/** Returns a ConfigError for a wrong port or host, and other errors unchanged. @param name the variable of the port */
export function notListening(error: unknown, config: Config, name: 'PORT' | 'HEALTH_PORT' = 'PORT'): unknown {
  const { HOST: host, [name]: port } = config;
  const problems: Record<string, string> = {
    EADDRINUSE: `${name}: another process listens on ${port}; stop it, or set another port (0 selects a free one).`,
    EACCES: `${name}: this process may not listen on ${port}.`,
    EADDRNOTAVAIL: `HOST: ${host} is not an address of this machine.`,
    ENOTFOUND: `HOST: ${host} is not known.`,
  };
  const problem = problems[(error as NodeJS.ErrnoException).code ?? ''];
  return problem ? new ConfigError(problem, { cause: error }) : error;
}
