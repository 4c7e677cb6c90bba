import type { FastifyInstance } from 'fastify';
import type { Test } from 'tap';
import { type Code, errors as catalogue } from '../../generated/errors.js';
import type { AppOptions } from '../../src/platform/app.js';
import type { Database } from '../../src/platform/database/open.js';
import { TIMEOUTS } from '../../src/platform/server/timeouts.js';
import type { GraphQLRequest } from '../../src/workbench/coverage/observe-graphql.js';
import { breaches } from './contract.js';
import { type Opened, PATIENT } from './databases.js';
import { exampleApp } from './example.js';
import { CHEAP, type Json, PASSWORD, type Person, passwordHash } from './people.js';
import { recordGraphql } from './recorder.js';
import './glue.js';

export interface Service extends Instance {
  database: Opened;
  admin: Person;
  developer: Person;
  viewer: Person;
}

export interface Instance {
  app: FastifyInstance;
  url: string;
  /** What the service logged, a line of JSON each. */
  log: string[];
  rest: (method: string, path: string, request?: RestRequest) => Promise<RestAnswer>;
  graphql: (person: Person | null, query: string, variables?: object) => Promise<GraphQLAnswer>;
}

export interface RestRequest {
  as?: Person | undefined;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is a string. */
  body?: unknown;
}

export interface RestAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: Json;
}

export interface GraphQLAnswer {
  headers: Headers;
  data: Json;
  errors: {
    message: string;
    path?: (string | number)[];
    locations?: object[];
    extensions: { code: Code; statusCode: number; errors?: { pointer: string; detail: string }[] };
  }[];
  /** The codes of the errors, in order. */
  codes: Code[];
}

/** A running instance without any account. Every answer is held to the contract. `options` are what a program gives to `buildApp`. */
export async function startInstance(
  t: Test,
  database: Database,
  environment: Record<string, string> = {},
  options: Partial<AppOptions> = {},
): Promise<Instance> {
  const environmentOfTests = {
    NODE_ENV: 'test',
    PORT: '0',
    HOST: '127.0.0.1',
    RATE_LIMIT: '100000',
    RATE_LIMIT_ANONYMOUS: '100000',
    LOGIN_LIMIT: '100000',
    ...environment,
  };
  const log: string[] = [];
  const logger = { level: 'info', stream: { write: (line: string) => void log.push(line) } };
  const timeouts = { ...TIMEOUTS, handler: PATIENT.answer, closing: PATIENT.answer };
  const sockets = { initTimeout: PATIENT.answer, ping: PATIENT.answer, ...options.sockets };
  const admission = { burst: PATIENT.answer, standing: PATIENT.answer, ...options.admission };
  const ofTests = { database, logger, timeouts, hashing: CHEAP, ...options, sockets, admission };
  const app = await exampleApp(environmentOfTests, ofTests);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(() => app.close());

  const rest = async (
    method: string,
    path: string,
    { as, headers = {}, body }: RestRequest = {},
  ): Promise<RestAnswer> => {
    const isText = typeof body === 'string';
    const sent = {
      ...(body !== undefined && !isText && { 'content-type': 'application/json' }),
      ...as?.headers,
      ...headers,
    };
    const payload = isText || body === undefined ? body : JSON.stringify(body);
    const init = {
      method,
      redirect: 'manual',
      headers: sent,
      ...(payload !== undefined && { body: payload }),
    } as const;
    const response = await fetch(url + path, init);
    const text = await response.text();
    const { status } = response;
    const [pathname = '', ...query] = path.split('?');
    const request = { query: query.join('?'), headers: new Headers(sent), body: payload };
    const exchange = { method, path: pathname, request, status, headers: response.headers, text };
    for (const breach of breaches(exchange, app.notWritten)) t.fail(breach);
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return { status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };

  const graphql = async (person: Person | null, query: string, variables?: object): Promise<GraphQLAnswer> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...person?.headers },
      body: JSON.stringify({ query, variables }),
    });
    const body: Json = await response.json();
    for (const breach of graphqlBreaches({ query, variables }, response, body)) t.fail(breach);
    const { data, errors = [] } = body;
    return { headers: response.headers, data, errors, codes: errors.map((one: Json) => one.extensions.code) };
  };

  return { app, url, log, rest, graphql };
}

/**
 * A running service with one account of each role, over a database of its own.
 * @param options what a program gives to `buildApp`; `arrival`: headers by which a login comes in production, where plain
 *   HTTP is refused
 */
export async function startService(
  t: Test,
  database: Opened,
  environment: Record<string, string> = {},
  now: () => number = Date.now,
  { arrival = {}, ...options }: Partial<AppOptions> & { arrival?: Record<string, string> } = {},
): Promise<Service> {
  const instance = await startInstance(t, database, environment, { now, ...options });
  const { rest } = instance;

  const hash = await passwordHash;
  const accounts = (['ADMIN', 'DEVELOPER', 'VIEWER'] as const).map((role) => {
    const email = `${role.toLowerCase()}@example.com`;
    return { name: `${role[0]}${role.slice(1).toLowerCase()}`, email, emailKey: email, role, passwordHash: hash };
  });
  const select = { id: true, email: true };
  const made = await database.client.user.createManyAndReturn({ data: accounts, select });
  const people: Person[] = [];
  // One after the other, as the cases expect their sessions.
  for (const { id, email } of made.sort((one, other) => one.id - other.id)) {
    const { status, body } = await rest('POST', '/api/v1/auth/login', {
      headers: arrival,
      body: { email, password: PASSWORD },
    });
    if (status !== 200) throw new Error(`The login of ${email} was answered with ${status}.`);
    people.push({ id, email, headers: { authorization: `Bearer ${body.access_token}` } });
  }
  const [admin, developer, viewer] = people as [Person, Person, Person];
  return { ...instance, database, admin, developer, viewer };
}

/** Holds an answer to docs/decisions.md, "The 200 rule of GraphQL", and to the shape of errors; records what it shows. */
function* graphqlBreaches(request: GraphQLRequest, response: Response, body: Json): Generator<string> {
  recordGraphql(request, body);
  if (response.status !== 200) yield `GraphQL answered ${response.status}`;
  const isShed = body.errors?.[0]?.message === 'The service is overloaded.';
  if (!isShed && !response.headers.has('x-rate-limit-limit')) yield 'GraphQL sent no rate headers';
  for (const result of Array.isArray(body) ? body : [body]) {
    for (const { message, path = [], locations = [], extensions } of result.errors ?? []) {
      const { code, statusCode } = extensions;
      if (typeof message !== 'string') yield 'an error has no message';
      if (catalogue[code as Code]?.status !== statusCode) yield `${code} came with the status ${statusCode}`;
      if (path.some((key: unknown) => typeof key !== 'string' && typeof key !== 'number'))
        yield 'a path holds no name or index';
      for (const { line, column } of locations) if (!line || !column) yield 'a location has no line or column';
    }
  }
}

/** The members of a problem that a test looks at. */
export const codeOf = ({ status, body }: RestAnswer): [number, Code] => [status, body?.code];
