import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Measured {
  url: string;
  /** Resident memory of the server's process, in MiB (`/proc/<pid>/status`; Linux only). */
  rss: () => number;
  /** Milliseconds of processor time that it has used (`/proc/<pid>/stat`, in steps of 10; Linux only). */
  cpu: () => number;
  /** Gives all its threads one processor of their own, and all others to whoever asks (taskset; Linux only). */
  pin: (processor: number) => void;
  stop: () => Promise<void>;
}

/** The service in a process of its own, as `npm start` runs it, on a fresh database in memory. */
export async function startMeasured(environment: Record<string, string> = {}): Promise<Measured> {
  const env = {
    PATH: process.env['PATH'],
    PORT: '0',
    DATABASE_URL: 'pglite://memory',
    LOG_LEVEL: 'warn',
    ...environment,
  };
  const server: ChildProcess = spawn(process.execPath, ['--max-semi-space-size=32', 'src/cli/bin.js', 'start'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    const [, url] = /^ {2}REST {7}(\S+)\/api\/v1$/.exec(line) ?? [];
    if (url === undefined) continue;
    server.stdout?.resume();
    return {
      url,
      rss: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024,
      cpu: () => {
        // proc(5): utime and stime are the 14th and 15th field; the second, a name in brackets, may hold spaces.
        const [utime, stime] =
          readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11) ?? [];
        return (Number(utime) + Number(stime)) * 10;
      },
      pin: (processor) => {
        execFileSync('taskset', ['-acp', String(processor), String(server.pid)]);
      },
      stop: async () => {
        server.kill('SIGTERM');
        await once(server, 'exit');
      },
    };
  }
  throw new Error('The server did not start.');
}

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
