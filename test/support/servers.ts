import { connect } from 'node:net';
import type { Dependency } from '../../src/platform/database/outages.js';

export const POSTGRESQL = new URL(process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres');
export const REDIS = new URL(process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379');

/** For what tells whether a server is there, where nobody wants to know. */
export const UNTOLD: Dependency = { away: () => {}, back: () => {} };

/** Milliseconds in which a server that is there takes a connection. */
const PATIENCE = 60_000;

const isReachable = ({ hostname, port }: URL, usualPort: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || usualPort), timeout: PATIENCE });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
  });

/** With CI=true both servers must be there; elsewhere what needs one is skipped, and says so. */
const demanded = process.env['CI'] === 'true';

/** Why the tests on PostgreSQL are skipped; false when they are not. */
export const skipWithoutPostgresql =
  !demanded && !(await isReachable(POSTGRESQL, 5432)) && 'no PostgreSQL at TEST_DATABASE_URL (docs/testing.md)';

/** Why the tests with Redis are skipped; false when they are not. */
export const skipWithoutRedis =
  !demanded && !(await isReachable(REDIS, 6379)) && 'no Redis at TEST_REDIS_URL (docs/testing.md)';

/** Why what takes long and stands beside quicker tests of its parts is skipped; false with CI=true, when all must run. */
export const skipUnlessWhole = !demanded && 'takes long: runs with CI=true';
