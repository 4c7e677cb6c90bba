import { BOUNDS } from '../../../core/bounds.js';
import type { Call } from '../../../core/calls/access.js';
import { Failure } from '../../../core/calls/errors.js';
import { fairQueue, prefixesOf } from '../../../core/calls/fair-queue.js';
import { networkOf } from '../../../core/calls/networks.js';
import { HASHING_THREADS, type Hasher, passwordHasher, refuseOver } from '../../../core/hasher.js';

/** More than the threads, because some work waits for the database. */
const MAX_RUNNING = 4 * HASHING_THREADS;

interface WaitingWork {
  path: string[];
  begin: () => void;
  refuse: (failure: Failure) => void;
}

export type Passwords = ReturnType<typeof passwords>;

/** Shares a hasher fairly among the networks of callers. Known callers and strangers take turns as well. */
export function passwords(hashes: Hasher = passwordHasher()) {
  // At 10 ms per hash, a full queue takes about a second.
  const queue = fairQueue<WaitingWork>(BOUNDS.hashesWaiting.value);
  let running = 0;

  function beginNext(): void {
    while (running < MAX_RUNNING && queue.size() > 0) {
      running += 1;
      queue.take()?.begin();
    }
  }

  const wait = (path: string[]) =>
    new Promise<void>((begin, refuse) => {
      queue.add({ path, begin, refuse })?.refuse(new Failure('UNAVAILABLE', 'Too many logins at once.'));
      beginNext();
    });

  /**
   * Runs `work` with the hasher, unless the caller's request is over by then.
   * @param isKnown called if the work has to wait: true for a caller who does not wait for strangers
   * @throws Failure UNAVAILABLE, first for the networks with most work
   */
  async function withHasher<T>(
    { address, exchange }: Pick<Call, 'address' | 'exchange'>,
    isKnown: () => boolean | Promise<boolean>,
    work: (hasher: Pick<Hasher, 'hash' | 'verify'>) => Promise<T>,
  ): Promise<T> {
    if (running < MAX_RUNNING) running += 1;
    else await wait([(await isKnown()) ? 'known' : 'stranger', ...prefixesOf(networkOf(address))]);
    try {
      refuseOver(exchange);
      return await work({
        hash: (password) => hashes.hash(password, exchange),
        verify: (stored, password) => hashes.verify(stored, password, exchange),
      });
    } finally {
      running -= 1;
      beginNext();
    }
  }

  return {
    withHasher,
    /** Hashes a new password for a known caller. */
    hash: (call: Call, password: string) =>
      withHasher(
        call,
        () => true,
        ({ hash }) => hash(password),
      ),
    figures: () => ({ running, waiting: queue.size() }),
    isOutdated: hashes.isOutdated,
  };
}
