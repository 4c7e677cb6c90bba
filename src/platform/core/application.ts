import type { Static, TObject, TProperties } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { PrismaClient } from '../database/client.js';
import type { Database } from '../database/open.js';
import type { Outages } from '../database/outages.js';
import type { ActionOf, Policy } from './calls/access.js';
import type { addressReader } from './calls/networks.js';
import type { OutsideOptions, OutsideService } from './calls/outside.js';
import type { Catalogue, Code, Kind } from './contract/codes.js';
import type { OpenApiDocument } from './contract/document.js';
import type { Operation } from './contract/openapi.js';
import type { Transact } from './operations/guarded-client.js';
import type { Db, Model } from './operations/model.js';
import type { PartName } from './order.js';
import type { Core, Seams } from './part.js';
import type { PathTable } from './rest/addresses.js';
import type { StagesOf } from './stages.js';
import type { Config } from './variables.js';

/**
 * Repeated background work. The database contains its state.
 * @example
 * jobs.add([{ name: 'reminders', every: 60_000, run: () => transact(remind) }]);
 */
export interface Job {
  name: string;
  /** Maximum milliseconds between the end of a run and the next one, if a signal is lost. */
  every: number;
  /** True if `announce` signals new work. An instance that does not receive signals checks each second. */
  announced?: boolean;
  /** Simultaneous runs; 1 by default. */
  concurrency?: number;
  /**
   * @param more starts another run; call it if there may be more work
   * @returns when the next work is due, in milliseconds since the epoch, if known
   */
  run: (signal: AbortSignal, more: () => void) => Promise<unknown>;
}

/** What the start hands to the parts of an application. */
export interface Setting {
  readonly app: FastifyInstance;
  readonly core: Core;
  readonly application: Pick<Application, 'errors' | 'demo' | 'name' | 'title'>;
  readonly config: Config;
  readonly database: Database;
  readonly outages: Outages;
  readonly now: () => number;
  readonly document: OpenApiDocument;
  readonly operations: readonly Operation[];
  readonly paths: PathTable;
  /** The versions, oldest first. */
  readonly served: readonly string[];
  readonly addressOf: ReturnType<typeof addressReader>;
  readonly hashes: () => Record<string, number>;
  /** Milliseconds for the closing handshake of sockets. */
  readonly closing: number;
  /** Limits other than the usual ones, for tests. */
  readonly overrides: { readonly admission?: object | undefined; readonly answers?: object | undefined };
}

type Opened<Name extends PartName> = {
  readonly stages: StagesOf<Name>;
  /** Adds routes, when all stages are there. */
  readonly mount?: () => Promise<void>;
} & (Name extends keyof Seams ? { readonly seam: Seams[Name] } : object);

/** A part of the platform that an application may leave out. */
export interface Part<Name extends PartName> {
  readonly name: Name;
  /** Opens the part for one service. */
  readonly open: (setting: Setting) => Opened<Name> | Promise<Opened<Name>>;
}

export type AnyPart = { [Name in PartName]: Part<Name> }[PartName];

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
  readonly jobs: {
    /** Adds jobs. Call it before the first request. */
    readonly add: (jobs: readonly Job[]) => void;
    readonly start: () => void;
    /** Runs a job now, or once more after the current run. */
    readonly wake: (name: string) => void;
    /** Wakes a job on all instances when the transaction commits. @param at milliseconds since the epoch */
    readonly announce: (db: Db, name: string, at?: number) => Promise<void>;
    readonly stop: () => Promise<void>;
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
  readonly errors: Catalogue & Readonly<Record<Code, Kind>>;
  /** The title on the pages; by default the name with a capital. */
  readonly title?: string;
  /** By tag and operationId, with the types of `generated/operations.ts`. */
  readonly handlers: object;
  /** By type and field, with the types of `generated/graphql.ts`. */
  readonly resolvers: object;
  /** Returns the services with the business rules, and adds background jobs by `jobs.add`. Called once, before the first request. */
  readonly services: (platform: ApplicationPlatform) => Own;
  readonly models?: readonly Model[];
  /** What the service has besides the core; by default all parts. */
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
