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
import { type Asking, asking, type Subscription } from './client.js';
import { type Contract, contractOf } from './contract.js';
import { observationsOf } from './coverage/recording.js';
import { freshDatabase, PATIENT } from './database.js';
import { type Account, CHEAP, type Person, peopleOf, type Ways } from './people.js';

/** How a service is started for tests; all of it may be left out. */
export interface TestServiceOptions<Name extends string = string> extends Partial<Omit<AppOptions, 'database'>> {
  /** The accounts that there are from the start: the role of each by its name. One of each role, by the role in lower case. */
  people?: Readonly<Record<Name, string>>;
  /** Variables of the environment, besides those that keep limits out of the way. That of the process is not looked at. */
  environment?: Readonly<Record<string, string>>;
  /** The variables that only this application has, as its program gives them. */
  variables?: TProperties;
  /** An embedded one of its own. One that is given stays open. */
  database?: Database;
  /** Fills the database before anybody asks: `application.demo?.seed`, for instance. */
  seed?: ((client: PrismaClient) => Promise<unknown>) | undefined;
  /** Whether `accord coverage` shall know what is seen. Not, where `contracts` are not those of the project. */
  coverage?: boolean;
  /** Is told what in an answer the contract does not declare. Otherwise the request that was so answered rejects. */
  onBreach?: (breach: string) => void;
}

/**
 * A service that runs and whose every answer is held to its contract.
 * @typeParam Own the application's services, by name
 */
export interface TestService<Own extends object = object, Name extends string = string> extends Asking {
  app: FastifyInstance;
  url: string;
  application: Application<Own>;
  contract: Contract;
  database: Database;
  /** The platform's services and the application's, for what is not done by a request. */
  services: PlatformServices & Own;
  people: Record<Name, Person>;
  /** What the service logged, a line of JSON each. */
  log: string[];
  /** A new account with a role. */
  account: (role: string) => Promise<Account>;
  /** The same, logged in. */
  person: (role: string) => Promise<Person>;
  /** Every way in which an account can prove who it is, of those that the contract has; each by a login of its own. */
  waysOf: (account: Account) => Promise<Ways>;
  /** By which its contract lets an account prove who it is. */
  mechanisms: readonly Mechanism[];
  /** Ends it, its subscriptions, and its database if that is its own. */
  close: () => Promise<void>;
}

/** Nothing is to be refused for how many requests a test sends. */
const ENVIRONMENT = {
  NODE_ENV: 'test',
  PORT: '0',
  HOST: '127.0.0.1',
  RATE_LIMIT: '100000',
  RATE_LIMIT_ANONYMOUS: '100000',
  LOGIN_LIMIT: '100000',
};

function refuse(breach: string): never {
  throw new Error(`An answer breaks the contract: ${breach}`);
}

/** The role of each account that a service begins with, by its name. */
export const oneOfEachRole = ({ policy }: Pick<Application, 'policy'>): Record<string, string> =>
  Object.fromEntries([...rolesOf(policy)].map((role) => [role.toLowerCase(), role]));

/**
 * Starts an application on a port of its own, over an embedded database of its own, with an account of each role.
 * @param application as `main.ts` serves it
 * @returns the service, to be closed when the tests are done
 */
export async function testService<Own extends object, Name extends string = string>(
  application: Application<Own>,
  {
    people: named,
    environment = {},
    variables = {},
    database: given,
    seed,
    coverage,
    onBreach = refuse,
    contracts: otherContracts,
    ...options
  }: TestServiceOptions<Name> = {},
): Promise<TestService<Own, Name>> {
  const contracts = otherContracts ?? (await publishedContracts());
  const contract = contractOf({
    openapi: contracts.openapi,
    graphql: contracts.schemaGraphql.toString(),
  });
  const isRecorded = coverage ?? otherContracts === undefined;
  const observations = isRecorded ? observationsOf(rootPath()) : undefined;
  const database = given ?? (await freshDatabase());
  await seed?.(database.client);

  let own: Own | undefined;
  const listening: Application<Own> = {
    ...application,
    services(platform) {
      own = application.services(platform);
      return own;
    },
  };
  const log: string[] = [];
  const app = await buildApp(listening, readConfig({ ...ENVIRONMENT, ...environment }, variables), {
    database,
    logger: { level: 'info', stream: { write: (line: string) => void log.push(line) } },
    hashing: CHEAP,
    ...options,
    contracts,
    timeouts: options.timeouts ?? { handler: PATIENT.answer, closing: PATIENT.answer },
    sockets: { initTimeout: PATIENT.answer, ping: PATIENT.answer, ...options.sockets },
    admission: { burst: PATIENT.answer, standing: PATIENT.answer, ...options.admission },
  });
  const services = { ...app.platformServices, ...own } as PlatformServices & Own;
  const url = await app.listen({ port: 0, host: '127.0.0.1' });

  const schemes = Object.keys(contract.document.components.securitySchemes ?? {});
  const { client } = database;
  const known = peopleOf({ app, client, services, schemes, url });
  const roles = (named ?? oneOfEachRole(application)) as Record<Name, string>;
  const people = {} as Record<Name, Person>;
  for (const [name, role] of Object.entries(roles) as [Name, string][])
    people[name] = await known.person(role, name.charAt(0).toUpperCase() + name.slice(1));

  const sent = asking({ app, url, contract, errors: application.errors, observations, onBreach });
  const subscriptions: Subscription[] = [];

  return {
    app,
    url,
    application,
    contract,
    database,
    services,
    people,
    log,
    account: (role) => known.account(role),
    person: (role) => known.person(role),
    waysOf: known.waysOf,
    mechanisms: known.mechanisms,
    ...sent,
    subscribe(...request) {
      const subscription = sent.subscribe(...request);
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
