import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Verifications remembered; at about 200 bytes each. */
const REMEMBERED = 10_000;
/** Milliseconds that one is remembered. */
const LIFETIME = 5 * 60_000;

/**
 * Which passwords were found right lately, so that Basic authentication need not run argon2id at every request.
 * What is remembered is a MAC over the stored form and the password, under a key that dies with the process: no password
 * can be read from it or tried against it, and a new stored form, salted afresh, makes it worthless by itself.
 * @param now milliseconds since the epoch
 */
export function verifiedPasswords(now: () => number) {
  const key = randomBytes(32);
  const known = new LRUCache<string, { owner: number; until: number }>({ max: REMEMBERED });
  // Neither a stored form nor an address that can be read holds a NUL, so the two cannot run into each other.
  const digest = (stored: string, password: string) =>
    createHmac('sha256', key).update(`${stored}\0${password}`).digest('base64url');

  return {
    /** Names a credential, for whoever tells equal ones without keeping them. */
    nameOf: (account: string, password: string): string => digest(account, password),

    has: (stored: string, password: string): boolean => (known.get(digest(stored, password))?.until ?? 0) > now(),

    /** @param owner the id of the user whose password it is */
    add(owner: number, stored: string, password: string): void {
      known.set(digest(stored, password), { owner, until: now() + LIFETIME });
    },

    /** Drops what is remembered of a user. */
    forget(owner: number): void {
      for (const [entry, { owner: one }] of known.entries()) if (one === owner) known.delete(entry);
    },
  };
}
