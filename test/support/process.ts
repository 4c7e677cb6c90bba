import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Milliseconds between two attempts, and the maximum number of attempts: at least two minutes. */
const INTERVAL = 25;
const LOOKS = 4800;

/** Creates a directory that the end of the test deletes. */
export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'accord-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  pid: number;
  /** The output so far. */
  stdout: () => string;
  stderr: () => string;
  kill: (signal: NodeJS.Signals) => void;
  /** Resolves when the process has ended, also by a signal. */
  ended: Promise<Ended>;
}

/**
 * Runs a command in a process that the end of the test kills.
 * @param environment the whole environment besides PATH
 */
export function run(
  t: Test,
  [command, ...args]: readonly [string, ...string[]],
  environment: Record<string, string> = {},
  cwd: string = ROOT,
): Running {
  const child: ChildProcess = spawn(command, args, { cwd, env: { ...inherited('PATH'), ...environment } });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...written }));
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid as number,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

/** Returns a variable of this process as an environment. */
export const inherited = (name: string): Record<string, string> =>
  process.env[name] === undefined ? {} : { [name]: process.env[name] };

/**
 * Repeats a function until it returns a value. It counts attempts instead of time, because a process on a busy machine
 * may get no time.
 * @param look returns undefined or false as long as there is nothing; its error ends the wait
 */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
  throw new Error(`In ${LOOKS} looks there was nothing to be seen of: ${what}`);
}

export interface Server extends Running {
  /** The printed address; with PUBLIC_URL, the address in the log. */
  url: string;
}

/** Flags for short-lived servers: no optimising compiler, which halves the processor time of a start. */
export const NODE = [process.execPath, '--liftoff-only', '--no-opt'] as const;

/** The command of `npm start`. */
export const START = [...NODE, 'src/platform/server/cli/bin.js', 'start'] as const;
const onFreePort = { PORT: '0' };

/** Starts the service and waits until it is ready. */
export async function startServer(
  t: Test,
  environment: Record<string, string>,
  command: readonly [string, ...string[]] = START,
): Promise<Server> {
  const server = run(t, command, { ...onFreePort, ...environment });
  let over = false;
  void server.ended.then(() => {
    over = true;
  });
  const url = await eventually('a server that is ready', () => {
    if (over) throw new Error(`The server did not start.\n${server.stdout()}${server.stderr()}`);
    const printed = /(?:^ {2}REST {7}|"REST":")(\S+?)\/api\/v1\b/m.exec(server.stdout())?.[1];
    const isPublic = environment['PUBLIC_URL'] !== undefined;
    return printed && (isPublic ? /"msg":"Server listening at (\S+)"/.exec(server.stdout())?.[1] : printed);
  });
  return { ...server, url };
}

/** Sends a request, and repeats it while a busy server rejects it. */
export const ask = (url: string, init?: RequestInit): Promise<Response> =>
  eventually('a server that is not overloaded', async () => {
    const answer = await fetch(url, init);
    return answer.status !== 503 && answer;
  });

/** Removes the messages about delays, which only a busy machine causes. */
export const withoutDelays = (stderr: string): string => stderr.replaceAll(/^Still .*\n/gm, '');

/** Returns the messages of an output, which production writes as lines of JSON. */
export const messagesIn = (output: string): string =>
  output.replaceAll(/^\{.*\}$/gm, (line) => String((JSON.parse(line) as { msg: unknown }).msg));

/** Starts the service and expects it to fail. */
export const refusedServer = (t: Test, environment: Record<string, string>): Promise<Ended> =>
  run(t, START, { ...onFreePort, ...environment }).ended;

/** Returns the header that `curl -u` sends. */
export const basic = (email: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`,
});
