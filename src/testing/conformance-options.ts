import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import type { Drawn } from './client.js';
import type { Account, Json, Person } from './people.js';
import type { TestService, TestServiceOptions } from './service.js';

/** What the cases are told to: tap's `t` is one, and any test runner's that has a function for each. */
export interface Cases {
  /** A case, or cases under a name; the next begins when it is done. */
  test: (name: string, run: (t: Cases) => Promise<void>) => unknown;
  equal: (found: unknown, wanted: unknown, message: string) => unknown;
  ok: (value: unknown, message: string) => unknown;
}

/** What a request is made for. */
export interface Asked<Own extends object = object> {
  service: TestService<Own>;
  /** Who sends it; nobody where no credential is wanted. */
  caller: Account | undefined;
  /** Whose it is what the request names. */
  owner: Account;
  /** A number that no other request has, for what must be unique. */
  number: number;
}

/** A request that is not sent yet, so that a test can put faults into it. */
export interface Draft {
  /** Who sends it. */
  as: Pick<Person, 'headers'> | undefined;
  path: Record<string, string>;
  /** By name: a text, or a value, which is written as the contract has it. */
  query: Record<string, unknown>;
  headers: Record<string, string>;
  /** Sent as JSON, unless it is a string or bytes; undefined for no body. */
  body: Json;
}

type Id = string | number;

/** A way of being wrong that only the application knows; it is tried alone, and beside every other one. */
export interface OwnFault<Own extends object = object> {
  /** In words: `an order that is paid already`. */
  name: string;
  /** The answer. */
  status: number;
  /** Of which operations, by their operationId. */
  operations: readonly string[] | ((operation: Operation) => boolean);
  /** Makes a sound request wrong, or the world that it meets. */
  apply: (draft: Draft, asked: Asked<Own>) => void | Promise<void>;
}

/**
 * What the contract cannot say of the requests to it. An operation whose examples are sound, and whose path names nothing, needs
 * none of it.
 * @typeParam Own the application's services, by name
 */
export interface ConformanceOptions<Own extends object = object> extends Omit<TestServiceOptions, 'people'> {
  /** The operations and root fields that are tried, by operationId and as `Query.loan`; all of them where it is left out. */
  only?: readonly string[];
  /** The path parameters that hold the id of an account: `['user_id']`. */
  accounts?: readonly string[];
  /** Makes what a path parameter names, of an account's: `{ order_id: async ({ owner, service }) => … }`. */
  make?: Readonly<Record<string, (asked: Asked<Own>) => Promise<Id>>>;
  /** The same of what nobody has but the caller. */
  makeOwn?: Readonly<Record<string, (asked: Asked<Own>) => Promise<Id>>>;
  /** Makes what a path parameter named once, and is gone: where an operation declares 410. */
  deleted?: Readonly<Record<string, (service: TestService<Own>) => Promise<Id>>>;
  /**
   * Sound bodies by the operationId, where the example of the contract does not do. Each is given the first example of the media
   * type that is sent, and is asked once for every media type of its kind.
   */
  bodies?: Readonly<Record<string, (asked: Asked<Own>, example: Json) => Json | Promise<Json>>>;
  /**
   * Sound arguments of a root field that is about something of the owner's, by `Query.loan`; a field that is named nowhere is
   * given what it requires by its type.
   */
  fields?: Readonly<Record<string, (asked: Asked<Own>) => Promise<object> | object>>;
  /** The same where it can belong to nobody but the caller: what is created. */
  ownFields?: Readonly<Record<string, (asked: Asked<Own>) => Promise<object> | object>>;
  /**
   * Brings about what a subscription tells, by `Subscription.loanEnded`, to somebody who was given its `fields`. Done again and
   * again, until it was told.
   */
  events?: Readonly<Record<string, (asked: Asked<Own>, variables: Json) => unknown>>;
  /** Has a sound request meet the condition of a further permission, by its `when`: in a body, or in the arguments of a field. */
  conditions?: Readonly<Record<string, (values: Json, asked: Asked<Own>) => void>>;
  /** Ways of being wrong that only the application knows. */
  faults?: readonly OwnFault<Own>[];
  /**
   * A value on a side of a bound, by what `accord coverage` calls it, `addLoan body /code at maxLength 12`, where none is found that
   * has the form besides.
   */
  bounds?: Readonly<Record<string, (asked: Asked<Own>) => unknown>>;
  /** Whether a failure that an operation declares needs more than one request of one caller, so that another test shows it. */
  elsewhere?: (operation: Operation, status: number) => boolean;
  /** Whether a request that was drawn may be answered so, from 500 on: a payment that the gateway fails. */
  mayFail?: (request: Drawn, status: number) => boolean;
  /** How many requests are drawn (300), and by which seed (1): the same each time, unless it is another one. */
  draws?: { runs?: number; seed?: number };
  /** Makes the database of each service that is started, and says how it is closed; an embedded one otherwise, emptied each time. */
  open?: () => Promise<NonNullable<TestServiceOptions['database']>>;
}
