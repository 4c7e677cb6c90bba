import type { FastifyBaseLogger } from 'fastify';
import { type Actor, sessionOf } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { singleFlight } from '../calls/schedulers.js';
import type { Revocations } from '../sessions/revocations.js';
import type { Connection } from './connection.js';

export interface SocketLimits {
  /** Milliseconds within which `connection_init` must come. */
  initTimeout: number;
  /** Operations of one socket at a time. */
  operations: number;
  /** Sockets of one user on this instance. */
  socketsPerUser: number;
  /** Milliseconds between two questions to the database whether the callers may go on, and between two pings. */
  recheck: number;
  ping: number;
  /** Milliseconds between two looks whether signals are heard, without which the callers are asked for at once. */
  hearing: number;
}

/** Milliseconds between two looks at whose credential has expired, which is known without asking anybody. */
const EXPIRY = 500;

export const socketLimits: SocketLimits = {
  initTimeout: 3000,
  operations: 100,
  socketsPerUser: 20,
  recheck: 2000,
  ping: 30_000,
  hearing: 500,
};

const NO_LONGER = 'No longer allowed.';

interface SocketsOptions {
  limits: SocketLimits;
  revocations: Pick<Revocations, 'refused' | 'isHeard' | 'onRefused'>;
  /** Milliseconds since the epoch. */
  now: () => number;
  log: FastifyBaseLogger;
}

/** All sockets of this instance whose caller is known. */
export function openSockets({ limits, revocations, now, log }: SocketsOptions) {
  const open = new Set<Connection>();
  const ofUser = new Map<number, number>();
  /** Those that have not been heard of since they were pinged. */
  const silent = new Set<Connection>();

  function endIfExpired(one: Connection): void {
    const { expiresAt } = one.actor() ?? {};
    if (expiresAt !== undefined && expiresAt * 1000 <= now()) one.end('The credential has expired.');
  }

  /** Ends those of the sockets that must be ended, by one question for all of them. */
  async function ask(sockets: Iterable<Connection>): Promise<void> {
    const asked = [...sockets].flatMap((one) => {
      const actor = one.actor();
      return actor ? [{ one, actor }] : [];
    });
    const refused = await revocations.refused(asked.map(({ actor }) => actor));
    // Who has renewed the credential meanwhile is somebody else, and was looked at then.
    for (const { one, actor } of asked) if (refused.has(actor) && actor === one.actor()) one.end(NO_LONGER);
  }

  async function look(one: Connection): Promise<void> {
    await ask([one]);
    one.ended.throwIfAborted();
  }

  /** Ends the sockets of those who were refused just now, on whichever instance. */
  const forget = revocations.onRefused((isRefused) => {
    for (const one of open) {
      const actor = one.actor();
      if (actor && isRefused(actor)) one.end(NO_LONGER);
    }
  });

  function pingAll(): void {
    for (const one of open) {
      if (silent.has(one)) one.terminate();
      else one.ping();
      silent.add(one);
    }
  }

  let failing = false;

  /** Looks at all, once at a time. The first of several looks that fail is told. */
  const askAll = singleFlight(async () => {
    try {
      await ask(open);
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, 'sockets not rechecked');
      failing = true;
    }
  });

  async function askUnlessHeard(): Promise<void> {
    if (!(await revocations.isHeard())) await askAll();
  }

  /** While there are sockets: a service that nobody uses does nothing. */
  let timers: NodeJS.Timeout[] = [];
  const watch = () => {
    timers = [
      setInterval(() => open.forEach(endIfExpired), EXPIRY),
      setInterval(askUnlessHeard, limits.hearing),
      setInterval(askAll, limits.recheck),
      setInterval(pingAll, limits.ping),
    ];
  };
  const rest = () => timers.forEach(clearInterval);

  return {
    /**
     * Takes a socket in, whose caller was found out when the connection was opened. The caller is looked at once more after
     * that: what has ended before is seen then, and what ends later is heard.
     * @throws Failure UNAVAILABLE when the user has enough sockets; UNAUTHENTICATED
     */
    async add(one: Connection, { id }: Actor): Promise<void> {
      // It may have been closed while its credential was looked at.
      if (!one.isOpen()) return;
      const count = ofUser.get(id) ?? 0;
      if (count >= limits.socketsPerUser) throw new Failure('UNAVAILABLE', 'This user has too many sockets.');
      ofUser.set(id, count + 1);
      if (open.size === 0) watch();
      open.add(one);
      await look(one);
    },
    /**
     * Looks at whose credential a socket has now, or at the one it has been renewed by.
     * @throws Failure UNAUTHENTICATED when that must not go on, which ends the socket
     */
    look,
    /**
     * Lets an operation begin. The session of the credential is looked up for each, as it is for each request by an opaque
     * token; a credential that names none is good until something else is heard.
     * @throws Failure UNAUTHENTICATED when the caller must not go on, which ends the socket
     */
    async admit(one: Connection): Promise<void> {
      endIfExpired(one);
      one.ended.throwIfAborted();
      const actor = one.actor();
      if (actor && sessionOf(actor) !== undefined) await look(one);
    },
    remove(one: Connection): void {
      silent.delete(one);
      const user = one.actor()?.id;
      if (!open.delete(one)) return;
      if (open.size === 0) rest();
      if (user === undefined) return;
      const count = (ofUser.get(user) ?? 0) - 1;
      if (count > 0) ofUser.set(user, count);
      else ofUser.delete(user);
    },
    /** It lives. */
    heard: (one: Connection) => silent.delete(one),
    stop(): void {
      forget();
      rest();
    },
  };
}
