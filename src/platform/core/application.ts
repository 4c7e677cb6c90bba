import type { Static, TObject, TProperties } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { PrismaClient } from '../database/client.js';
import type { Database } from '../database/open.js';
import type { Outages } from '../database/outages.js';
import type { ActionOf, Policy } from './calls/access.js';
import type { addressReader } from './calls/networks.js';
import type { OutsideOptions, OutsideService } from './calls/outside.js';
import type { MaybePromise } from './calls/schedulers.js';
import type { Catalogue, Code, CoreCode, ErrorKind } from './contract/codes.js';
import type { OpenApiDocument } from './contract/document.js';
import type { RestOperation } from './contract/openapi.js';
import type { OperationOf } from './contract/part-operations.js';
import type { Transact } from './operations/guarded-client.js';
import type { Db, Model } from './operations/model.js';
import type { PartOfModel } from './operations/model-data.js';
import type { PartName } from './order.js';
import type { CheckState, Core, Job, Metric, Seams } from './part.js';
import type { PathTable } from './rest/addresses.js';
import type { Secrets } from './secrets.js';
import type { StagesOf } from './stages.js';
import type { Config } from './variables.js';

/** Limits and costs that tests replace. Each part adds members. */
export interface Overrides {
  /** The cost of large GraphQL operations that run together. */
  costUnderWay?: number;
}

/** The arguments of a part that prepares the database before the service opens. */
export interface Preparing {
  readonly application: Pick<Application, 'policy' | 'accountActions' | 'demo'>;
  readonly config: Config;
  readonly database: Pick<Database, 'client' | 'exclusively'>;
}

/** The argument of `open` of a part. */
export interface Setting extends Preparing {
  readonly app: FastifyInstance;
  readonly core: Core;
  readonly application: Application;
  readonly database: Database;
  readonly outages: Outages;
  readonly now: () => number;
  readonly document: OpenApiDocument;
  readonly operations: readonly RestOperation[];
  readonly paths: PathTable;
  /** The versions, oldest first. */
  readonly served: readonly string[];
  readonly addressOf: ReturnType<typeof addressReader>;
  /** Common to all instances. */
  readonly secrets: Secrets;
  /** Logs an error. An outage of the database is logged once, not with each error that it causes. */
  readonly report: (about: object, error: unknown, message: string) => void;
  readonly reportSignalFault: (error: unknown) => void;
  /** Milliseconds for the closing handshake of sockets. */
  readonly closing: number;
  readonly overrides: Overrides;
  /** Returns the metrics of all parts, when they are open. */
  readonly metrics: () => Readonly<Record<string, Metric>>;
}

/** The commands of an operator, by name. */
export type Commands = Readonly<Record<string, (args: never) => Promise<unknown>>>;

interface Opened<Name extends PartName, Services> {
  readonly stages: StagesOf<Name>;
  readonly seam: Seams[Name];
  /** For handlers, by name. */
  readonly services?: Services;
  /** The models of the part, and its additions to other models, by name. */
  readonly models?: Readonly<Record<string, PartOfModel>>;
  readonly jobs?: readonly Job[];
  readonly commands?: Commands;
  /** Routes and functions, for `OPERATIONS_OF`. */
  readonly operations?: Readonly<Record<string, unknown>>;
  /** Returns checks of readiness, by name. */
  readonly ready?: () => MaybePromise<Readonly<Record<string, CheckState>>>;
  /** By name. */
  readonly metrics?: Readonly<Record<string, Metric>>;
  /** Adds routes, when all stages are there. */
  readonly mount?: () => Promise<void>;
}

/** A part that answers operations answers all that are its own. */
type Answers<Name extends PartName> = [OperationOf<Name>] extends [never]
  ? unknown
  : { readonly operations: Readonly<Record<OperationOf<Name>, unknown>> };

/** A part of the platform that an application may leave out. */
export interface Part<Name extends PartName, Services extends object = object> {
  readonly name: Name;
  /** The error codes with which it answers, which the catalogue of the application must have. */
  readonly codes?: readonly Code[];
  /** The tables that it uses, for which `prisma/schema.prisma` must have models. */
  readonly tables?: readonly string[];
  /** Prepares the database. @returns what the operator must correct */
  readonly prepare?: (given: Preparing) => Promise<string | undefined>;
  /** Returns the login that the start prints. */
  readonly demoLogin?: (given: Preparing) => Promise<DemoPerson | undefined>;
  /** Opens the part for one service. */
  readonly open: (setting: Setting) => MaybePromise<Opened<Name, Services> & Answers<Name>>;
}

