/** One operation under way: what it was called with, and what its stages have put there. @module */

import { randomUUID } from 'node:crypto';
import type { Actor, Call } from '../calls/access.js';
import type { Failure } from '../calls/errors.js';
import type { PageRequest, Window } from '../calls/rows.js';
import { type CallLog, CallTransaction, callLog } from './call-transaction.js';
import type { OperationServices } from './guarded-client.js';
import type { AnyRow, Tx } from './model.js';
import type { ModelData } from './model-data.js';
import type { SentValues } from './references.js';
import type { RecordTarget, Route } from './route.js';
import type { LockedAccount } from './row-locks.js';

/** The properties of an operation that the start derives. */
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
  readonly sent: (request: never) => SentValues;
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

/** The members that stages set. */
export interface Members {
  caller: Actor;
  /** The answer to an earlier request with the same key. */
  answer: object;
  parent: AnyRow;
  /** Ends when the request has its idempotency key. @throws Failure CONFLICT */
  claim: { readonly taken: Promise<void> | undefined };
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
export function newRunning(plan: OperationPlan, given: Given, lock: (running: Running) => unknown): Running {
  const running: Blank = {
    plan,
    given,
    actor: given.call.actor as Actor,
    transaction: new CallTransaction(plan.services.client, async (tx) => {
      running.tx = tx;
      await lock(running);
    }),
    tx: undefined,
    stale: undefined,
    log: callLog(plan.name, plan.writes),
    onCommit: [],
    workId: plan.writes ? randomUUID() : '',
    caller: undefined,
    answer: undefined,
    parent: undefined,
    claim: undefined,
    accounts: undefined,
    row: undefined,
  };
  return running;
}

const putting =
  <M extends Member>(member: M) =>
  (running: Running, value: Members[M]): M => {
    (running as unknown as Members)[member] = value;
    return member;
  };

/** Returns the name of the member as the receipt: a stage that must put a member and forgets does not compile. */
export const put: { readonly [M in Member]: (running: Running, value: Members[M]) => M } = {
  caller: putting('caller'),
  answer: putting('answer'),
  parent: putting('parent'),
  claim: putting('claim'),
  accounts: putting('accounts'),
  row: putting('row'),
};
