import type { AccountActions } from './accounts/account-rules.js';
import type { ActionOf, Policy } from './calls/access.js';
import type { Catalogue, Code, Kind } from './contract/codes.js';
import type { PrismaClient } from './database/client.js';
import type { Model } from './operations/model.js';
import type { ApplicationPlatform } from './services.js';

/**
 * Data for a demo: accounts whose password everybody knows, and what they have made. Production refuses a database with it.
 * @example
 * export const demo: Demo = { people: [ada, grace], seed };
 */
export interface Demo {
  /** Its accounts, which the pages offer to log in as; the first is shown at start. */
  readonly people: readonly [DemoPerson, ...DemoPerson[]];
  /** Fills an empty database, all or nothing. */
  readonly seed: (client: PrismaClient) => Promise<void>;
}

/** An account of a demo. */
export interface DemoPerson {
  /** What the pages call it, with its role. */
  readonly name: string;
  readonly role: string;
  readonly email: string;
  readonly password: string;
}

/**
 * What is served: all that the platform is told of an application.
 * @typeParam Own the application's services, by name
 * @example
 * export const application = defineApplication({ name: 'books', policy, errors, handlers, resolvers, models, services });
 */
export interface Application<Own extends object = object> {
  /**
   * Names the application where it meets others: in the media type, cookies, tokens, challenges and signals (`namesOf`). 2 to 20
   * lower-case letters, digits and hyphens.
   */
  readonly name: string;
  /** Who may do what: `policy` of `generated/policy.ts`, which is made from both contracts. */
  readonly policy: Policy;
  /** The actions of the model of accounts, where the contracts call them otherwise than `users.read` and `users.set-role`. */
  readonly accountActions?: Partial<AccountActions>;
  /** Its error codes with the platform's: `errors` of `generated/errors.ts`, which is made from the REST contract. */
  readonly errors: Catalogue & Readonly<Record<Code, Kind>>;
  /** What it says of an HTTP status in its words, on the page of status codes: where it is sent, as plain text. */
  readonly statuses?: Readonly<Record<number, string>>;
  /** What people read at a start and above the pages; the name with a capital where it is left out. */
  readonly title?: string;
  /** By tag and operationId, as `generated/operations.ts` demands them. */
  readonly handlers: object;
  /** By type and field, as `generated/graphql.ts` demands them. */
  readonly resolvers: object;
  /** Its business rules, and by `jobs.add` what it does again and again beside the requests. Called once, before anything is served. */
  readonly services: (platform: ApplicationPlatform) => Own;
  /** Its models, with the rules that hold around their rows (`model`). */
  readonly models?: readonly Model[];
  readonly demo?: Demo;
  /**
   * The services behind this one that carry out operations of the contract (`x-forward`): by the name that the contract uses, the
   * variable of the environment that holds the address. Whoever calls is told them in `X-Forwarded-User` (the id) and
   * `X-Forwarded-Groups` (the role), so they must be reached through this service only.
   */
  readonly upstreams?: Readonly<Record<string, string>>;
}

/** An application whose accounts ask for actions that its policy has. */
type WithPolicy<Rules extends Policy> = {
  readonly policy: Rules;
  readonly accountActions?: Partial<Record<keyof AccountActions, NoInfer<ActionOf<Rules>>>>;
};

/**
 * Declares what is served. Nothing happens until the platform receives it.
 * @example
 * export const application = defineApplication({ name: 'books', policy, errors, handlers, resolvers, models, services });
 */
export const defineApplication = <Own extends object, Rules extends Policy>(
  application: Application<Own> & WithPolicy<Rules>,
): Application<Own> => application;
