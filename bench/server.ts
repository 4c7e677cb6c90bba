import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../', import.meta.url));

export interface Measured {
  url: string;
  /** The further matches in its output. */
  said: string[];
  /** Returns the resident memory in MiB (`/proc/<pid>/status`, Linux only). */
  rss: () => number;
  /** Returns the used processor time in milliseconds (`/proc/<pid>/stat`, in steps of 10, Linux only). */
  cpu: () => number;
  /** Moves all threads of the process to one processor, and all other processes to the others (taskset, Linux only). */
  pin: (processor: number) => void;
  stop: () => Promise<void>;
}

/** Milliseconds between two checks of a starting process. */
const CHECK_INTERVAL_MS = 5;

/** The end of the benchmark kills all servers. */
const running = new Set<ChildProcess>();
export function killAll(): void {
  for (const server of running) server.kill('SIGKILL');
}
process.once('exit', killAll);

/**
 * Starts a server whose output goes to a file, because reading it would cost the measuring process time.
 * @param ready finds the address in the output
 */
export async function startProcess(
  args: string[],
  environment: Record<string, string>,
  ready: RegExp,
  cwd = ROOT,
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'accord-bench-'));
  const output = join(folder, 'output');
  const file = openSync(output, 'w');
  const env = { PATH: process.env['PATH'], ...environment };
  const server: ChildProcess = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', file, 'inherit'] });
  closeSync(file);
  running.add(server);
  const ended = once(server, 'exit').then(() => {
    running.delete(server);
    rmSync(folder, { recursive: true });
  });
  for (;;) {
    if (server.exitCode !== null) throw new Error(`It did not start: node ${args.join(' ')}`);
    const found = ready.exec(readFileSync(output, 'utf8'));
    if (found !== null) return measured(server, found, ended);
    await delay(CHECK_INTERVAL_MS);
  }
}

function measured(server: ChildProcess, [, url = '', ...said]: RegExpExecArray, ended: Promise<void>): Measured {
  const ticks = () => {
    // proc(5): utime and stime are fields 14 and 15; the second field, a name in brackets, may contain spaces.
    const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  return {
    url,
    said,
    rss: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024,
    cpu: () => ticks() * 10,
    pin: (processor) => {
      execFileSync('taskset', ['-acp', String(processor), String(server.pid)]);
    },
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
    },
  };
}

/** Returns the path of the command of a checkout. */
export function commandOf(folder = ROOT): string {
  const { bin } = JSON.parse(readFileSync(join(folder, 'src/platform/package.json'), 'utf8'));
  return join(folder, 'src/platform', bin.accord);
}

/**
 * Starts the service as `npm start` does, on a fresh database in memory.
 * @param flags further flags for Node @param folder of another commit
 */
export const startMeasured = (
  environment: Record<string, string> = {},
  flags: string[] = [],
  folder?: string,
): Promise<Measured> =>
  startProcess(
    [...flags, commandOf(folder), 'start'],
    { PORT: '0', DATABASE_URL: 'pglite://memory', LOG_LEVEL: 'warn', ...environment },
    /^ {2}REST {7}(\S+)\/api\/v1$/m,
    folder,
  );

export const DEMO = `Basic ${Buffer.from('ada@demo.accord.example:correct horse battery').toString('base64')}`;

export async function graphql(url: string, query: string, variables: object = {}): Promise<unknown> {
  const headers = { authorization: DEMO, 'content-type': 'application/json' };
  const body = JSON.stringify({ query, variables });
  const { data, errors } = (await (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json()) as {
    data: unknown;
    errors?: { message: string }[];
  };
  if (errors) throw new Error(errors[0]?.message);
  return data;
}
