/** One operation under way: what it was called with, and what its stages have put there. @module */

import { randomUUID } from 'node:crypto';
import type { Actor, Call } from '../calls/access.js';
import type { Failure } from '../calls/errors.js';
import type { PageRequest, Window } from '../calls/rows.js';
import { type CallLog, CallTransaction, callLog } from './call-transaction.js';
import type { OperationServices } from './guarded-client.js';
import type { AnyRow, Tx } from './model.js';
import type { ModelData } from './model-data.js';
import type { Sent } from './references.js';
import type { RecordTarget, Route } from './route.js';
import type { LockedAccount } from './row-locks.js';

/** What is known of an operation before its first request. */
export interface OperationPlan {
  /** The operationId, or `Type.field`. */
  readonly name: string;
  readonly action: string;
  readonly writes: boolean;
  /** True if a request may have an Idempotency-Key. */
  readonly isKeyed: boolean;
  readonly route: Route<never, unknown>;
  readonly services: OperationServices;
  /** The row that the operation is about, or that a new row is added to. */
  readonly row: RecordTarget | undefined;
  /** The action that access to `row` takes. */
  readonly rowAction: string;
  /** The parent row of the target, whose owner decides. */
  readonly parent: RecordTarget | undefined;
}

/** One request for an operation, from either transport. */
export interface Given {
  readonly call: Call;
  readonly request: unknown;
  /** Returns the content and the parameters of `request`. */
  readonly sent: (request: never) => Sent;
  /** Returns the id in a path parameter or argument. */
  readonly idOf: (key: string) => number;
  readonly ifMatch?: string | undefined;
  readonly page: PageRequest;
  /** The window of a Relay connection. */
  readonly window?: Window | undefined;
  /** Prisma's `select`, for rows that only the transport sees. */
  readonly select?: ((data: ModelData) => object) | undefined;
  readonly services: unknown;
  readonly prefix: string;
  readonly signal?: AbortSignal | undefined;
  readonly reply: (made: unknown) => unknown;
}

/** What the stages put. */
export interface Members {
  caller: Actor;
  /** The answer to an earlier request with the same key. */
  answer: object;
  parent: AnyRow;
  accounts: readonly LockedAccount[];
  row: AnyRow;
}
export type Member = keyof Members;

interface State {
  /** The caller; once its account is locked, with its current role. */
  actor: Actor;
  readonly transaction: CallTransaction;
  /** The open transaction, once its locks are asked for. */
  tx: Tx | undefined;
  /** The failure of a stale `If-Match`. A 403 for a protected member comes first. */
  stale: Failure | undefined;
  readonly log: CallLog;
  readonly onCommit: (() => void)[];
  /** Identifies work after the commit. */
  readonly workId: string;
}

type Blank = { readonly plan: OperationPlan; readonly given: Given } & State & {
    [M in Member]: Members[M] | undefined;
  };
/** An intersection, not a conditional type: a step that needs less then fits where more is there. */
export type Running<Has extends Member = never> = Readonly<Omit<Blank, 'actor' | 'tx' | 'stale'>> &
  Pick<Blank, 'actor' | 'tx' | 'stale'> & { readonly [M in Has]: Members[M] };

/** @param lock runs when the transaction begins */
export function newRunning(plan: OperationPlan, given: Given, lock: (one: Running) => unknown): Running {
  const one: Blank = {
    plan,
    given,
    actor: given.call.actor as Actor,
    transaction: new CallTransaction(plan.services.client, async (tx) => {
      one.tx = tx;
      await lock(one);
    }),
    tx: undefined,
    stale: undefined,
    log: callLog(plan.name, plan.writes),
    onCommit: [],
    workId: randomUUID(),
    caller: undefined,
    answer: undefined,
    parent: undefined,
    accounts: undefined,
    row: undefined,
  };
  return one;
}

/** Returns the name of the member as the receipt: a stage that must put a member and forgets does not compile. */
export const put: { readonly [M in Member]: (one: Running, value: Members[M]) => M } = {
  caller: (one, value) => {
    (one as Blank).caller = value;
    return 'caller';
  },
  answer: (one, value) => {
    (one as Blank).answer = value;
    return 'answer';
  },
  parent: (one, value) => {
    (one as Blank).parent = value;
    return 'parent';
  },
  accounts: (one, value) => {
    (one as Blank).accounts = value;
    return 'accounts';
  },
  row: (one, value) => {
    (one as Blank).row = value;
    return 'row';
  },
};
