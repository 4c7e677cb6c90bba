import { createHmac, generateKeySync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { emailKey, type User } from '../../../core/accounts.js';
import { type Actor, authenticated, type Call } from '../../../core/calls/access.js';
import { Failure, isStorableText } from '../../../core/calls/errors.js';
import { accessOf } from '../../../core/operations/call-transaction.js';
import type { Db } from '../../../core/operations/model.js';
import type { PrismaClient } from '../../../database/client.js';
import { audit } from '../audit/audit.js';
import { serialByKey } from '../schedulers.js';
import type { Revocations } from '../sessions/revocations.js';
import type { LoginAttempts, PasswordUse } from './login-attempts.js';
import type { Passwords } from './passwords.js';

/** Cached passwords of about 200 bytes each. */
const MAX_CACHED_PASSWORDS = 10_000;
const CACHE_AGE_MS = 5 * 60_000;

type Caller = Pick<Call, 'address' | 'requestId' | 'exchange'>;

/** An account whose password was right, with the hash that matched. */
export interface Account {
  id: number;
  role: string;
  passwordHash: string;
}

export interface PasswordChange {
  /** Required for the caller's own account. */
  currentPassword: string | undefined;
  newPassword: string;
}

interface CredentialsDependencies {
  client: PrismaClient;
  passwords: Passwords;
  attempts: LoginAttempts;
  /** Ends all sessions of a user, in the transaction of the change. */
  endSessions: (...which: Parameters<Revocations['endAll']>) => Promise<unknown>;
  now: () => number;
}

type Found = (Pick<Account, 'id' | 'role'> & { passwordHash: string | null }) | undefined;
export type Credentials = ReturnType<typeof credentialsService>;

/** Verifies passwords for logins, Basic and password changes, and stores changed passwords. */
export function credentialsService({ client, passwords, attempts, endSessions, now }: CredentialsDependencies) {
  const verified = verifiedPasswords(now);
  const inTurn = serialByKey();

  async function find(email: string): Promise<Found> {
    if (!isStorableText(email)) return undefined;
    const select = { id: true, role: true, passwordHash: true } as const;
    return (await client.user.findUnique({ where: { emailKey: emailKey(email) }, select })) ?? undefined;
  }

  /** Verifies equal credentials one after another: attempts count first, and correct ones must not delay each other. */
  const serialised = <T>(email: string, password: string, work: () => Promise<T>): Promise<T> =>
    inTurn(verified.digest(emailKey(email), password), work);

  /** Verifies an attempt, in the same time for unknown accounts. */
  async function verifyAttempt(
    occasion: PasswordUse,
    caller: Caller,
    email: string,
    found: Found,
    password: string,
  ): Promise<Account | undefined> {
    const isKnown = () => attempts.knows(found?.id, caller.address);
    const account = await passwords.withHasher(caller, isKnown, async ({ hash, verify }) => {
      const attempt = await attempts.admit(occasion, caller.address, email, found?.id);
      const stored = found?.passwordHash ?? null;
      const right = await verify(stored, password).catch(async (error: unknown) => {
        await attempt.void();
        throw error;
      });
      if (!right || !found || stored === null) return undefined;
      const { id, role } = found;
      await attempt.right(id);
      if (!passwords.isOutdated(stored)) return { id, role, passwordHash: stored };
      const passwordHash = await hash(password);
      const { count } = await client.user.updateMany({ where: { id, passwordHash: stored }, data: { passwordHash } });
      return { id, role, passwordHash: count === 1 ? passwordHash : stored };
    });
    // Only the audit table distinguishes a wrong password from an unknown address.
    if (!account) await audit(client, { actor: null, ...caller }, 'login.failed', found ? `user:${found.id}` : null);
    return account;
  }

  /** Takes the same time for an unknown address and for a wrong password. @throws Failure RATE_LIMITED */
  const check = (
    occasion: PasswordUse,
    caller: Caller,
    email: string,
    password: string,
  ): Promise<Account | undefined> =>
    serialised(email, password, async () => verifyAttempt(occasion, caller, email, await find(email), password));

  /** Returns the hash of the current password. */
  async function checkCurrent(call: Call, email: string, current: string | undefined): Promise<string> {
    if (current === undefined) throw wrong('is missing');
    const account = await check('change', call, email, current);
    if (!account) throw wrong('is wrong');
    return account.passwordHash;
  }

  return {
    check,

    /** Authenticates Basic credentials (RFC 7617). @throws Failure RATE_LIMITED unless the password is cached */
    async basic(email: string, password: string, caller: Caller): Promise<Actor | undefined> {
      const cachedActor = (found: Found): Actor | undefined =>
        found?.passwordHash && verified.has(found.passwordHash, password) ? actorOf(found) : undefined;
      const actor = cachedActor(await find(email));
      if (actor) return actor;
      return serialised(email, password, async () => {
        // An equal attempt may have succeeded meanwhile.
        const found = await find(email);
        const known = cachedActor(found);
        if (known) return known;
        const account = await verifyAttempt('basic', caller, email, found, password);
        if (!account) return undefined;
        verified.add(account.id, account.passwordHash, password);
        return actorOf(account);
      });
    },

    /**
     * Changes the password, and ends all sessions. Hashing is slow, so the route's target is `late`.
     * @throws Failure VALIDATION_FAILED for a wrong current password, RATE_LIMITED after too many of them
     */
    async changePassword(db: Db, { id, email }: User, { currentPassword, newPassword }: PasswordChange): Promise<void> {
      const { call, transaction } = accessOf(db);
      const isOwn = id === authenticated(call).id;
      const known = isOwn ? await checkCurrent(call, email, currentPassword) : undefined;
      await call.enforce();
      const passwordHash = await passwords.hash(call, newPassword);
      const tx = await transaction();
      // Fails the second of two changes with the same current password.
      const where = { id, ...(known !== undefined && { passwordHash: known }) };
      const { count } = await tx.user.updateMany({ where, data: { passwordHash } });
      if (count === 0) throw wrong('is wrong');
      await endSessions(tx, id);
      await audit(tx, call, 'password.changed', `user:${id}`);
    },

    forget: verified.forget,
  };
}

const actorOf = ({ id, role }: Pick<Account, 'id' | 'role'>): Actor => ({ id, role, mechanism: 'basicAuth' });

const wrong = (detail: string) =>
  new Failure('VALIDATION_FAILED', `The present password ${detail}.`, {
    issues: [{ pointer: '/current_password', detail }],
  });

/**
 * Caches correct passwords, because argon2id is slow. Stores MACs under a random key of this process, from which no
 * password can be guessed. A new hash has a new salt, so old entries never match.
 */
export function verifiedPasswords(now: () => number) {
  const key = generateKeySync('hmac', { length: 256 });
  const known = new LRUCache<string, { owner: number; until: number }>({ max: MAX_CACHED_PASSWORDS });
  // Neither hashes nor addresses contain NUL.
  const digest = (stored: string, password: string) =>
    createHmac('sha256', key).update(`${stored}\0${password}`).digest('base64url');

  return {
    digest,
    has: (stored: string, password: string): boolean => (known.get(digest(stored, password))?.until ?? 0) > now(),
    add(owner: number, stored: string, password: string): void {
      known.set(digest(stored, password), { owner, until: now() + CACHE_AGE_MS });
    },
    forget(owner: number): void {
      for (const [entry, { owner: holder }] of known.entries()) if (holder === owner) known.delete(entry);
    },
  };
}
