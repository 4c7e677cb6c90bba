/** The transaction of a writing call, the access decisions behind its `db`, and the log of its calls. @module */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PrismaClient } from '../../database/client.js';
import type { Actor, Call } from '../calls/access.js';
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
  readonly reader: () => Promise<Tx>;
  /** Returns the transaction before content and rate are checked, because conflicts come first. */
  readonly transaction: () => Promise<Tx>;
  readonly onCommit: (work: () => void) => void;
  /** Returns the filter of a model without an owner whose parent row decides. */
  readonly parentFilter?: (data: ModelData) => object | undefined;
  /** The target row, which the caller may write and the transaction has locked. */
  readonly lockedTarget?: () => { readonly model: string; readonly row: AnyRow } | undefined;
  /** @throws Failure PRECONDITION_FAILED for a stale `If-Match` of the target */
  readonly checkPrecondition?: () => void;
}

/** The member of a `db`. A minor collection would keep the values of a WeakMap, which point to their keys. */
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
  private readonly lock: (tx: Tx) => unknown;
  private begun: Promise<ManualTransaction> | undefined = undefined;
  private locked: Promise<unknown> | undefined = undefined;
  private isOver = false;

  /** @param lock takes the locks; called once, when the transaction opens */
  constructor(root: PrismaClient, lock: (tx: Tx) => unknown) {
    this.root = root;
    this.lock = lock;
  }

  hasBegun(): boolean {
    return this.begun !== undefined;
  }

  /** Returns the client before the locks are held. Statements sent now follow BEGIN and the locks in one write. */
  async open(): Promise<Tx> {
    if (this.isOver) throw new Error('The operation is over: its `db` cannot be used any more.');
    this.begun ??= manualTransaction(this.root);
    this.locked ??= this.begun.then(({ tx }) => this.lock(tx));
    this.locked.catch(() => {});
    return (await this.begun).tx;
  }

  /** Waits for the locks. @throws Failure UNAUTHENTICATED, FORBIDDEN, CONFLICT; errors of what runs with the locks */
  async waitForLocks(): Promise<void> {
    await this.locked;
  }

  async client(): Promise<Tx> {
    const tx = await this.open();
    await this.locked;
    return tx;
  }

  async commit(log: CallLog): Promise<void> {
    this.isOver = true;
    const transaction = await this.begun;
    await this.locked;
    refuseFailed(log);
    await transaction?.commit();
  }

  /** Returns the error of the locks if they failed, or else `error`. */
  async rollback(error: unknown): Promise<unknown> {
    this.isOver = true;
    const transaction = await this.begun?.catch(() => undefined);
    const refusal = await this.locked?.then(
      () => error,
      (refused: unknown) => refused,
    );
    await transaction?.rollback(error);
    return refusal ?? error;
  }
}

interface ManualTransaction {
  readonly tx: Tx;
  /** Sends COMMIT. Rejects if PostgreSQL rolls back, for example after a failed statement. */
  readonly commit: () => Promise<void>;
  readonly rollback: (error: unknown) => Promise<void>;
}

export function manualTransaction(client: PrismaClient): Promise<ManualTransaction> {
  return new Promise((resolve, reject) => {
    const done: Promise<void> = client.$transaction(
      (tx) =>
        new Promise<void>((end, fail) => {
          const commit = (): Promise<void> => {
            end();
            return done;
          };
          const rollback = (error: unknown): Promise<void> => {
            fail(error);
            return done.catch(() => {});
          };
          resolve({ tx, commit, rollback });
        }),
    );
    done.catch(reject);
  });
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
export async function endCalls(log: CallLog): Promise<void> {
  while (log.running.size > 0) {
    await Promise.allSettled(log.running);
    // An asynchronous function that nobody awaits may make another call.
    await nextTurn();
  }
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
