/** The transaction of a writing call, the access decisions behind its `db`, and the log of its calls. @module */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { beginTransaction, type PrismaClient, type Transaction } from '../../database/client.js';
import { faultOf } from '../../database/faults.js';
import type { Actor, Call } from '../calls/access.js';
import type { MaybePromise } from '../calls/schedulers.js';
import type { AnyRow, Db, Tx } from './model.js';
import type { ModelData } from './model-data.js';

/** The access decisions of a call, for its guarded client. */
export interface ClientAccess {
  readonly call: Call;
  /** The action of the operation. Undefined for the system, which may do everything. */
  readonly action: string | undefined;
  /** The caller with its current role. */
  readonly actor: () => Actor;
  /** Returns the open transaction of a writing call, or else the shared client. */
  readonly reader: () => MaybePromise<Tx>;
  /** Returns the transaction before content and rate are checked, because conflicts come first. */
  readonly transaction: () => MaybePromise<Tx>;
  /** Returns the transaction for a new row, which travels with the locks. A refusal by the locks rolls it back. */
  readonly ahead: () => MaybePromise<Tx>;
  readonly onCommit: (work: () => void) => void;
  /** Returns the filter of a model without an owner whose parent row decides. */
  readonly parentFilter?: (data: ModelData) => object | undefined;
  /** The target row, which the caller may write and the transaction has locked. */
  readonly lockedTarget?: () => { readonly model: string; readonly row: AnyRow } | undefined;
  /** @throws Failure PRECONDITION_FAILED for a stale `If-Match` of the target */
  readonly checkPrecondition?: () => void;
}

/** The key of the access decisions in a `db`. A WeakMap would keep both alive until a full garbage collection. */
export const ACCESS = Symbol('access');

/** Returns the decisions behind a `db`. @throws TypeError for another object */
export function accessOf(db: Db): ClientAccess {
  const access = (db as { [ACCESS]?: ClientAccess })[ACCESS];
  if (!access) throw new TypeError('This is not the `db` of an operation.');
  return access;
}

/** The transaction of a writing call, which opens at its first use. */
export class CallTransaction {
  private readonly root: PrismaClient;
  private readonly lock: (tx: Tx) => Promise<unknown>;
  private begun: Transaction | undefined = undefined;
  private locked: Promise<unknown> | undefined = undefined;
  private isLocked = false;
  private isOver = false;

  /** @param lock takes the locks; called once, when the transaction opens */
  constructor(root: PrismaClient, lock: (tx: Tx) => Promise<unknown>) {
    this.root = root;
    this.lock = lock;
  }

  hasBegun(): boolean {
    return this.begun !== undefined;
  }

  /** Returns the client before the locks are held. Statements sent now follow BEGIN and the locks in one write. */
  open(): Tx {
    if (this.isOver) throw new Error('The operation is over: its `db` cannot be used any more.');
    if (this.begun) return this.begun.tx;
    this.begun = beginTransaction(this.root);
    this.locked = this.lock(this.begun.tx);
    const held = () => {
      this.isLocked = true;
    };
    this.locked.then(held, () => {});
    return this.begun.tx;
  }

  /** @throws Failure UNAUTHENTICATED, FORBIDDEN, CONFLICT; errors of what runs with the locks */
  whenLocked<T>(next: () => MaybePromise<T>): MaybePromise<T> {
    return this.locked && !this.isLocked ? this.locked.then(next) : next();
  }

  client(): MaybePromise<Tx> {
    const tx = this.open();
    return this.whenLocked(() => tx);
  }

  commit(log: CallLog): MaybePromise<void> {
    this.isOver = true;
    return this.whenLocked(() => {
      refuseFailed(log);
      return this.begun?.commit();
    });
  }

  /** Returns the error of the locks if they failed before `error`, or else `error`. */
  async rollback(error: unknown): Promise<unknown> {
    this.isOver = true;
    const refusal = await this.locked?.then(
      () => error,
      (refused: unknown) => refused,
    );
    await this.begun?.rollback();
    return refusal === undefined || faultOf(refusal).kind === 'aborted' ? error : refusal;
  }
}

/** Records the calls of one operation, so that none outlives it. */
export interface CallLog {
  readonly operation: string;
  /** True if the calls are one transaction, which PostgreSQL does not commit after a failed statement. */
  readonly isTransaction: boolean;
  readonly running: Set<Promise<unknown>>;
  /** Writes that nobody has awaited, with their names. */
  readonly pending: Map<object, string>;
  /** The first failed write, or statement of a transaction. It fails the operation even if the handler catches it. */
  failed: { readonly error: unknown } | undefined;
  /** The rows of the first statement that a foreign key failed. */
  reference?: { readonly data: ModelData; readonly written: readonly Readonly<Record<string, unknown>>[] };
  /** The `where` and the ids of what the call has read in its transaction. */
  read?: { readonly model: string; readonly found: readonly unknown[] }[];
  begun: number;
  isOver: boolean;
}

export const callLog = (operation: string, isTransaction: boolean): CallLog => ({
  operation,
  isTransaction,
  running: new Set(),
  pending: new Map(),
  failed: undefined,
  begun: 0,
  isOver: false,
});

/** Waits for running calls, and prevents others. @throws the first error; Error for a write that nobody awaited */
export function endCalls(log: CallLog): MaybePromise<void> {
  if (log.running.size > 0)
    return (
      Promise.allSettled(log.running)
        // An asynchronous function that nobody awaits may make another call.
        .then(() => nextTurn())
        .then(() => endCalls(log))
    );
  log.isOver = true;
  refuseFailed(log);
  const [forgotten] = log.pending.values();
  if (forgotten !== undefined) throw new Error(`${forgotten} was called and not awaited: nothing is written.`);
}

/** Records the error of a statement that nobody awaits. It must be sent already, so that COMMIT fails with it. */
export function sendAhead(log: CallLog, statement: Promise<unknown>): void {
  statement.catch((error: unknown) => {
    log.failed ??= { error };
  });
}

export function refuseFailed({ failed }: CallLog): void {
  if (failed) throw failed.error;
}
