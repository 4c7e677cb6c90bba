import { type Actor, authenticated, type Call, type KeyedRequest, reachOf, refused } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { PrismaClient } from '../database/client.js';
import type { Idempotency } from '../idempotency/idempotency.js';
import type { Tx } from './model.js';
import type { ModelData } from './model-data.js';
import { lockAccounts, lockAccountsOf } from './row-locks.js';

/** What a call needs to begin its transaction. */
export interface CallTransactionOptions {
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
  let begun: Promise<{ tx: Tx; end: (error?: unknown) => Promise<void> }> | undefined;
  let ready: Promise<void> | undefined;
  let actor: Actor | null = call.actor;
  let isOver = false;

  function begin(): NonNullable<typeof begun> {
    if (isOver) throw new Error('The operation is over: its `db` cannot be used any more.');
    begun ??= manualTransaction(client);
    ready ??= begun.then(({ tx }) => lock(tx));
    ready.catch(() => {});
    return begun;
  }

  async function lock(tx: Tx): Promise<void> {
    const { id } = authenticated(call);
    const locking =
      target?.isLocked && target.data.model.name === 'User'
        ? lockAccounts(tx, [id, target.id], target.id)
        : target
          ? lockAccountsOf(tx, id, target.data, target.id, target.isLocked)
          : lockAccounts(tx, [id]);
    const accounts = await locking;
    if (keyed) await idempotency.claim(tx, call, keyed);
    const account = accounts.find((one) => one.id === id);
    if (!account) throw new Failure('UNAUTHENTICATED', 'The account was deleted.', { challenge: 'invalid_token' });
    actor = { ...authenticated(call), role: account.role };
    if (reachOf(call.policy, action, actor) === 'none') throw refused(actor, action);
    await afterLocks?.(tx);
  }

  return {
    /** The caller with the role that the locked account has. */
    actor: () => authenticated({ actor }),
    hasBegun: () => begun !== undefined,
    /** The client of the transaction, after the account was locked and its role decided. */
    async client(): Promise<Tx> {
      const { tx } = await begin();
      await ready;
      return tx;
    },
    async commit(): Promise<void> {
      isOver = true;
      if (!begun) return;
      const { end } = await begun;
      await ready;
      await end();
    },
    async rollback(error: unknown): Promise<void> {
      isOver = true;
      const transaction = await begun?.catch(() => undefined);
      await transaction?.end(error ?? new Error('rolled back'));
    },
  };
}

/** Begins a transaction here that ends there. `end` without an error commits. */
export function manualTransaction(client: PrismaClient): Promise<{ tx: Tx; end: (error?: unknown) => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const done: Promise<void> = client.$transaction(
      (tx) =>
        new Promise<void>((commit, rollback) => {
          const end = (error?: unknown): Promise<void> => {
            if (error === undefined) commit();
            else rollback(error);
            return error === undefined ? done : done.catch(() => {});
          };
          resolve({ tx, end });
        }),
    );
    done.catch(reject);
  });
}
