import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { Dependency } from '../../src/platform/database/outages.js';

export const POSTGRESQL = new URL(process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres');
export const REDIS = new URL(process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379');

/** Ignores reports about the availability of a server. */
export const IGNORED_OUTAGES: Dependency = { away: () => {}, back: () => {} };

const CONNECT_TIMEOUT_MS = 60_000;

const isReachable = ({ hostname, port }: URL, usualPort: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || usualPort), timeout: CONNECT_TIMEOUT_MS });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
  });

/** CI=true requires both servers. */
const demanded = process.env['CI'] === 'true';

/** The reason to skip tests on PostgreSQL, or false. */
export const skipWithoutPostgresql =
  !demanded && !(await isReachable(POSTGRESQL, 5432)) && 'no PostgreSQL at TEST_DATABASE_URL (docs/testing.md)';

/** The reason to skip tests with Redis, or false. */
export const skipWithoutRedis =
  !demanded && !(await isReachable(REDIS, 6379)) && 'no Redis at TEST_REDIS_URL (docs/testing.md)';

/** The reason to skip slow tests, or false with CI=true. Quicker tests cover their parts. */
export const skipUnlessWhole = !demanded && 'takes long: runs with CI=true';

/** Returns a free port, for a server that needs it before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
