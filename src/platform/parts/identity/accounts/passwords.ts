import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { availableParallelism, platform } from 'node:os';
import { Worker } from 'node:worker_threads';
import type * as Argon2 from '@node-rs/argon2';
import fastq from 'fastq';
import { BOUNDS } from '../../../core/bounds.js';
import type { Call } from '../../../core/calls/access.js';
import { Failure, RETRY_AFTER_S } from '../../../core/calls/errors.js';
import { networkOf, prefixesOf } from '../../../core/calls/networks.js';
import { fairQueue } from '../../../core/calls/schedulers.js';

const { resolve } = createRequire(import.meta.url);

/** Leaves one core to other work. */
const MAX_HASHING_THREADS = Math.max(1, availableParallelism() - 1);
/** The niceness of the threads, because a hash takes 10 ms of a core. Only Linux has priorities of threads. */
const NICENESS = platform() === 'linux' ? 10 : 0;

/** The source of the worker. A bundle has no separate file for it. */
const THREAD = `
  const { setPriority } = require('node:os');
  const { parentPort, workerData: { argon2, niceness } } = require('node:worker_threads');
  const functions = require(argon2);
  if (niceness > 0) setPriority(niceness);
  parentPort.on('message', ({ name, args }) => {
    try {
      parentPort.postMessage({ result: functions[name](...args) });
    } catch (error) {
      parentPort.postMessage({ error });
    }
  });
`;

type Functions = Pick<typeof Argon2, 'hashSync' | 'verifySync'>;
type Work = { [Name in keyof Functions]: { name: Name; args: Parameters<Functions[Name]> } }[keyof Functions];

/** The request that a hash is for. */
type Exchange = Call['exchange'];

/** Refuses work for a request that has its answer, or whose client has left. */
function refuseOver(exchange: Exchange): void {
  if (exchange?.isOver) throw new Failure('UNAVAILABLE', 'The request has ended.', { retryAfter: RETRY_AFTER_S });
}

/** Idle threads, which do not keep the process alive. */
const idle: Worker[] = [];

const createThread = (): Worker => {
  const workerData = { argon2: resolve('@node-rs/argon2'), niceness: NICENESS };
  return new Worker(THREAD, { eval: true, name: 'argon2', workerData });
};

/** Runs a function of argon2 on a free thread. */
const hashingQueue = fastq.promise(async ({ exchange, ...work }: Work & { exchange: Exchange }): Promise<unknown> => {
  refuseOver(exchange);
  const thread = idle.pop() ?? createThread();
  thread.ref();
  thread.postMessage(work);
  const [{ result, error }] = await once(thread, 'message');
  thread.unref();
  idle.push(thread);
  if (error !== undefined) throw error;
  return result;
}, MAX_HASHING_THREADS);

/** The cost of a hash (RFC 9106 §3.1). */
export interface HashParameters {
  /** KiB. */
  memoryCost: number;
  timeCost: number;
  parallelism: number;
}

/** OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, 2 passes, 1 lane. */
export const HASH_PARAMETERS: HashParameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Queued callers. At 10 ms per hash, a full queue takes about a second. */
const MAX_WAITING = BOUNDS.hashesWaiting.value;
/** Bytes (RFC 9106 §3.1). */
const [SALT_BYTES, TAG_BYTES] = [16, 32];

/** Returns a hash that no password matches, and that takes as long to verify as others. */
function createDummyHash({ memoryCost, timeCost, parallelism }: HashParameters): string {
  const [salt, tag] = [SALT_BYTES, TAG_BYTES].map((bytes) => randomBytes(bytes).toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${tag}`;
}

export interface Hasher {
  /** Returns a PHC string, `$argon2id$v=19$m=19456,t=2,p=1$…`. @throws Failure UNAVAILABLE at its turn if the request is over */
  hash: (password: string, exchange?: Exchange) => Promise<string>;
  /** As `hash`. Rejects if `stored` is not a PHC string. @param stored null for an unknown account, which takes the same time */
  verify: (stored: string | null, password: string, exchange?: Exchange) => Promise<boolean>;
  /** Returns true if the hash cost less than the current parameters. */
  isOutdated: (stored: string) => boolean;
}

/**
 * Returns a hasher that runs argon2id (RFC 9106) on worker threads.
 * @example
 * const passwordHash = await hasher().hash('correct horse battery');
 */
export function hasher(parameters: HashParameters = HASH_PARAMETERS): Hasher {
  const dummyHash = createDummyHash(parameters);
  const { memoryCost, timeCost, parallelism } = parameters;
  return {
    hash: (password, exchange) =>
      hashingQueue.push({ exchange, name: 'hashSync', args: [password, parameters] }) as Promise<string>,
    verify: async (stored, password, exchange) =>
      Boolean(await hashingQueue.push({ exchange, name: 'verifySync', args: [stored ?? dummyHash, password] })) &&
      stored !== null,
    isOutdated(stored) {
      const [, m, t, p] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(stored)?.map(Number) ?? [];
      return !(Number(m) >= memoryCost && Number(t) >= timeCost && Number(p) >= parallelism);
    },
  };
}

/** More than the threads, because some work waits for the database. */
const MAX_RUNNING = 4 * MAX_HASHING_THREADS;

interface WaitingWork {
  path: string[];
  begin: () => void;
  refuse: (failure: Failure) => void;
}

const tooMany = () => new Failure('UNAVAILABLE', 'Too many logins at once.', { retryAfter: RETRY_AFTER_S });

export type Passwords = ReturnType<typeof passwords>;

/** Shares a hasher fairly among the networks of callers. Known callers and strangers take turns as well. */
export function passwords(hashes: Hasher = hasher()) {
  const queue = fairQueue<WaitingWork>(MAX_WAITING);
  let running = 0;

  function beginNext(): void {
    while (running < MAX_RUNNING && queue.size() > 0) {
      running += 1;
      queue.take()?.begin();
    }
  }

  const wait = (path: string[]) =>
    new Promise<void>((begin, refuse) => {
      queue.add({ path, begin, refuse })?.refuse(tooMany());
      beginNext();
    });

  return {
    /**
     * Runs `work` with the hasher, unless the caller's request is over by then.
     * @param isKnown called if the work has to wait: true for a caller who does not wait for strangers
     * @throws Failure UNAVAILABLE, first for the networks with most work
     */
    async withHasher<T>(
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
    },
    figures: () => ({ running, waiting: queue.size() }),
    isOutdated: hashes.isOutdated,
  };
}