export type AnyPart = { [Name in PartName]: Part<Name> }[PartName];
export type OpenedPart = Awaited<ReturnType<AnyPart['open']>>;

/** The actions of the model of accounts. */
export type AccountActions = Readonly<Record<'read' | 'setRole', string>>;

/**
 * The arguments of an application's services. The services use the database through `transact` or the `db` of a
 * call, which enforce the rules of models.
 * @example
 * export const ownServices = ({ jobs, transact }: ApplicationPlatform) => ({ books: booksService(transact) });
 */
export interface ApplicationPlatform {
  readonly now: () => number;
  readonly production: boolean;
  /** Returns the values of variables that the application has declared. */
  readonly environment: <Own extends TProperties>(variables: Own) => Static<TObject<Own>>;
  /** Runs the work of a job in a transaction. */
  readonly transact: Transact;
  /**
   * Returns the client of a service that the application calls. It limits simultaneous calls, their time, and calls to
   * a service that fails, so that such a service delays its own callers only.
   * @param name for the log and the metric `dependency_up`
   */
  readonly outside: (name: string, options?: OutsideOptions) => OutsideService;
  /** For work that goes on after the commit: `finish` stores its answer under the Idempotency-Key, `abandon` frees the key. */
  readonly continuation: {
    /** @param answer for repetitions of the request; @param ownerId the user whom the answer is about */
    readonly finish: (db: Db, workId: string, answer: object, ownerId: number) => Promise<void>;
    readonly abandon: (db: Db, workId: string) => Promise<void>;
  };
  readonly jobs: Pick<Seams['jobs'], 'add' | 'wake'> & {
    /** Wakes a job on all instances when the transaction commits. @param at milliseconds since the epoch */
    readonly announce: (db: Db, name: string, at?: number) => Promise<void>;
  };
}

/**
 * Data for a demo: accounts with public passwords, and their rows. Production refuses a database with them.
 * @example
 * export const demo: Demo = { people: [ada, grace], seed };
 */
export interface Demo {
  /** The accounts that the pages offer for login. The start prints the first. */
  readonly people: readonly [DemoPerson, ...DemoPerson[]];
  /** Fills an empty database in one transaction. */
  readonly seed: (client: PrismaClient) => Promise<void>;
}

export interface DemoPerson {
  readonly name: string;
  readonly role: string;
  readonly email: string;
  readonly password: string;
}

/**
 * An application for the platform.
 * @typeParam Own the application's services, by name
 * @example
 * export const application = defineApplication({ name: 'books', policy, errors, handlers, resolvers, models, services });
 */
export interface Application<Own extends object = object> {
  /** The source of the media type and the names of cookies, tokens and signals: 2 to 20 lower-case letters, digits and hyphens. */
  readonly name: string;
  /** From `generated/policy.ts`. */
  readonly policy: Policy;
  /** The actions of the model of accounts, if the contracts do not name them `users.read` and `users.set-role`. */
  readonly accountActions?: Partial<AccountActions>;
  /** From `generated/errors.ts`. */
  readonly errors: Catalogue & Readonly<Record<CoreCode, ErrorKind>>;
  /** The title on the pages; by default the name with a capital. */
  readonly title?: string;
  /** By tag and operationId, with the types of `generated/operations.ts`. Parts answer the others. */
  readonly handlers: object;
  /** By type and field, with the types of `generated/graphql.ts`. Parts answer the others. */
  readonly resolvers: object;
  /** Returns the services with the business rules, and adds background jobs by `jobs.add`. Called once, before the first request. */
  readonly services: (platform: ApplicationPlatform) => Own;
  readonly models?: readonly Model[];
  /** The parts that the service uses; by default all of them. */
  readonly parts?: readonly AnyPart[];
  /** Leaves all calls of the database to Prisma, and does not load `@accord-api/prepared-prisma`. */
  readonly client?: 'prisma';
  readonly demo?: Demo;
}

type WithPolicy<Rules extends Policy> = {
  readonly policy: Rules;
  readonly accountActions?: Partial<Record<keyof AccountActions, NoInfer<ActionOf<Rules>>>>;
};

/**
 * Declares an application. The platform starts it.
 * @example
 * export const application = defineApplication({ name: 'books', policy, errors, handlers, resolvers, models, services });
 */
export const defineApplication = <Own extends object, Rules extends Policy>(
  application: Application<Own> & WithPolicy<Rules>,
): Application<Own> => application;
