import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Actor, authenticated, type Call, forbidden, type KeyedRequest, reachOf } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { PrismaClient } from '../database/client.js';
import type { Idempotency } from '../idempotency/idempotency.js';
import type { Tx } from './model.js';
import type { ModelData } from './model-data.js';
import { lockAccounts, lockAccountsOf } from './row-locks.js';

/** The arguments of `callTransaction`. */
interface CallTransactionOptions {
  readonly client: PrismaClient;
  readonly idempotency: Pick<Idempotency, 'claim'>;
  readonly call: Call;
  readonly action: string;
  /** The row that the operation is about: its account is locked together with the caller's. `isLocked`: so is the row. */
  readonly target?: { readonly data: ModelData; readonly id: number; readonly isLocked: boolean } | undefined;
  /** The key under which the request may be repeated. */
  readonly keyed: KeyedRequest | undefined;
  /** Runs once the locks are held. */
  readonly afterLocks?: ((tx: Tx) => Promise<void>) | undefined;
}

/**
 * The one transaction of a writing call. It begins at its first use. Accounts are locked first, by id; then the idempotency key;
 * then rows. The access token may be older than a change of the account, so the role is decided again by the locked account.
 */
export function callTransaction({
  client,
  idempotency,
  call,
  action,
  target,
  keyed,
  afterLocks,
}: CallTransactionOptions) {
  let begun: Promise<ManualTransaction> | undefined;
  let locked: Promise<void> | undefined;
  let actor: Actor | null = call.actor;
  let isOver = false;

  function begin(): NonNullable<typeof begun> {
    if (isOver) throw new Error('The operation is over: its `db` cannot be used any more.');
    begun ??= manualTransaction(client);
    locked ??= begun.then(({ tx }) => lock(tx));
    locked.catch(() => {});
    return begun;
  }

  async function lock(tx: Tx): Promise<void> {
    const caller = authenticated(call);
    const { id } = caller;
    const accounts = await (target?.isLocked && target.data.model.name === 'User'
      ? lockAccounts(tx, [id, target.id], target.id)
      : target
        ? lockAccountsOf(tx, id, target.data, target.id, target.isLocked)
        : lockAccounts(tx, [id]));
    if (keyed) await idempotency.claim(tx, call, keyed);
    const account = accounts.find((one) => one.id === id);
    if (!account) throw new Failure('UNAUTHENTICATED', 'The account was deleted.', { challenge: 'invalid_token' });
    actor = { ...caller, role: account.role };
    if (reachOf(call.policy, action, actor) === 'none') throw forbidden(actor, action);
    await afterLocks?.(tx);
  }

  /** Waits for the locks. @throws Failure UNAUTHENTICATED, FORBIDDEN, CONFLICT; what `afterLocks` throws */
  const waitForLocks = async (): Promise<void> => locked;

  /** Begins, and returns the client at once. Statements sent now follow BEGIN and the locks in one write. */
  const open = async (): Promise<Tx> => (await begin()).tx;

  return {
    /** The caller with the role that the locked account has. */
    actor: () => authenticated({ actor }),
    hasBegun: () => begun !== undefined,
    open,
    waitForLocks,

    /** Returns the client of the transaction once the locks are held. */
    async client(): Promise<Tx> {
      const tx = await open();
      await waitForLocks();
      return tx;
    },

    async commit(log: CallLog): Promise<void> {
      isOver = true;
      const transaction = await begun;
      await locked;
      refuseFailed(log);
      await transaction?.commit(log.sent);
    },

    /** @returns why the call failed: the error of the locks, if they failed */
    async rollback(error: unknown): Promise<unknown> {
      isOver = true;
      const transaction = await begun?.catch(() => undefined);
      const refusal = await locked?.then(
        () => error,
        (refused: unknown) => refused,
      );
      await transaction?.rollback(error);
      return refusal ?? error;
    },
  };
}

/** A transaction that ends where its owner says so. */
interface ManualTransaction {
  readonly tx: Tx;
  /**
   * Sends COMMIT without waiting for the answers to `sent`: PostgreSQL commits nothing after a statement that it refused.
   * @throws the error of the first statement of `sent` that failed
   */
  readonly commit: (sent: readonly Promise<unknown>[]) => Promise<void>;
  readonly rollback: (error: unknown) => Promise<void>;
}

/** Begins a transaction. */
export function manualTransaction(client: PrismaClient): Promise<ManualTransaction> {
  return new Promise((resolve, reject) => {
    const done: Promise<void> = client.$transaction(
      (tx) =>
        new Promise<void>((end, fail) => {
          const commit = async (sent: readonly Promise<unknown>[]): Promise<void> => {
            end();
            await Promise.all(sent);
            await done;
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

/** The calls of one operation, so that none is left behind when the operation ends. */
export interface CallLog {
  /** Names the operation in errors. */
  readonly operation: string;
  /** True if the calls are one transaction, which PostgreSQL does not commit after a failed statement. */
  readonly isTransaction: boolean;
  /** Calls that have begun and not ended. */
  readonly running: Set<Promise<unknown>>;
  /** Statements of the platform that were sent without waiting for their results. */
  readonly sent: Promise<unknown>[];
  /** Writes that nobody has awaited, with their names. */
  readonly pending: Map<object, string>;
  /** The first write that failed, or statement of a transaction. It fails the operation, also when the handler has caught it. */
  failed: { readonly error: unknown } | undefined;
  /** The number of calls that have begun. */
  begun: number;
  /** True once the operation has ended. No call begins then. */
  isOver: boolean;
}

export const callLog = (operation: string, isTransaction: boolean): CallLog => ({
  operation,
  isTransaction,
  running: new Set(),
  sent: [],
  pending: new Map(),
  failed: undefined,
  begun: 0,
  isOver: false,
});

/**
 * Ends the calls of an operation whose handler has returned: waits for those that have begun, and lets no other one begin.
 * @throws the error of the first call that failed, also when the handler has caught it; Error for a write that nobody awaited
 */
export async function endCalls(log: CallLog): Promise<void> {
  while (log.running.size > 0) {
    await Promise.allSettled(log.running);
    // Code that awaits one call without being awaited may make the next one.
    await nextTurn();
  }
  log.isOver = true;
  refuseFailed(log);
  const [forgotten] = log.pending.values();
  if (forgotten !== undefined) throw new Error(`${forgotten} was called and not awaited: nothing is written.`);
}

/** Sends a statement without waiting for its result. If it fails, the call fails. */
export function sendAhead(log: CallLog, statement: Promise<unknown>): void {
  statement.catch((error: unknown) => {
    log.failed ??= { error };
  });
  log.sent.push(statement);
}

/** @throws the error of the first call that failed */
export function refuseFailed({ failed }: CallLog): void {
  if (failed) throw failed.error;
}
