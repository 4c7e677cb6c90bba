import type { Static, TObject, TProperties } from '@sinclair/typebox';
import type { AccountActions } from './accounts/users.js';
import type { ActionOf, Policy } from './calls/access.js';
import type { Catalogue, Code, Kind } from './contract/codes.js';
import type { PrismaClient } from './database/client.js';
import type { JobRunner } from './jobs/jobs.js';
import type { Transact } from './operations/guarded-client.js';
import type { Db, Model } from './operations/model.js';

/**
 * The arguments of an application's services. They reach the database through `transact` or the `db` of a call, never around the
 * rules of models.
 * @example
 * export const ownServices = ({ jobs, transact }: ApplicationPlatform) => ({ books: booksService(transact) });
 */
export interface ApplicationPlatform {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** True if the rules of production apply. */
  readonly production: boolean;
  /** Returns the values of variables that the application has declared. */
  readonly environment: <Own extends TProperties>(variables: Own) => Static<TObject<Own>>;
  /** Runs work of the service itself in a transaction, for jobs. */
  readonly transact: Transact;
  /** Ends the work that an operation continues after its commit (`workId`), under its Idempotency-Key. */
  readonly continuation: {
    /** @param answer for repetitions of the request; @param ownerId the user whom the answer is about */
    readonly finish: (db: Db, workId: string, answer: object, ownerId: number) => Promise<void>;
    readonly abandon: (db: Db, workId: string) => Promise<void>;
  };
  readonly jobs: Omit<JobRunner, 'announce'> & {
    /** See `JobRunner`. */
    readonly announce: (db: Db, name: string, at?: number) => Promise<void>;
  };
}

/**
 * Data for a demo: accounts with public passwords, and their rows. Production refuses a database with them.
 * @example
 * export const demo: Demo = { people: [ada, grace], seed };
 */
export interface Demo {
  /** The accounts, which the pages offer for login; the start shows the first. */
  readonly people: readonly [DemoPerson, ...DemoPerson[]];
  /** Fills an empty database, all or nothing. */
  readonly seed: (client: PrismaClient) => Promise<void>;
}

/** An account of a demo. */
export interface DemoPerson {
  /** The pages show it with the role. */
  readonly name: string;
  readonly role: string;
  readonly email: string;
  readonly password: string;
}

/**
 * An application, as the platform serves it.
 * @typeParam Own the application's services, by name
 * @example
 * export const application = defineApplication({ name: 'books', policy, errors, handlers, resolvers, models, services });
 */
export interface Application<Own extends object = object> {
  /**
   * Names the application in the media type, cookies, tokens, challenges and signals (`namesOf`). 2 to 20 lower-case letters, digits
   * and hyphens.
   */
  readonly name: string;
  /** `policy` of `generated/policy.ts`, which is made from both contracts. */
  readonly policy: Policy;
  /** The actions of the model of accounts, if the contracts do not name them `users.read` and `users.set-role`. */
  readonly accountActions?: Partial<AccountActions>;
  /** `errors` of `generated/errors.ts`, which is made from the REST contract: its codes and the platform's. */
  readonly errors: Catalogue & Readonly<Record<Code, Kind>>;
  /** Plain text for the page of status codes: when the application sends a status. */
  readonly statuses?: Readonly<Record<number, string>>;
  /** The title at the start and above the pages; by default the name with a capital. */
  readonly title?: string;
  /** By tag and operationId, with the types of `generated/operations.ts`. */
  readonly handlers: object;
  /** By type and field, with the types of `generated/graphql.ts`. */
  readonly resolvers: object;
  /** Makes the services with the business rules, and adds background jobs by `jobs.add`. Called once, before anything is served. */
  readonly services: (platform: ApplicationPlatform) => Own;
  /** The models with their rules (`model`). */
  readonly models?: readonly Model[];
  readonly demo?: Demo;
  /**
   * The services that carry out forwarded operations (`x-forward`): the environment variable of the address, by the name in the
   * contract. They receive the caller in `X-Forwarded-User` (the id) and `X-Forwarded-Groups` (the role), so they must be reachable
   * through this service only.
   */
  readonly upstreams?: Readonly<Record<string, string>>;
}

/** An application whose account actions are in its policy. */
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
