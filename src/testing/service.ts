import { type AppOptions, buildApp } from '@accord-api/platform/internals/app';
import type { Application } from '@accord-api/platform/internals/application';
import { type Mechanism, rolesOf } from '@accord-api/platform/internals/calls/access';
import type { PrismaClient } from '@accord-api/platform/internals/database/client';
import type { Database } from '@accord-api/platform/internals/database/open';
import { publishedContracts } from '@accord-api/platform/internals/pages/published';
import { readConfig } from '@accord-api/platform/internals/server/config';
import type { PlatformServices } from '@accord-api/platform/internals/services';
import { rootPath } from '@accord-api/platform/root';
import type { TProperties } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { type Subscription, type TestClient, testClient } from './client.js';
import { type Contract, contractOf } from './contract.js';
import { observationsOf } from './coverage/elements.js';
import { freshDatabase, TEST_TIMEOUTS_MS } from './database.js';
import { type Account, type Credentials, type Person, peopleOf, TEST_HASHING } from './people.js';

export interface TestServiceOptions<Name extends string = string> extends Partial<Omit<AppOptions, 'database'>> {
  /** The roles of the accounts that exist from the start, by name. Default: an account of each role, named by the role in lower case. */
  people?: Readonly<Record<Name, string>>;
  /** Environment variables in addition to raised limits. The environment of the process is not read. */
  environment?: Readonly<Record<string, string>>;
  /** The variables that only this application has. */
  variables?: TProperties;
  /** The caller closes it. Default: an embedded database. */
  database?: Database;
  /** Fills the database before the service starts: `application.demo?.seed`. */
  seed?: ((client: PrismaClient) => Promise<unknown>) | undefined;
  /** Records the exchanges for the coverage of the contracts. Default: true, unless `contracts` are given. */
  coverage?: boolean;
  /** Receives each violation of the contract in an answer. Default: the request rejects. */
  onBreach?: (breach: string) => void;
}

/** A running service whose answers are checked against the contract. @typeParam Own the application's services, by name */
export interface TestService<Own extends object = object, Name extends string = string> extends TestClient {
  app: FastifyInstance;
  url: string;
  application: Application<Own>;
  contract: Contract;
  database: Database;
  services: PlatformServices & Own;
  people: Record<Name, Person>;
  /** The log, one line of JSON each. */
  log: string[];
  account: (role: string) => Promise<Account>;
  /** Creates an account with a role, and logs it in. */
  person: (role: string) => Promise<Person>;
  /** Logs an account in by each mechanism of the contract. */
  credentialsOf: (account: Account) => Promise<Credentials>;
  /** The mechanisms that the contract declares for accounts. */
  mechanisms: readonly Mechanism[];
  /** Closes the subscriptions, the service, and the database that it created. */
  close: () => Promise<void>;
}

/** The limits are so high that no test reaches them. */
const ENVIRONMENT = {
  NODE_ENV: 'test',
  PORT: '0',
  HOST: '127.0.0.1',
  RATE_LIMIT: '100000',
  RATE_LIMIT_ANONYMOUS: '100000',
  LOGIN_LIMIT: '100000',
  REQUEST_LOG_RATE: '0',
  WEBSOCKET_PING: String(TEST_TIMEOUTS_MS.answer),
};

function throwBreach(breach: string): never {
  throw new Error(`An answer breaks the contract: ${breach}`);
}

/** Returns the default accounts of a service: the role by its name in lower case. */
export const oneOfEachRole = ({ policy }: Pick<Application, 'policy'>): Record<string, string> =>
  Object.fromEntries([...rolesOf(policy)].map((role) => [role.toLowerCase(), role]));

/** Starts an application with an embedded database and an account of each role. @param application as `main.ts` serves it */
export async function testService<Own extends object, Name extends string = string>(
  application: Application<Own>,
  {
    people: named,
    environment = {},
    variables = {},
    database: given,
    seed,
    coverage,
    onBreach = throwBreach,
    contracts: ownContracts,
    ...options
  }: TestServiceOptions<Name> = {},
): Promise<TestService<Own, Name>> {
  const contracts = ownContracts ?? (await publishedContracts());
  const contract = contractOf({ openapi: contracts.openapi, graphql: contracts.schemaGraphql.toString() });
  const isRecorded = coverage ?? ownContracts === undefined;
  const observations = isRecorded ? observationsOf(rootPath()) : undefined;
  const database = given ?? (await freshDatabase());
  await seed?.(database.client);

  let own: Own | undefined;
  const observed: Application<Own> = {
    ...application,
    services(platform) {
      own = application.services(platform);
      return own;
    },
  };
  const log: string[] = [];
  const { answer } = TEST_TIMEOUTS_MS;
  const app = await buildApp(observed, readConfig({ ...ENVIRONMENT, ...environment }, variables), {
    database,
    logger: { level: 'info', stream: { write: (line: string) => void log.push(line) } },
    hashing: TEST_HASHING,
    ...options,
    contracts,
    timeouts: options.timeouts ?? { handler: answer, closing: answer },
    sockets: { initTimeout: answer, ...options.sockets },
    admission: { burst: answer, sustained: answer, ...options.admission },
  });
  const services = { ...app.platformServices, ...own } as PlatformServices & Own;
  const url = await app.listen({ port: 0, host: '127.0.0.1' });

  const schemes = Object.keys(contract.document.components.securitySchemes ?? {});
  const { account, person, ...logins } = peopleOf(app, database.client, schemes, url);
  const people = {} as Record<Name, Person>;
  for (const [name, role] of Object.entries(named ?? oneOfEachRole(application)) as [Name, string][])
    people[name] = await person(role, name.charAt(0).toUpperCase() + name.slice(1));

  const client = testClient({ app, url, contract, errors: application.errors, observations, onBreach });
  const subscriptions: Subscription[] = [];

  return {
    ...{ app, url, application, contract, database, services, people, log },
    account: (role) => account(role),
    person: (role) => person(role),
    ...logins,
    ...client,
    subscribe(...request) {
      const subscription = client.subscribe(...request);
      subscriptions.push(subscription);
      return subscription;
    },
    async close() {
      for (const { close } of subscriptions) close();
      await app.close();
      if (given === undefined) await database.close();
    },
  };
}
