import type { FastifyBaseLogger } from 'fastify';
import type { Actor } from '../services/access.js';
import { Failure } from '../services/errors.js';
import type { IsRevoked } from '../services/standing.js';
import { CLOSE, type Connection } from './connection.js';

export interface SocketLimits {
  /** Milliseconds within which `connection_init` must come. */
  initTimeout: number;
  /** Operations of one socket at a time. */
  operations: number;
  /** Sockets of one user on this instance. */
  socketsPerUser: number;
  /** Milliseconds between two looks at whether the callers may go on, and between two pings. */
  recheck: number;
  ping: number;
}

export const socketLimits: SocketLimits = {
  initTimeout: 3000,
  operations: 100,
  socketsPerUser: 20,
  recheck: 2000,
  ping: 30_000,
};

export interface SocketsOptions {
  limits: SocketLimits;
  isRevoked: IsRevoked;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: FastifyBaseLogger;
}

/** All sockets of this instance whose caller is known. */
export function openSockets({ limits, isRevoked, now, log }: SocketsOptions) {
  const open = new Set<Connection>();
  const ofUser = new Map<number, number>();
  /** Those that have not been heard of since they were pinged. */
  const silent = new Set<Connection>();

  function isExpired(one: Connection): boolean {
    const { expiresAt } = one.actor() ?? {};
    return expiresAt !== undefined && expiresAt * 1000 <= now();
  }

  /** Ends the sockets whose credential has expired or was revoked. */
  async function recheck(): Promise<void> {
    for (const one of open) if (isExpired(one)) one.close(CLOSE.forbidden, 'The credential has expired.');
    const asked = [...open].map((one) => [one, one.actor()] as const);
    const revoked = await isRevoked(asked.flatMap(([, actor]) => actor ?? []));
    for (const [one, actor] of asked) {
      if (actor && actor === one.actor() && revoked.has(actor)) one.close(CLOSE.forbidden, 'No longer allowed.');
    }
  }

  function pingAll(): void {
    for (const one of open) {
      if (silent.has(one)) one.terminate();
      else one.ping();
      silent.add(one);
    }
  }

  const timers = [
    setInterval(() => recheck().catch((err: unknown) => log.warn({ err }, 'sockets not rechecked')), limits.recheck),
    setInterval(pingAll, limits.ping),
  ];

  return {
    /** @throws Failure UNAVAILABLE when the user has enough sockets */
    add(one: Connection, { id }: Actor): void {
      // It may have been closed while its credential was looked at.
      if (!one.isOpen()) return;
      const count = ofUser.get(id) ?? 0;
      if (count >= limits.socketsPerUser) throw new Failure('UNAVAILABLE', 'This user has too many sockets.');
      ofUser.set(id, count + 1);
      open.add(one);
    },
    remove(one: Connection): void {
      silent.delete(one);
      const user = one.actor()?.id;
      if (!open.delete(one) || user === undefined) return;
      const count = (ofUser.get(user) ?? 0) - 1;
      if (count > 0) ofUser.set(user, count);
      else ofUser.delete(user);
    },
    /** It lives. */
    heard: (one: Connection) => silent.delete(one),
    isExpired,
    /** Ends the sockets of a user whose credentials were just revoked, on whichever instance. */
    revoked(userId: number): void {
      for (const one of open) if (one.actor()?.id === userId) one.close(CLOSE.forbidden, 'No longer allowed.');
    },
    stop: () => timers.forEach(clearInterval),
  };
}

export type OpenSockets = ReturnType<typeof openSockets>;
