import type { Test } from 'tap';
import type { AnyPart, Application } from '../../src/platform/core/application.js';
import type { Policy } from '../../src/platform/core/calls/access.js';
import { platformCodes } from '../../src/platform/core/contract/codes.js';
import type { Reach } from '../../src/platform/core/contract/document.js';
import type { Model } from '../../src/platform/core/operations/model.js';
import type { Database } from '../../src/platform/database/open.js';
import {
  type ApplicationPlatform,
  defineApplication,
  failuresOf,
  type HandlerServices,
  list,
  type Operation,
  routeFor,
  User,
} from '../../src/platform/index.js';
import { type AppOptions, buildApp } from '../../src/platform/server/app.js';
import { readConfig } from '../../src/platform/server/config.js';
import { withoutUnfit } from '../../src/testing/service.js';
import { contractsFrom } from './contracts.js';
import { TEST_TIMEOUTS_MS } from './databases.js';
import { type Json, PASSWORD, type Person, passwordHash, TEST_HASHING } from './people.js';

const reach = (VIEWER: Reach, DEVELOPER: Reach, ADMIN: Reach) => ({ VIEWER, DEVELOPER, ADMIN });

/** The permissions of these contracts. */
export const policy = {
  'users.read': reach('any', 'any', 'any'),
  'users.delete': reach('own', 'own', 'any'),
  'users.set-role': reach('none', 'none', 'any'),
  'orders.create': reach('own', 'own', 'own'),
  'messages.subscribe': reach('any', 'any', 'any'),
  'documents.read': reach('any', 'any', 'any'),
  'documents.change': reach('none', 'own', 'any'),
};

const errors = {
  ...platformCodes,
  GATEWAY_TIMEOUT: { status: 504, title: 'Gateway timeout', description: 'Somebody else took too long.' },
};
export class Failure extends failuresOf(errors) {}

/** Declares a route without generated types. */
// biome-ignore lint/suspicious/noExplicitAny: the contract of a test has no generated types
export const route = routeFor<any>();

type AnyHandler = (request: never, operation: Operation<never, HandlerServices>) => unknown;

/** Declares a route without a stored row. Only the role decides. */
export const withoutRow = (handler: AnyHandler) => route({ target: list(User), handler: handler as never });

export interface Own {
  openapi?: object;
  /** The SDL without directive definitions, which the part core adds to a contract with `x-parts`. */
  sdl?: string;
  handlers?: object;
  resolvers?: object;
  models?: readonly Model[];
  parts?: readonly AnyPart[];
  errors?: Application['errors'];
  services?: (platform: ApplicationPlatform) => object;
}

export const DIRECTIVES = `
directive @permission(action: String!, viewer: Access!, developer: Access!, admin: Access!) repeatable on FIELD_DEFINITION
enum Access { NONE OWN ANY }
`;

const NOTHING = { openapi: '3.1.0', info: { title: 'Nothing', version: '1.0.0' }, paths: {}, components: {} };
const NO_GRAPHQL = `type Query { nothing: String @permission(action: "users.read", viewer: ANY, developer: ANY, admin: ANY) }`;

const NO_RESOLVERS = { Query: { nothing: withoutRow(() => null) } };

export const applicationOf = ({ sdl, handlers = {}, models = [], services = () => ({}), parts, ...own }: Own) =>
  defineApplication({
    name: 'own',
    policy: policy as Policy,
    errors: own.errors ?? errors,
    handlers,
    resolvers: own.resolvers ?? (sdl === undefined ? NO_RESOLVERS : {}),
    models,
    services,
    ...(parts && { parts }),
  });

export const contractsOf = ({ openapi = NOTHING, sdl = NO_GRAPHQL }: Own) =>
  contractsFrom(JSON.stringify(openapi), 'x-parts' in openapi ? sdl : DIRECTIVES + sdl);

/** Starts an application. Returns its address, and the arguments that it received from the platform. */
export async function serve(
  t: Test,
  database: Database,
  own: Own,
  { environment = {}, ...options }: Partial<AppOptions> & { environment?: Record<string, string> } = {},
) {
  const application = applicationOf(own);
  const contracts = await contractsOf(own);
  const limits = { RATE_LIMIT: '100000', RATE_LIMIT_ANONYMOUS: '100000', LOGIN_LIMIT: '100000' };
  const config = readConfig({ NODE_ENV: 'test', HOST: '127.0.0.1', ...withoutUnfit(limits, own), ...environment });
  const log: string[] = [];
  const logger = { level: 'warn', stream: { write: (line: string) => void log.push(line) } };
  const sockets = { initTimeout: TEST_TIMEOUTS_MS.answer, ping: TEST_TIMEOUTS_MS.answer, ...options.sockets };
  const admission = { burst: TEST_TIMEOUTS_MS.answer, sustained: TEST_TIMEOUTS_MS.answer, ...options.admission };
  const ofTests = { database, logger, contracts, hashing: TEST_HASHING, ...options, sockets, admission };
  const app = await buildApp(application, config, ofTests);
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(() => app.close());

  /** Creates an account. Returns it with its credentials. */
  const person = async (name: string, role: 'ADMIN' | 'DEVELOPER' | 'VIEWER' = 'VIEWER'): Promise<Person> => {
    const email = `${name.toLowerCase()}@example.com`;
    const data = { name, email, emailKey: email, role, passwordHash: await passwordHash };
    const { id } = await database.client.user.create({ data, select: { id: true } });
    return { id, email, headers: await logIn(email) };
  };
  const logIn = async (email: string): Promise<Person['headers']> => {
    const call = { policy, actor: null, address: '127.0.0.1', requestId: 'test', enforce: async () => {} };
    const tokens = await platform.sessions.login(call, { email, password: PASSWORD });
    if (tokens.flow === 'opaque') throw new Error('not asked for');
    return { authorization: `Bearer ${tokens.accessToken}` };
  };
  const post = async ({ headers: as }: Person, path: string, body: object, headers: Record<string, string> = {}) => {
    const sent = { 'content-type': 'application/json', ...as, ...headers };
    const response = await fetch(url + path, { method: 'POST', headers: sent, body: JSON.stringify(body) });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const graphql = async ({ headers }: Person, query: string, variables: object = {}): Promise<Json> => {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    const response = await fetch(`${url}/graphql`, { ...sent, body: JSON.stringify({ query, variables }) });
    return response.json();
  };
  const platform = app.platformServices;
  return { app, url, log, platform, person, logIn, post, graphql };
}
