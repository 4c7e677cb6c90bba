import type { Actor, Call, KeyedRequest } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { PrismaClient } from '../database/client.js';
import type { Idempotency } from '../idempotency/idempotency.js';
import type { Tx } from './model.js';
import type { ModelData } from './model-data.js';
import { lockAccounts, lockAccountsOf } from './row-locks.js';

/** The access token of a caller is older than a change of its role: the operation has to be decided by this actor. */
export class RoleChanged extends Error {
  readonly actor: Actor;
  constructor(actor: Actor) {
    super('The role of the caller has changed.');
    this.actor = actor;
  }
}

/** What a call needs to begin its transaction. */
export interface CallTransactionOptions {
  readonly client: PrismaClient;
  readonly idempotency: Pick<Idempotency, 'claim'>;
  readonly call: Call;
  /** Decides what the caller may. Its role must be that of the locked account. */
  readonly caller: Actor;
  /** The row that the operation is about: its account is locked together with the caller's. `isLocked`: so is the row. */
  readonly target?: { readonly data: ModelData; readonly id: number; readonly isLocked: boolean } | undefined;
  /** The key under which the request may be repeated. */
  readonly keyed: KeyedRequest | undefined;
  /** Runs once the locks are held. */
  readonly afterLocks?: ((tx: Tx) => Promise<void>) | undefined;
}

/**
 * The one transaction of a writing call. It begins at its first use. Accounts are locked first, by id; then the idempotency key;
 * then rows. Statements do not wait for the answers to those before: on a connection to a server, all that are sent in one turn
 * of the event loop are one write.
 */
export function callTransaction({
  client,
  idempotency,
  call,
  caller,
  target,
  keyed,
  afterLocks,
}: CallTransactionOptions) {
  let begun: Promise<ManualTransaction> | undefined;
  let locked: Promise<void> | undefined;
  /** Statements whose results nobody needs before the commit, in the order in which they were sent. */
  const sent: Promise<unknown>[] = [];
  let isOver = false;

  function begin(): NonNullable<typeof begun> {
    if (isOver) throw new Error('The operation is over: its `db` cannot be used any more.');
    begun ??= manualTransaction(client);
    locked ??= begun.then(({ tx }) => lock(tx));
    locked.catch(() => {});
    return begun;
  }

  async function lock(tx: Tx): Promise<void> {
    const { id } = caller;
    const accounts = await (target?.isLocked && target.data.model.name === 'User'
      ? lockAccounts(tx, [id, target.id], target.id)
      : target
        ? lockAccountsOf(tx, id, target.data, target.id, target.isLocked)
        : lockAccounts(tx, [id]));
    if (keyed) await idempotency.claim(tx, call, keyed);
    const account = accounts.find((one) => one.id === id);
    if (!account) throw new Failure('UNAUTHENTICATED', 'The account was deleted.', { challenge: 'invalid_token' });
    if (account.role !== caller.role) throw new RoleChanged({ ...caller, role: account.role });
    await afterLocks?.(tx);
  }

  return {
    hasBegun: () => begun !== undefined,

    /** Returns the client of the transaction. The statement of the locks comes before all others; `locked` tells its result. */
    async client(): Promise<Tx> {
      const { tx } = await begin();
      if (keyed || afterLocks) await locked;
      return tx;
    },

    /** @throws Failure UNAUTHENTICATED, CONFLICT; RoleChanged; what `afterLocks` throws */
    locked: async (): Promise<void> => locked,

    /** Lets a statement of the platform be sent with those that follow. Its error fails the commit. */
    sendAhead(statement: Promise<unknown>): void {
      statement.catch(() => {});
      sent.push(statement);
    },

    async commit(): Promise<void> {
      isOver = true;
      const transaction = await begun;
      await locked;
      await transaction?.commit(sent);
    },

    /** @returns the first error of the transaction, because of which later statements fail */
    async rollback(error: unknown): Promise<unknown> {
      isOver = true;
      const transaction = await begun?.catch(() => undefined);
      const first = await firstError([locked, ...sent], error);
      await transaction?.rollback(first);
      return first;
    },
  };
}

/** @returns the error of the first statement that failed; `error` where none has */
export const firstError = (statements: readonly unknown[], error: unknown): Promise<unknown> =>
  Promise.all(statements).then(
    () => error,
    (first: unknown) => first,
  );

/** A transaction that ends where its owner says so. */
export interface ManualTransaction {
  readonly tx: Tx;
  /**
   * Sends COMMIT at once: PostgreSQL commits nothing after a statement that has failed.
   * @param sent statements that have been sent; the error of one of them is thrown
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
            await Promise.all([...sent, done]);
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
