/** Hashes passwords on worker threads. @module */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { availableParallelism, platform } from 'node:os';
import { Worker } from 'node:worker_threads';
import type * as Argon2 from '@node-rs/argon2';
import fastq from 'fastq';
import type { Call } from './calls/access.js';
import { Failure } from './calls/errors.js';

const { resolve } = createRequire(import.meta.url);

/** Leaves one core to other work. */
export const HASHING_THREADS = Math.max(1, availableParallelism() - 1);
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
export function refuseOver(exchange: Exchange): void {
  if (exchange?.isOver) throw new Failure('UNAVAILABLE', 'The request has ended.');
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
}, HASHING_THREADS);

/** The cost of a hash (RFC 9106 §3.1). */
export interface HashParameters {
  /** KiB. */
  memoryCost: number;
  timeCost: number;
  parallelism: number;
}

/** OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, 2 passes, 1 lane. */
export const HASH_PARAMETERS: HashParameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
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

/** Returns a hasher that runs argon2id (RFC 9106) on worker threads. */
export function passwordHasher(parameters: HashParameters = HASH_PARAMETERS): Hasher {
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
