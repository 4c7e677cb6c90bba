/** The registry of open WebSockets: it limits them per user, pings them, and closes those with expired or revoked credentials. @module */

import type { FastifyBaseLogger } from 'fastify';
import { BOUNDS } from '../../core/bounds.js';
import { type Actor, sessionOf } from '../../core/calls/access.js';
import { Failure } from '../../core/calls/errors.js';
import { singleFlight } from '../../core/calls/schedulers.js';
import type { Seams } from '../../core/part.js';
import type { Generation } from '../../database/generation.js';
import { CLOSE, type SocketConnection } from './connection.js';

export interface SocketLimits {
  initTimeout: number;
  operations: number;
  socketsPerUser: number;
  /** Milliseconds between checks of all credentials, and between pings (WEBSOCKET_PING). */
  recheck: number;
  ping: number;
  /** Milliseconds between checks whether signals arrive. Without signals all credentials are checked. */
  signalCheck: number;
}

const EXPIRY_CHECK_MS = 500;

export const socketLimits: Omit<SocketLimits, 'ping'> = {
  initTimeout: BOUNDS.socketInit.value,
  operations: BOUNDS.socketOperations.value,
  socketsPerUser: BOUNDS.socketsPerUser.value,
  recheck: 2000,
  signalCheck: 500,
};

const RESTORED = 'The database was restored. Connect again, and subscribe from the last id.';
const REVOKED = 'The credential was revoked. Log in again.';

interface SocketsOptions {
  limits: SocketLimits;
  revocations: Seams['identity']['revocations'];
  onReplaced: Generation['onReplaced'];
  now: () => number;
  log: FastifyBaseLogger;
}

export function socketRegistry({ limits, revocations, onReplaced, now, log }: SocketsOptions) {
  const open = new Set<SocketConnection>();
  const countByUser = new Map<number, number>();
  /** Sockets without a message since their last ping. */
  const unanswered = new Set<SocketConnection>();

  function endIfExpired(connection: SocketConnection): void {
    const { expiresAt } = connection.actor() ?? {};
    if (expiresAt !== undefined && expiresAt * 1000 <= now())
      connection.end('The credential has expired. Send a new one.');
  }

  /** Ends revoked sockets, with one query for all of them. */
  async function endRevoked(sockets: Iterable<SocketConnection>): Promise<void> {
    const authenticated = [...sockets].flatMap((connection) => {
      const actor = connection.actor();
      return actor ? [{ connection, actor }] : [];
    });
    const refused = await revocations.invalidActors(authenticated.map(({ actor }) => actor));
    // A renewed credential was checked when it was renewed.
    for (const { connection, actor } of authenticated)
      if (refused.has(actor) && actor === connection.actor()) connection.end(REVOKED);
  }

  async function check(connection: SocketConnection): Promise<void> {
    await endRevoked([connection]);
    connection.ended.throwIfAborted();
  }

  const ignoreReplacements = onReplaced((what) => {
    if (what === 'generation') for (const connection of open) connection.end(RESTORED, CLOSE.restored);
  });
  const unsubscribe = revocations.onInvalidActors((isRefused) => {
    for (const connection of open) {
      const actor = connection.actor();
      if (actor && isRefused(actor)) connection.end(REVOKED);
    }
  });

  function pingAll(): void {
    for (const connection of open) {
      if (unanswered.has(connection)) connection.terminate();
      else connection.ping();
      unanswered.add(connection);
    }
  }

  let failing = false;

  /** Checks all sockets, and logs the first of consecutive failures. */
  const endAllRevoked = singleFlight(async () => {
    try {
      await endRevoked(open);
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, 'sockets not rechecked');
      failing = true;
    }
  });

  async function endRevokedWithoutSignals(): Promise<void> {
    if (!(await revocations.receivesSignals())) await endAllRevoked();
  }

  let timers: NodeJS.Timeout[] = [];
  const startTimers = () => {
    timers = [
      setInterval(() => open.forEach(endIfExpired), EXPIRY_CHECK_MS),
      setInterval(endRevokedWithoutSignals, limits.signalCheck),
      setInterval(endAllRevoked, limits.recheck),
      setInterval(pingAll, limits.ping),
    ];
  };
  const stopTimers = () => timers.forEach(clearInterval);

  return {
    /**
     * Adds an authenticated socket, and checks its credential again, because it may have been revoked before the socket
     * was added.
     * @throws Failure UNAVAILABLE if the user has too many sockets; UNAUTHENTICATED
     */
    async add(connection: SocketConnection, { id }: Actor): Promise<void> {
      if (!connection.isOpen()) return;
      const count = countByUser.get(id) ?? 0;
      if (count >= limits.socketsPerUser)
        throw new Failure('UNAVAILABLE', 'This user has too many sockets. Close one first.');
      countByUser.set(id, count + 1);
      if (open.size === 0) startTimers();
      open.add(connection);
      await check(connection);
    },
    /** Checks the current credential. @throws Failure UNAUTHENTICATED, and ends the socket */
    check,
    /**
     * Checks the credential before an operation. Only credentials with a session need a query.
     * @throws Failure UNAUTHENTICATED, and ends the socket
     */
    async admit(connection: SocketConnection): Promise<void> {
      endIfExpired(connection);
      connection.ended.throwIfAborted();
      const actor = connection.actor();
      if (actor && sessionOf(actor) !== undefined) await check(connection);
    },
    remove(connection: SocketConnection): void {
      unanswered.delete(connection);
      const user = connection.actor()?.id;
      if (!open.delete(connection)) return;
      if (open.size === 0) stopTimers();
      if (user === undefined) return;
      const count = (countByUser.get(user) ?? 0) - 1;
      if (count > 0) countByUser.set(user, count);
      else countByUser.delete(user);
    },
    markAlive: (connection: SocketConnection) => unanswered.delete(connection),
    stop(): void {
      ignoreReplacements();
      unsubscribe();
      stopTimers();
    },
  };
}
