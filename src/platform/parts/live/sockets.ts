/** The registry of open WebSockets: it limits them per user, pings them, and closes those with expired or revoked credentials. @module */

import type { FastifyBaseLogger } from 'fastify';
import { BOUNDS } from '../../core/bounds.js';
import { type Actor, sessionOf } from '../../core/calls/access.js';
import { Failure } from '../../core/calls/errors.js';
import { singleFlight } from '../../core/calls/schedulers.js';
import type { Seams } from '../../core/part.js';
import type { Generation } from '../../database/generation.js';
import { CLOSE, type Connection } from './connection.js';

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
  const open = new Set<Connection>();
  const countByUser = new Map<number, number>();
  /** Sockets without a message since their last ping. */
  const unanswered = new Set<Connection>();

  function endIfExpired(one: Connection): void {
    const { expiresAt } = one.actor() ?? {};
    if (expiresAt !== undefined && expiresAt * 1000 <= now()) one.end('The credential has expired. Send a new one.');
  }

  /** Ends revoked sockets, with one query for all of them. */
  async function endRevoked(sockets: Iterable<Connection>): Promise<void> {
    const authenticated = [...sockets].flatMap((one) => {
      const actor = one.actor();
      return actor ? [{ one, actor }] : [];
    });
    const refused = await revocations.invalidActors(authenticated.map(({ actor }) => actor));
    // A renewed credential was checked when it was renewed.
    for (const { one, actor } of authenticated) if (refused.has(actor) && actor === one.actor()) one.end(REVOKED);
  }

  async function check(one: Connection): Promise<void> {
    await endRevoked([one]);
    one.ended.throwIfAborted();
  }

  const ignoreReplacements = onReplaced((what) => {
    if (what === 'generation') for (const one of open) one.end(RESTORED, CLOSE.restored);
  });
  const unsubscribe = revocations.onInvalidActors((isRefused) => {
    for (const one of open) {
      const actor = one.actor();
      if (actor && isRefused(actor)) one.end(REVOKED);
    }
  });

  function pingAll(): void {
    for (const one of open) {
      if (unanswered.has(one)) one.terminate();
      else one.ping();
      unanswered.add(one);
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
    async add(one: Connection, { id }: Actor): Promise<void> {
      if (!one.isOpen()) return;
      const count = countByUser.get(id) ?? 0;
      if (count >= limits.socketsPerUser)
        throw new Failure('UNAVAILABLE', 'This user has too many sockets. Close one first.');
      countByUser.set(id, count + 1);
      if (open.size === 0) startTimers();
      open.add(one);
      await check(one);
    },
    /** Checks the current credential. @throws Failure UNAUTHENTICATED, and ends the socket */
    check,
    /**
     * Checks the credential before an operation. Only credentials with a session need a query.
     * @throws Failure UNAUTHENTICATED, and ends the socket
     */
    async admit(one: Connection): Promise<void> {
      endIfExpired(one);
      one.ended.throwIfAborted();
      const actor = one.actor();
      if (actor && sessionOf(actor) !== undefined) await check(one);
    },
    remove(one: Connection): void {
      unanswered.delete(one);
      const user = one.actor()?.id;
      if (!open.delete(one)) return;
      if (open.size === 0) stopTimers();
      if (user === undefined) return;
      const count = (countByUser.get(user) ?? 0) - 1;
      if (count > 0) countByUser.set(user, count);
      else countByUser.delete(user);
    },
    markAlive: (one: Connection) => unanswered.delete(one),
    stop(): void {
      ignoreReplacements();
      unsubscribe();
      stopTimers();
    },
  };
}
