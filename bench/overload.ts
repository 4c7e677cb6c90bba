/**
 * Measures the service under five times the load that it can serve: `node --import tsx bench/overload.ts`. It uses
 * DATABASE_URL (an empty database), or a database in memory. The clients are a process on the same machine. `PIN=on`
 * gives the service the first processor, and the clients and a pinned database the second.
 */
import { execFileSync } from 'node:child_process';
import { runTask, startClients } from './clients.js';
import { type Connection, connect } from './connection.js';
import { DEMO, startMeasured } from './server.js';

const SECONDS = Number(process.env['SECONDS'] ?? 20);
const TIMES = 5;
/**
 * The number of connections of a load balancer. Requests beyond it are not sent. With `COLD=on` all connections are
 * opened at once.
 */
const CONNECTIONS = 500;
const PATHS = ['/api/v1/users?limit=20', '/api/v1/users/1', '/api/v1/users/2'];

interface Phase {
  url: string;
  /** Requests per second; 0 for as many as 32 connections can send one after the other. */
  rate: number;
  seconds: number;
}

interface Outcome {
  /** Milliseconds of the requests with status 200, in order. */
  accepted: number[];
  refused: number;
  unsent: number;
  other: Record<string, number>;
  livez: number[];
}

const at = (sorted: number[], part: number) => Math.round(sorted[Math.floor(sorted.length * part)] ?? Number.NaN);

if (process.send) process.on('message', (phase: Phase) => void run(phase).then((outcome) => process.send?.(outcome)));
else await main();

/**
 * The process of the clients. Bare sockets and prepared bytes cost the clients little, so that the server is measured.
 */
async function run({ url, rate, seconds }: Phase): Promise<Outcome> {
  const { hostname, port, host } = new URL(url);
  const bytes = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${DEMO}\r\n\r\n`;
  const asked = PATHS.map(bytes);
  const free: Connection[] = [];
  const outcome: Outcome = { accepted: [], refused: 0, unsent: 0, other: {}, livez: [] };
  let turn = 0;

  const note = (status: string, took: number) => {
    if (status === '200') outcome.accepted.push(took);
    else if (status === '503') outcome.refused += 1;
    else outcome.other[status] = (outcome.other[status] ?? 0) + 1;
  };
  let connections = 0;
  const one = () =>
    new Promise<void>((resolve) => {
      if (free.length === 0 && connections === CONNECTIONS) {
        outcome.unsent += 1;
        resolve();
        return;
      }
      if (free.length === 0) connections += 1;
      const client = free.pop() ?? connect(hostname, Number(port));
      const began = performance.now();
      client.ask(asked[turn++ % asked.length] as string, ({ status }) => {
        note(status, performance.now() - began);
        if (/^\d/.test(status)) free.push(client);
        else connections -= 1;
        resolve();
      });
    });

  if (rate !== 0 && process.env['COLD'] !== 'on')
    for (; connections < CONNECTIONS; connections += 1) {
      const client = connect(hostname, Number(port));
      await new Promise<unknown>((resolve) => client.ask(bytes('/livez'), resolve));
      free.push(client);
    }
  // Each probe uses a new connection.
  const probe = setInterval(() => {
    const prober = connect(hostname, Number(port));
    const began = performance.now();
    prober.ask(bytes('/livez'), () => {
      outcome.livez.push(performance.now() - began);
      prober.end();
    });
  }, 100);
  const began = performance.now();
  const end = began + 1000 * seconds;
  if (rate === 0) {
    const client = async () => {
      while (performance.now() < end) await one();
    };
    await Promise.all(Array.from({ length: 32 }, client));
  } else {
    const all: Promise<void>[] = [];
    while (performance.now() < end) {
      const due = ((performance.now() - began) / 1000) * rate;
      while (all.length < due) all.push(one());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(all);
  }
  clearInterval(probe);
  for (const client of free) client.end();
  outcome.accepted.sort((a, b) => a - b);
  outcome.livez.sort((a, b) => a - b);
  return outcome;
}

async function main(): Promise<void> {
  const DATABASE_URL = process.env['DATABASE_URL'] ?? 'pglite://memory';
  const server = await startMeasured({ DATABASE_URL, DEMO: 'on', RATE_LIMIT: '1000000000', LOG_LEVEL: 'error' });
  const clients = startClients('overload.ts');
  if (process.env['PIN'] === 'on') {
    server.pin(0);
    execFileSync('taskset', ['-acp', '1', String(clients.pid)]);
  }
  const phase = async (name: string, rate: number, seconds: number) => {
    const cpu = server.cpu();
    const asked: Phase = { url: server.url, rate, seconds };
    const { accepted, refused, unsent, other, livez } = await runTask<Outcome>(clients, asked);
    const bear = accepted.length / seconds;
    const [p50, p99] = [at(accepted, 0.5), at(accepted, 0.99)];
    console.log(
      `${name}: ${Math.round(bear)} a second served (p50 ${p50} ms, p99 ${p99} ms), ` +
        `${Math.round(refused / seconds)} a second refused, ${Math.round(unsent / seconds)} not asked, /livez p50 ${at(livez, 0.5)}, at most ${at(livez, 1 - 1 / livez.length)} ms, ` +
        `server's processor ${Math.round((server.cpu() - cpu) / seconds / 10)} %${Object.keys(other).length ? `, others: ${JSON.stringify(other)}` : ''}`,
    );
    return bear;
  };
  await phase('to warm up', 0, 5);
  const borne = await phase('borne by 32 connections', 0, SECONDS / 2);
  await phase(`${TIMES} times as much`, TIMES * borne, SECONDS);
  await phase('half of it, just after', borne / 2, 5);
  clients.disconnect();
  await server.stop();
}
