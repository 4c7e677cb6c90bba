import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import fastq from 'fastq';

/** OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, 2 passes, 1 lane. */
export const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes that may wait; at about 10 ms each this is a second or so. */
const LONGEST_QUEUE = 100;

/** Tells a stored form that was made with less than the present parameters: such a password is hashed again. */
export function isOutdated(stored: string): boolean {
  const [, m, t, p] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(stored)?.map(Number) ?? [];
  const { memoryCost, timeCost, parallelism } = PARAMETERS;
  return !(Number(m) >= memoryCost && Number(t) >= timeCost && Number(p) >= parallelism);
}

/** Thrown when more hashes wait than can be done in good time. */
export class HashQueueFull extends Error {}

export type Passwords = ReturnType<typeof passwords>;

/**
 * argon2id (RFC 9106) on worker threads, at most cores − 1 at once, so that logins never starve the event loop.
 * @throws HashQueueFull from either function under a flood
 */
export function passwords() {
  const queue = fastq.promise((work: () => Promise<unknown>) => work(), Math.max(1, availableParallelism() - 1));
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.length() >= LONGEST_QUEUE) throw new HashQueueFull();
    return queue.push(work) as Promise<T>;
  };
  const nobody = hash('nobody has this password', PARAMETERS);

  return {
    /** @returns a PHC string, `$argon2id$v=19$m=19456,t=2,p=1$…` */
    hash: async (password: string): Promise<string> => enqueue(() => hash(password, PARAMETERS)),

    /**
     * @param stored the PHC string; null for an unknown account, which costs the same time and is never right
     */
    verify: async (stored: string | null, password: string): Promise<boolean> => {
      const right = await enqueue(async () => verify(stored ?? (await nobody), password));
      return right && stored !== null;
    },
  };
}
