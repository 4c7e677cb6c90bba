import { type Static, Type } from '@sinclair/typebox';
import envSchema from 'env-schema';
import { contradictions } from './config-rules.js';

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
const choice = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, default: values[0], description });
const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description });

/** Shortest secret, in bytes: what HS256 (RFC 7518 §3.2) and AES-256 take. */
const SECRET_BYTES = 32;
const secret = (description: string) => Type.Optional(Type.String({ minLength: SECRET_BYTES, description }));

/** The environment, once: name, type, default and what it is for. The README's table and `.env.example` follow it. */
export const variables = Type.Object({
  NODE_ENV: choice(['development', 'production', 'test'], 'production demands secrets and refuses demo data'),
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 3000,
    description: 'port to listen on; 0 takes a free one',
  }),
  HOST: Type.String({ default: 'localhost', description: 'address to listen on' }),
  PUBLIC_URL: text('address by which clients reach the service; unset: the one it listens on'),
  LOG_LEVEL: choice(['info', 'trace', 'debug', 'warn', 'error', 'fatal', 'silent'], 'least level that is logged'),
  DATABASE_URL: text('pglite://memory, pglite:///path or postgres://…; unset: embedded PostgreSQL in ./data'),
  REDIS_URL: text(
    'redis://… by which instances count and signal together; unset: each counts for itself, and the database signals',
  ),
  ADMIN_EMAIL: Type.Optional(
    Type.String({
      pattern: '^[^\\s@]+@[^\\s@]+$',
      maxLength: 254,
      description: 'e-mail address of the first administrator; used only while there is none',
    }),
  ),
  ADMIN_PASSWORD: Type.Optional(
    Type.String({ minLength: 12, maxLength: 128, description: 'password of the first administrator' }),
  ),
  KEY_SECRET: secret('encrypts stored signing keys and authenticates cursors; demanded in production'),
  JWT_ALGORITHM: choice(['RS256', 'HS256'], 'the one algorithm that access tokens are signed with'),
  JWT_SECRET: secret('the HS256 secret; demanded with JWT_ALGORITHM=HS256'),
  JWT_ISSUER: Type.String({ default: 'accord', description: 'iss of access tokens' }),
  JWT_AUDIENCE: Type.String({ default: 'accord', description: 'aud of access tokens' }),
  BODY_LIMIT: count(65_536, 'bytes of a request body'),
  RATE_LIMIT: count(300, 'requests a minute for each authenticated caller'),
  RATE_LIMIT_ANONYMOUS: count(60, 'requests a minute for each address without credentials'),
  RATE_CEILING: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'requests a minute for each address, whoever calls; unset: ten times RATE_LIMIT',
    }),
  ),
  LOGIN_LIMIT: count(10, 'logins a minute for each address, and wrong Basic credentials'),
  GRAPHQL_MAX_DEPTH: count(10, 'levels of fields in a document'),
  GRAPHQL_MAX_COMPLEXITY: count(5000, 'cost of an operation; a list multiplies what is selected under it'),
  GRAPHQL_MAX_ALIASES: count(30, 'aliases in a document'),
  GRAPHQL_MAX_TOKENS: count(2000, 'tokens in a document'),
  GRAPHQL_MAX_BATCH: count(10, 'operations in one request'),
  GRAPHQL_INTROSPECTION: flag('whether the schema can be asked for; unset: outside production only'),
  TRUSTED_DOCUMENTS: text(
    'file or folder of registered GraphQL documents, as `accord trust` makes it: only these run; unset: any',
  ),
  TLS_CERT: text('file of the certificate with its chain, in PEM; with it the service speaks HTTPS and HTTP/2 itself'),
  TLS_KEY: text("file of the certificate's private key, in PEM"),
  TRUST_PROXY: text('addresses of proxies whose X-Forwarded-* headers are believed, separated by commas'),
  CORS_ORIGINS: text('origins that browsers may call from, separated by commas; unset: none'),
  PAYMENT_URL: text('address of the payment gateway; unset: an embedded one that pretends, and none in production'),
  PAYMENT_TIMEOUT: Type.Integer({
    minimum: 1,
    maximum: 2500,
    default: 2000,
    description: 'milliseconds that the payment gateway gets for an attempt, of which there are up to three',
  }),
  METRICS_TOKEN: text('bearer token for /metrics; unset: loopback only'),
});

export type Config = Readonly<Static<typeof variables>>;

/** What the environment lacks or has wrong, told by the name of the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface SchemaError {
  instancePath: string;
  keyword: string;
  params: { allowedValues?: string[]; limit?: number };
  message?: string;
}

/** In words that fit an environment, where everything is text. Never the value, which may be a secret. */
function told({ instancePath, keyword, params, message }: SchemaError): string {
  const reasons: Record<string, string> = {
    enum: `must be one of ${params.allowedValues?.join(', ')}`,
    minLength: `must have at least ${params.limit} characters`,
    maxLength: `must have at most ${params.limit} characters`,
    pattern: 'has the wrong form',
  };
  const reason = message === 'must be boolean' ? 'must be true or false' : (reasons[keyword] ?? message);
  return `${instancePath.slice(1)}: ${reason}`;
}

/**
 * Reads the environment; nothing else in the code does.
 * @param environment values that are empty or blank count as unset
 * @throws ConfigError that names every wrong variable and never its value
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const data = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  let config: Config;
  try {
    config = envSchema<Config>({ schema: variables, data, env: false });
  } catch (error) {
    const { errors } = error as { errors?: SchemaError[] };
    throw errors ? new ConfigError(errors.map(told).join('\n')) : error;
  }
  const problems = contradictions(config);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return Object.freeze(config);
}
