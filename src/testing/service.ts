import type { Application } from '@accord-api/platform/internals/core/application';
import { type Call, type Mechanism, rolesOf } from '@accord-api/platform/internals/core/calls/access';
import type { SessionTokens } from '@accord-api/platform/internals/core/calls/session';
import { versionsOf } from '@accord-api/platform/internals/core/contract/openapi';
import { publishedContracts } from '@accord-api/platform/internals/core/contract/published';
import { type HashParameters, passwordHasher } from '@accord-api/platform/internals/core/hasher';
import { VARIABLES_OF } from '@accord-api/platform/internals/core/variables';
import type { PrismaClient } from '@accord-api/platform/internals/database/client';
import { templateOf } from '@accord-api/platform/internals/database/data-directory';
import { readMigrations } from '@accord-api/platform/internals/database/migrations';
import { type Database, openDatabase } from '@accord-api/platform/internals/database/open';
import { type AppOptions, buildApp } from '@accord-api/platform/internals/server/app';
import { readConfig } from '@accord-api/platform/internals/server/config';
import type { PlatformServices } from '@accord-api/platform/internals/server/services';
import { rootPath } from '@accord-api/platform/root';
import type { TProperties } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { type Account, hasPart, type Person, type Subscription, type TestClient, testClient } from './client.js';
import { type Contract, contractOf } from './contract.js';
import { observationsOf } from './coverage/elements.js';

/** Milliseconds. Tests of the usual limits set their own, so that no other test depends on the speed of the machine. */
export const TEST_TIMEOUTS_MS = { connect: 120_000, lock: 120_000, answer: 120_000, transaction: 120_000 };

let migrated: Promise<Blob> | undefined;

/** Returns a dump of a migrated database: the prebuilt template, or one that is made once per process. */
async function migratedDatabase(): Promise<Blob> {
  const migrations = readMigrations();
  const built = await templateOf(migrations);
  if (migrations.length > 0 && built.migrated.length === migrations.length) return new Blob([built.archive]);
  const database = await openDatabase('pglite://memory', { limits: TEST_TIMEOUTS_MS, client: () => 'prisma' });
  return database.dump().finally(database.close);
}

export async function freshDatabase({ client }: Pick<Application, 'client'>): Promise<Database> {
  migrated ??= migratedDatabase();
  const options = { limits: TEST_TIMEOUTS_MS, client: () => client };
  return openDatabase('pglite://memory', { snapshot: await migrated, ...options });
}

const TABLES = `pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^(pg_|information_schema$)' AND c.relname <> '_prisma_migrations'`;
const HAS_ROWS = `SELECT EXISTS (SELECT FROM ${TABLES} AND pg_relation_size(c.oid) > 0) AS filled`;
/** The replica role skips the triggers that forbid TRUNCATE. */
const TRUNCATE = `DO $$ BEGIN
  PERFORM set_config('session_replication_role', 'replica', true);
  EXECUTE (SELECT 'TRUNCATE ' || string_agg(format('%I.%I', n.nspname, c.relname), ', ') || ' RESTART IDENTITY' FROM ${TABLES});
END $$`;

/**
 * Opens one database after the other, on one engine unless the migrations insert rows: truncating is a hundred times faster than a
 * start.
 */
export function successiveDatabases(fresh: () => Promise<Database>) {
  let shared: Promise<Database | undefined> | undefined;
  const openShared = async (): Promise<Database | undefined> => {
    const database = await fresh();
    const [found] = await database.client.$queryRawUnsafe<{ filled: boolean }[]>(HAS_ROWS);
    if (found?.filled === false) return database;
    await database.close();
    return undefined;
  };
  return {
    /** Opens an empty database. Close it before the next one is opened. */
    async open(): Promise<Database> {
      const isFirst = shared === undefined;
      shared ??= openShared();
      const database = await shared;
      if (database === undefined) return fresh();
      if (!isFirst) await database.client.$executeRawUnsafe(TRUNCATE);
      return { ...database, close: async () => {} };
    },
    close: async () => (await shared)?.close(),
  };
}

/** The password of every test account. */
export const PASSWORD = 'a password for the tests';
/** Cheap parameters: a hash takes a thousandth of the usual time. */
export const TEST_HASHING: HashParameters = { memoryCost: 32, timeCost: 1, parallelism: 1 };

let hash: Promise<string> | undefined;

export const passwordHash = (): Promise<string> => (hash ??= passwordHasher(TEST_HASHING).hash(PASSWORD));

/** Headers that authenticate one account, by mechanism. */
export type Credentials = Partial<Record<Mechanism, Record<string, string>>>;

const MECHANISMS = ['jwt', 'opaqueToken', 'basicAuth', 'cookieAuth'] as const satisfies readonly Mechanism[];

