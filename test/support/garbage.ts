import { Agent, type RequestOptions, request } from 'node:http';
import { demo } from '../../src/application/seed.js';
import { eventually, type Server } from './process.js';

/** The flag with which V8 prints the figures of each collection. */
export const TRACED = '--trace-gc-nvp';

const AT_ONCE = 16;
const JSON_BODY = { 'content-type': 'application/json' };
const POST = { method: 'POST' } as const;

/** The most bytes that a request may leave in old space. */
export const MOST_PROMOTED = { '/livez': 100, GET: 100, 'POST /graphql': 500, POST: 2000 } as const;

type Kind = keyof typeof MOST_PROMOTED;

/** The most promises of a request on PostgreSQL. Counting makes V8 create one more for some of them. */
export const MOST_PROMISES: Readonly<Record<Kind, number>> = { '/livez': 6, GET: 12, 'POST /graphql': 60, POST: 55 };

interface Collections {
  /** Bytes for each request. */
  promoted: number;
  allocated: number;
  minor: number;
  /** Milliseconds of a minor collection. */
  pause: number;
}

let made = 0;

/** The requests that are measured, by kind, and a function that sends some of a kind over 16 connections. */
async function load(url: string) {
  const { email, password } = demo.people[0];
  const body = JSON.stringify({ email, password });
  const login = await fetch(`${url}/api/v1/auth/login`, { ...POST, headers: JSON_BODY, body });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}`, ...JSON_BODY };
  const user = () => JSON.stringify({ name: 'New', email: `new-${++made}@example.com`, role: 'developer' });
  const kinds: Record<Kind, [path: string, init: RequestOptions, body?: () => string]> = {
    // The kind with the highest bound first: optimised code and its data are promoted during the first requests.
    POST: ['/api/v1/users', { ...POST, headers }, user],
    'POST /graphql': ['/graphql', { ...POST, headers }, () => '{"query":"{ user(id: 1) { id } }"}'],
    GET: ['/api/v1/users/1', { headers }],
    '/livez': ['/livez', {}],
  };
  // `fetch` takes more time than the server.
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

  async function send(kind: Kind, count: number): Promise<void> {
    const [path, init, body] = kinds[kind];
    const ask = () =>
      new Promise<number | undefined>((resolve, reject) => {
        request(url + path, { ...init, agent }, (answer) =>
          answer.once('end', () => resolve(answer.statusCode)).resume(),
        )
          .once('error', reject)
          .end(body?.());
      });
    let left = count;
    const client = async () => {
      while (left-- > 0) {
        const status = await ask();
        if (status !== (kind === 'POST' ? 201 : 200)) throw new Error(`${kind}: ${status}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
  }
  return { kinds: Object.keys(kinds) as Kind[], send, end: () => agent.destroy() };
}

type Counts = Record<'warmUp' | 'requests', number>;

/**
 * Sends requests of each kind over 16 connections, and reads what the minor collections promoted to old space. Counts requests instead
 * of time, so that the speed of the machine has no effect.
 * @param server of the demo, with `TRACED`
 */
export async function collections(server: Server, { warmUp, requests }: Counts) {
  const { kinds, send, end } = await load(server.url);
  const found = {} as Record<Kind, Collections>;
  for (const kind of kinds) {
    await send(kind, warmUp);
    const before = server.stdout().length;
    await send(kind, requests);
    const lines = server.stdout().slice(before).split('\n');
    const minor = lines.filter((line) => /\bgc=s\b/.test(line));
    const sum = (name: string) =>
      minor.reduce((all, line) => all + Number(new RegExp(`\\b${name}=([\\d.]+)`).exec(line)?.[1] ?? 0), 0);
    found[kind] = {
      promoted: sum('promoted') / requests,
      allocated: sum('allocated') / requests,
      minor: minor.length,
      pause: sum('pause') / minor.length,
    };
  }
  end();
  return found;
}

/** The flag of a server that counts its promises. */
export const COUNTING = '--import=./test/support/counted-promises.js';

/** The flags of a server that logs new hidden classes to a file. */
export const mapLogging = (file: string) =>
  ['--log', '--no-logfile-per-isolate', `--logfile=${file}`, '--import=./test/support/logged-maps.js'] as const;

/** The most hidden classes that V8 may add for a request, once the kind of request is known. */
export const MOST_MAPS = 0.2;

/** Sends requests of each kind, and returns how much a count of the server rises for each, by kind. @param name of the count */
async function counted(server: Server, name: string, { warmUp, requests }: Counts) {
  const { kinds, send, end } = await load(server.url);
  async function made(): Promise<number> {
    const before = server.stdout().length;
    process.kill(server.pid, 'SIGWINCH');
    const count = new RegExp(`${name}=(\\d+)`);
    return Number(await eventually('the count', () => count.exec(server.stdout().slice(before))?.[1]));
  }
  const found = {} as Record<Kind, number>;
  for (const kind of kinds) {
    await send(kind, warmUp);
    const before = await made();
    await send(kind, requests);
    found[kind] = ((await made()) - before) / requests;
  }
  end();
  return found;
}

/** Returns the number of promises of each request, by kind. @param server of the demo, with `COUNTING` */
export const promises = (server: Server, counts: Counts) => counted(server, 'promises', counts);

/** Returns the number of new hidden classes of each request, by kind. @param server of the demo, with `mapLogging` */
export const maps = (server: Server, counts: Counts) => counted(server, 'maps', counts);

/** Without limits of the rate, and with few lines in the log. */
export const UNLIMITED = {
  RATE_LIMIT: '100000000',
  RATE_LIMIT_ANONYMOUS: '100000000',
  RATE_CEILING: '1000000000',
  LOG_LEVEL: 'error',
};
