import { randomBytes } from 'node:crypto';
import { fairQueue } from './fair-queue.js';
import { HASHING_AT_ONCE, hash, verify } from './hashing-threads.js';

/** What one hash takes (RFC 9106 §3.1). */
export interface HashParameters {
  /** KiB. */
  memoryCost: number;
  /** Passes over it. */
  timeCost: number;
  /** Lanes. */
  parallelism: number;
}

/** OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, 2 passes, 1 lane. */
export const PARAMETERS: HashParameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Callers that may wait for their turn; at about 10 ms for a hash this is a second or so. */
const PLACES = 100;

function isOutdated(stored: string, { memoryCost, timeCost, parallelism }: HashParameters): boolean {
  const [, m, t, p] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(stored)?.map(Number) ?? [];
  return !(Number(m) >= memoryCost && Number(t) >= timeCost && Number(p) >= parallelism);
}

/** Bytes of the salt and of what comes out, as the hashes here have them (RFC 9106 §3.1). */
const [SALT, TAG] = [16, 32];

/** What takes as long as the hash of a password to be compared with, and is that of none which anybody knows. */
function hashOfNoPassword({ memoryCost, timeCost, parallelism }: HashParameters): string {
  const [salt, tag] = [SALT, TAG].map((bytes) => randomBytes(bytes).toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${tag}`;
}

export interface Hasher {
  /** @returns a PHC string, `$argon2id$v=19$m=19456,t=2,p=1$…` */
  hash: (password: string) => Promise<string>;
  /** @param stored the PHC string; null for an unknown account, which costs the same time and is never right */
  verify: (stored: string | null, password: string) => Promise<boolean>;
  /** Whether a stored form was made with less than what is used now: such a password is hashed again. */
  isOutdated: (stored: string) => boolean;
}

/**
 * Returns argon2id (RFC 9106) on threads of its own.
 * @example
 * const passwordHash = await hasher().hash('correct horse battery');
 */
export function hasher(parameters: HashParameters = PARAMETERS): Hasher {
  const nobody = hashOfNoPassword(parameters);
  return {
    hash: (password) => hash(password, parameters),
    verify: async (stored, password) => (await verify(stored ?? nobody, password)) && stored !== null,
    isOutdated: (stored) => isOutdated(stored, parameters),
  };
}

export type Passwords = ReturnType<typeof passwords>;

/** The hasher, for callers whose networks take turns. */
export function passwords(hashes: Hasher = hasher()) {
  // More than there are workers: one hashes while others ask the database.
  const queue = fairQueue({ running: 4 * HASHING_AT_ONCE, places: PLACES });
  return {
    /**
     * Runs what hashes when it is the network's turn. Of one network one piece of work runs at a time.
     * @throws QueueFull under a flood, first to those who flood
     */
    inTurn: <T>(network: string, work: (hasher: Hasher) => Promise<T>): Promise<T> =>
      queue.run(network, () => work(hashes)),
    isOutdated: hashes.isOutdated,
  };
}