/** Logs an account in through the service, without a request that the rate limits would count. */
export function sessionOf<Flow extends SessionTokens['flow']>(app: FastifyInstance, { email }: Account, flow: Flow) {
  const context = { policy: app.core.policy, actor: null, address: '127.0.0.1', requestId: 'testing' };
  const call: Call = { ...context, enforce: async () => {} };
  const tokens = app.platformServices.sessions.login(call, { email, password: PASSWORD, flow });
  return tokens as Promise<Extract<SessionTokens, { flow: Flow }>>;
}

/**
 * Creates accounts and logs them in.
 * @param schemes the security schemes of the contract
 */
function peopleOf(app: FastifyInstance, client: PrismaClient, schemes: readonly string[], url: string) {
  let accounts = 0;
  const mechanisms = MECHANISMS.filter((name) => schemes.includes(name));

  const logins: Record<Mechanism, (account: Account) => Promise<Record<string, string>>> = {
    jwt: async (account) => ({ authorization: `Bearer ${(await sessionOf(app, account, 'jwt')).accessToken}` }),
    opaqueToken: async (account) => ({ authorization: `Bearer ${(await sessionOf(app, account, 'opaque')).token}` }),
    basicAuth: async ({ email }) => ({ authorization: `Basic ${btoa(`${email}:${PASSWORD}`)}` }),
    cookieAuth: async (account) => ({
      cookie: `${app.core.names.accessCookie}=${(await sessionOf(app, account, 'jwt')).accessToken}`,
      origin: url,
    }),
  };

  async function account(role: string, name?: string): Promise<Account> {
    accounts += 1;
    const email = `${(name ?? `${role}-${accounts}`).toLowerCase()}@example.com`;
    // Without the part of accounts, an id is only a number in a path.
    if (!hasPart(app, 'identity')) return { id: accounts, email, role };
    const named = { name: name ?? `${role} ${accounts}`, email, emailKey: email };
    const data = { ...named, role, passwordHash: await passwordHash() };
    const { id } = await client.user.create({ data, select: { id: true } });
    return { id, email, role };
  }

  return {
    mechanisms,
    account,
    async person(role: string, name?: string): Promise<Person> {
      const [first] = mechanisms;
      if (first === undefined)
        throw new Error(`Nobody can log in: declare one of the security schemes ${MECHANISMS.join(', ')}.`);
      const created = await account(role, name);
      return { ...created, headers: await logins[first](created) };
    },
    /** Logs an account in by each mechanism of the contract. */
    async credentialsOf(account: Account): Promise<Credentials> {
      const found = mechanisms.map(async (name) => [name, await logins[name](account)] as const);
      return Object.fromEntries(await Promise.all(found));
    },
  };
}

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
  /** The versions that a request can select in other ways than by the path. */
  versions: readonly string[];
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

/** Removes the variables of parts that an application leaves out, which refuses them. */
export function withoutUnfit(
  environment: Record<string, string>,
  { parts }: { readonly parts?: Application['parts'] | undefined },
) {
  const names = parts?.map(({ name }) => String(name));
  const unfit = Object.entries(VARIABLES_OF).flatMap(([part, all]) => (names?.includes(part) === false ? all : []));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !unfit.includes(name as never)));
}

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
  const database = given ?? (await freshDatabase(application));
  await seed?.(database.client);

  const log: string[] = [];
  const { answer } = TEST_TIMEOUTS_MS;
  const app = await buildApp(
    application,
    readConfig(withoutUnfit({ ...ENVIRONMENT, ...environment }, application), variables),
    {
      database,
      logger: { level: 'info', stream: { write: (line: string) => void log.push(line) } },
      hashing: TEST_HASHING,
      ...options,
      contracts,
      timeouts: options.timeouts ?? { handler: answer, closing: answer },
      sockets: { initTimeout: answer, ...options.sockets },
      admission: { burst: answer, sustained: answer, ...options.admission },
    },
  );
  const services = { ...app.platformServices, ...app.platformServices.handlers } as PlatformServices & Own;
  const url = await app.listen({ port: 0, host: '127.0.0.1' });

  const schemes = Object.keys(contract.document.components.securitySchemes ?? {});
  const accounts = peopleOf(app, database.client, schemes, url);
  const people = {} as Record<Name, Person>;
  for (const [name, role] of Object.entries(named ?? oneOfEachRole(application)) as [Name, string][])
    people[name] = await accounts.person(role, name.charAt(0).toUpperCase() + name.slice(1));

  const client = testClient({ app, url, contract, errors: application.errors, observations, onBreach });
  const subscriptions: Subscription[] = [];

  return {
    ...{ app, url, application, contract, database, services, people, log },
    versions: hasPart(app, 'versions') ? versionsOf(contract.document) : [],
    ...accounts,
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
