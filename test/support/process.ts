import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Milliseconds between two looks, and looks after which something that should have happened never will: two minutes, or more. */
const INTERVAL = 25;
const LOOKS = 4800;

/** An empty directory that goes when the test ends. */
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
  /** What it has written so far. */
  stdout: () => string;
  stderr: () => string;
  kill: (signal: NodeJS.Signals) => void;
  /** Resolves once it has ended by itself or by a signal. */
  ended: Promise<Ended>;
}

/**
 * Runs a command in a process of its own, which does not outlive the test.
 * @param environment all that it gets besides PATH
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

/** A variable of this process, as an environment. */
export const inherited = (name: string): Record<string, string> =>
  process.env[name] === undefined ? {} : { [name]: process.env[name] };

/**
 * Looks until there is something to see: how a case waits, since no time is long enough on every machine. What ends the
 * patience is looks, not time, for a process that gets no turn has not looked.
 * @param look gives undefined or false as long as there is nothing; what it throws ends the wait
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
  /** `http://localhost:49152`, as it was printed; where PUBLIC_URL was printed in its place, as the log says. */
  url: string;
}

/**
 * Node for a server of a few seconds, in which nothing is compiled a second time for a speed that it does not live to have: a half
 * of the processor's time that its start takes.
 */
export const NODE = [process.execPath, '--max-semi-space-size=32', '--liftoff-only', '--no-opt'] as const;

/** The service, as `npm start` runs it. */
export const START = [...NODE, 'src/platform/cli/bin.js', 'start'] as const;
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
    const printed = /^ {2}REST {7}(\S+)\/api\/v1$/m.exec(server.stdout())?.[1];
    const isPublic = environment['PUBLIC_URL'] !== undefined;
    return printed && (isPublic ? /"msg":"Server listening at (\S+)"/.exec(server.stdout())?.[1] : printed);
  });
  return { ...server, url };
}

/** Asks a server that runs as `npm start` runs it: again for as long as it sheds requests, as it may on a busy machine. */
export const ask = (url: string, init?: RequestInit): Promise<Response> =>
  eventually('a server that is not overloaded', async () => {
    const answer = await fetch(url, init);
    return answer.status !== 503 && answer;
  });

/** What a start has to say, without that it takes a while, which a machine that is busy makes it say. */
export const withoutDelays = (stderr: string): string => stderr.replaceAll(/^Still .*\n/gm, '');

/** A start that is expected to fail. */
export const refusedServer = (t: Test, environment: Record<string, string>): Promise<Ended> =>
  run(t, START, { ...onFreePort, ...environment }).ended;

/** What `-u` of curl sends. */
export const basic = (email: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`,
});
