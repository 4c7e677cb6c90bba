import { Agent, type RequestOptions, request } from 'node:http';
import { demo } from '../../src/application/seed.js';
import type { Server } from './process.js';

/** The flag with which V8 prints the figures of each collection. */
export const TRACED = '--trace-gc-nvp';

const AT_ONCE = 16;
const JSON_BODY = { 'content-type': 'application/json' };
const POST = { method: 'POST' } as const;

/** The most bytes that a request may leave in old space. */
export const MOST_PROMOTED = { '/livez': 100, GET: 100, 'POST /graphql': 500, POST: 2000 } as const;

type Kind = keyof typeof MOST_PROMOTED;

interface Collections {
  /** Bytes for each request. */
  promoted: number;
  minor: number;
  /** Milliseconds of a minor collection. */
  pause: number;
}

/**
 * Sends requests of each kind over 16 connections, and reads what the minor collections promoted to old space. Counts requests instead
 * of time, so that the speed of the machine has no effect.
 * @param server of the demo, with `TRACED`
 */
export async function collections(server: Server, { warmUp, requests }: Record<'warmUp' | 'requests', number>) {
  const { email, password } = demo.people[0];
  const body = JSON.stringify({ email, password });
  const login = await fetch(`${server.url}/api/v1/auth/login`, { ...POST, headers: JSON_BODY, body });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}`, ...JSON_BODY };
  let made = 0;
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
        request(server.url + path, { ...init, agent }, (answer) =>
          answer.once('end', () => resolve(answer.statusCode)).resume(),
        )
          .once('error', reject)
          .end(body?.());
      });
    let left = count;
    const one = async () => {
      while (left-- > 0) {
        const status = await ask();
        if (status !== (kind === 'POST' ? 201 : 200)) throw new Error(`${kind}: ${status}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  }

  const found = {} as Record<Kind, Collections>;
  for (const kind of Object.keys(kinds) as Kind[]) {
    await send(kind, warmUp);
    const before = server.stdout().length;
    await send(kind, requests);
    const lines = server.stdout().slice(before).split('\n');
    const minor = lines.filter((line) => /\bgc=s\b/.test(line));
    const sum = (name: string) =>
      minor.reduce((all, line) => all + Number(new RegExp(`\\b${name}=([\\d.]+)`).exec(line)?.[1] ?? 0), 0);
    found[kind] = { promoted: sum('promoted') / requests, minor: minor.length, pause: sum('pause') / minor.length };
  }
  agent.destroy();
  return found;
}

/** Without limits of the rate, and with few lines in the log. */
export const UNLIMITED = {
  RATE_LIMIT: '100000000',
  RATE_LIMIT_ANONYMOUS: '100000000',
  RATE_CEILING: '1000000000',
  LOG_LEVEL: 'error',
};
