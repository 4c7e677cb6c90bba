import { hostname } from 'node:os';
import { format } from 'node:util';

/** The numbers of levels in the log (pino). */
const LEVELS = { debug: 20, log: 30, info: 30, warn: 40, error: 50 } as const;

/**
 * Makes lines of JSON in the form of the log of the texts that the process and its dependencies print: by `console`, and
 * the warnings of Node.
 */
export function printJsonLines(): void {
  const about = { pid: process.pid, hostname: hostname() };
  for (const [method, level] of Object.entries(LEVELS)) {
    const stream = level > LEVELS.info ? process.stderr : process.stdout;
    console[method as keyof typeof LEVELS] = (...given: unknown[]) => {
      const error = given.find((one) => one instanceof Error);
      const err = error && { type: error.name, message: error.message, stack: error.stack };
      const line = { level, time: Date.now(), ...about, ...(err && { err }), msg: error?.message ?? format(...given) };
      stream.write(`${JSON.stringify(line)}\n`);
    };
  }
  process.removeAllListeners('warning').on('warning', console.warn);
}
