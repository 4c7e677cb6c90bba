/** Declares the environment variables. `config.ts` reads them. @module */

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { PartName } from './order.js';

/** The format of `httpUrl`. */
export const HTTP_URL = 'http-url';
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
/**
 * Declares a variable with an HTTP URL. Another value stops the start.
 * @example
 * export const variables = { LIBRARY_URL: httpUrl('address of the library of old') };
 */
export const httpUrl = (description: string) => Type.Optional(Type.String({ format: HTTP_URL, description }));
/**
 * Marks a variable as a secret: a file may contain its value instead, and `<name>_FILE` names the file.
 * @example
 * export const variables = { LIBRARY_URL: secret(httpUrl('address of the library of old, with its password')) };
 */
export const secret = <Schema extends TSchema>(schema: Schema): Schema => ({ ...schema, writeOnly: true });
const oneOf = <const T extends readonly string[]>(values: T, options: object) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options });
const choice = <const T extends readonly string[]>(values: T, description: string) =>
  oneOf(values, { default: values[0], description });
const between = (minimum: number, maximum: number, value: number, description: string) =>
  Type.Integer({ minimum, maximum, default: value, description });
const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description });

/** The minimum for HS256 (RFC 7518 §3.2) and AES-256. */
export const SECRET_BYTES = 32;
const cryptographic = (description: string) =>
  secret(Type.Optional(Type.String({ minLength: SECRET_BYTES, description })));

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
  REQUEST_LOG_RATE: between(0, 100_000, 100, 'lines of the log about requests in a second; 0: none'),
  DATABASE_URL: secret(text('pglite://memory, pglite:///path or postgres://…; unset: embedded PostgreSQL in ./data')),
  DATABASE_DIRECT_URL: secret(
    text(
      'postgres://… of the server itself for migrations, locks and signals; needed if DATABASE_URL leads through a pooler in transaction mode',
    ),
  ),
  DATABASE_POOL: between(
    1,
    1000,
    10,
    'connections of the pool to PostgreSQL, besides two for shared reads, one for signals and one for periodic checks',
  ),
  MIGRATE_ON_START: choice(
    ['on', 'off'],
    'off: the start applies no migrations, and refuses a database that lacks some; `accord migrate` applies them',
  ),
  REDIS_URL: secret(
    text(
      'redis://… for rate limits and signals of all instances, with ?keyPrefix=… on a shared server; unset: each instance counts alone, and the database sends signals',
    ),
  ),
  ADMIN_EMAIL: Type.Optional(
    Type.String({
      pattern: '^[^\\s@]+@[^\\s@]+$',
      maxLength: 254,
      description: 'e-mail address of the first administrator; ignored when there is one',
    }),
  ),
  ADMIN_PASSWORD: secret(
    Type.Optional(Type.String({ minLength: 12, maxLength: 128, description: 'password of the first administrator' })),
  ),
  KEY_SECRET: cryptographic(
    'encrypts stored signing keys and authenticates cursors: one secret, or several, newest first, separated by commas; required in production',
  ),
  JWT_ALGORITHM: choice(['RS256', 'HS256'], 'signature algorithm of access tokens'),
  JWT_SECRET: cryptographic(
    'secret of HS256: one, or several, newest first, separated by commas; required with JWT_ALGORITHM=HS256',
  ),
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
  GRAPHQL_MAX_COMPLEXITY: count(
    5000,
    'maximum cost of an operation; a list multiplies the cost of its selection, and a text costs 1 for each 500 characters',
  ),
  GRAPHQL_MAX_ALIASES: count(30, 'maximum number of aliases in a document'),
  GRAPHQL_MAX_TOKENS: count(2000, 'maximum number of tokens in a document'),
  GRAPHQL_MAX_BATCH: between(1, 100, 10, 'maximum number of operations in one request'),
  GRAPHQL_MAX_SUBSCRIBE: count(16_384, 'maximum bytes of a document in a `subscribe` message'),
  GRAPHQL_INTROSPECTION: flag('true: answers introspection queries; unset: outside production only'),
  TRUSTED_DOCUMENTS: text(
    'file or folder of GraphQL documents from `accord trust`: the service runs only these; unset: all documents',
  ),
  TLS_CERT: text('PEM file of the certificate and its chain, for HTTPS'),
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
  WEBSOCKET_PING: between(
    1000,
    600_000,
    30_000,
    'milliseconds between two pings of the service on a WebSocket; shorter than the idle time-out of every proxy',
  ),
  HEALTH_PORT: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description: 'second port, for health and metrics only, over plain HTTP; unset: PORT serves them',
    }),
  ),
  METRICS_TOKEN: secret(text('bearer token for /metrics; unset: only this machine, and nobody with TRUST_PROXY')),
  METRICS_HTTP_FROM: text('addresses that may send METRICS_TOKEN over plain HTTP, as in TRUST_PROXY; unset: none'),
});

export type Environment = Static<typeof variables>;

/** The variables of parts. A service without the part refuses them. */
export const VARIABLES_OF: Readonly<Partial<Record<PartName, readonly (keyof Environment)[]>>> = {
  browsers: ['CORS_ORIGINS'],
  // biome-ignore format: one line each for accounts and tokens
  identity: ['ADMIN_EMAIL', 'ADMIN_PASSWORD', 'LOGIN_LIMIT', 'JWT_ALGORITHM', 'JWT_SECRET', 'JWT_ISSUER', 'JWT_AUDIENCE'],
  limits: ['RATE_LIMIT', 'RATE_LIMIT_ANONYMOUS', 'RATE_CEILING'],
  live: ['WEBSOCKET_PING'],
  observability: ['REQUEST_LOG_RATE', 'HEALTH_PORT', 'METRICS_TOKEN', 'METRICS_HTTP_FROM'],
};

type Settings = Omit<Environment, 'KEY_SECRET' | 'JWT_SECRET'>;

export type Config = Readonly<Settings> & {
  /** Newest first. */
  readonly KEY_SECRET?: readonly string[];
  /** Newest first. */
  readonly JWT_SECRET?: readonly string[];
  /** True if the rules of production apply instead of the demo's. */
  readonly production: boolean;
  /** The names of the variables that the operator has set. */
  readonly given: readonly string[];
};
