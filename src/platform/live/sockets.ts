import type { FastifyBaseLogger } from 'fastify';
import { type Actor, sessionOf } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { singleFlight } from '../calls/schedulers.js';
import type { Revocations } from '../sessions/revocations.js';
import type { Connection } from './connection.js';

export interface SocketLimits {
  initTimeout: number;
  operations: number;
  socketsPerUser: number;
  /** Milliseconds between checks of all credentials, and between pings. */
  recheck: number;
  ping: number;
  /** Milliseconds between checks whether signals arrive. Without signals all credentials are checked. */
  hearing: number;
}

const EXPIRY_CHECK_MS = 500;

export const socketLimits: SocketLimits = {
  initTimeout: 3000,
  operations: 100,
  socketsPerUser: 20,
  recheck: 2000,
  ping: 30_000,
  hearing: 500,
};

const REVOKED = 'The credential was revoked. Log in again.';

interface SocketsOptions {
  limits: SocketLimits;
  revocations: Pick<Revocations, 'invalidActors' | 'receivesSignals' | 'onInvalidActors'>;
  now: () => number;
  log: FastifyBaseLogger;
}

export function openSockets({ limits, revocations, now, log }: SocketsOptions) {
  const open = new Set<Connection>();
  const ofUser = new Map<number, number>();
  /** Sockets without a message since their last ping. */
  const silent = new Set<Connection>();

  function endIfExpired(one: Connection): void {
    const { expiresAt } = one.actor() ?? {};
    if (expiresAt !== undefined && expiresAt * 1000 <= now()) one.end('The credential has expired. Send a new one.');
  }

  /** Ends revoked sockets, with one query for all of them. */
  async function ask(sockets: Iterable<Connection>): Promise<void> {
    const asked = [...sockets].flatMap((one) => {
      const actor = one.actor();
      return actor ? [{ one, actor }] : [];
    });
    const refused = await revocations.invalidActors(asked.map(({ actor }) => actor));
    // A renewed credential was checked when it was renewed.
    for (const { one, actor } of asked) if (refused.has(actor) && actor === one.actor()) one.end(REVOKED);
  }

  async function look(one: Connection): Promise<void> {
    await ask([one]);
    one.ended.throwIfAborted();
  }

  const forget = revocations.onInvalidActors((isRefused) => {
    for (const one of open) {
      const actor = one.actor();
      if (actor && isRefused(actor)) one.end(REVOKED);
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

  /** Checks all sockets, and logs the first of consecutive failures. */
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
    if (!(await revocations.receivesSignals())) await askAll();
  }

  let timers: NodeJS.Timeout[] = [];
  const watch = () => {
    timers = [
      setInterval(() => open.forEach(endIfExpired), EXPIRY_CHECK_MS),
      setInterval(askUnlessHeard, limits.hearing),
      setInterval(askAll, limits.recheck),
      setInterval(pingAll, limits.ping),
    ];
  };
  const rest = () => timers.forEach(clearInterval);

  return {
    /**
     * Adds an authenticated socket, and checks its credential again, because it may have been revoked before the socket
     * was added.
     * @throws Failure UNAVAILABLE if the user has too many sockets; UNAUTHENTICATED
     */
    async add(one: Connection, { id }: Actor): Promise<void> {
      if (!one.isOpen()) return;
      const count = ofUser.get(id) ?? 0;
      if (count >= limits.socketsPerUser)
        throw new Failure('UNAVAILABLE', 'This user has too many sockets. Close one first.');
      ofUser.set(id, count + 1);
      if (open.size === 0) watch();
      open.add(one);
      await look(one);
    },
    /** Checks the current credential. @throws Failure UNAUTHENTICATED, and ends the socket */
    look,
    /**
     * Checks the credential before an operation. Only credentials with a session need a query.
     * @throws Failure UNAUTHENTICATED, and ends the socket
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
    heard: (one: Connection) => silent.delete(one),
    stop(): void {
      forget();
      rest();
    },
  };
}
