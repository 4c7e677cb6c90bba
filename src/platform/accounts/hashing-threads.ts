import { once } from 'node:events';
import { createRequire } from 'node:module';
import { availableParallelism, platform } from 'node:os';
import { Worker } from 'node:worker_threads';
import type * as Argon2 from '@node-rs/argon2';
import fastq from 'fastq';

/** How many run at once, of all that ask in this process: a core is left to what else there is to do. */
export const HASHING_AT_ONCE = Math.max(1, availableParallelism() - 1);
/**
 * How much less of a busy processor than others a thread is given (nice(2)). A hash takes 10 ms of a core, in which a request that
 * needs it would wait for its turn. Only Linux has it for a thread; elsewhere it would be the whole process's.
 */
const NICENESS = platform() === 'linux' ? 10 : 0;

/** As text, for what is bundled has no file of it. */
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

/** Those that have nothing to do. A process may end meanwhile. */
const idle: Worker[] = [];

function begin(): Worker {
  const argon2 = createRequire(import.meta.url).resolve('@node-rs/argon2');
  return new Worker(THREAD, { eval: true, name: 'argon2', workerData: { argon2, niceness: NICENESS } });
}

async function onThread(work: Work): Promise<unknown> {
  const thread = idle.pop() ?? begin();
  thread.ref();
  thread.postMessage(work);
  const [{ result, error }] = await once(thread, 'message');
  thread.unref();
  idle.push(thread);
  if (error !== undefined) throw error;
  return result;
}

const threads = fastq.promise(onThread, HASHING_AT_ONCE);

/** Hashes on a thread, when one is free. @returns a PHC string */
export const hash = (...given: Parameters<Functions['hashSync']>) =>
  threads.push({ name: 'hashSync', given }) as Promise<string>;

/** The same for a comparison. Rejects for what is no PHC string. */
export const verify = (...given: Parameters<Functions['verifySync']>) =>
  threads.push({ name: 'verifySync', given }) as Promise<boolean>;
