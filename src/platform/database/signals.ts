/** Announces commits to all instances: by NOTIFY, and by a connection that listens. @module */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Client } from 'pg';
import { BOUNDS } from '../core/bounds.js';
import { type MaybePromise, singleFlight } from '../core/calls/schedulers.js';
import type { Prisma } from './client.js';
import { reasonOf } from './faults.js';
import type { Dependency } from './outages.js';
import { destroySocket, type OnConnect } from './session.js';

/** Signals all listening instances after the commit, including this one. @param payload less than 8,000 bytes */
export const notify = (db: Prisma.TransactionClient, channel: string, payload: string): Promise<void> =>
  db.$executeRaw`SELECT pg_notify(${channel}, ${payload})`.then(() => {});

/** Receives the signals of other instances by LISTEN. */
export interface Listener {
  /**
   * Listens to a channel. Resolves when the server confirms it, or when the first attempt has failed, which is retried.
   * @param onSignal gets the payload of each committed NOTIFY
   * @param onConnect is called after each LISTEN: signals were missed before it, so the caller reads the tables
   */
  listen: (channel: string, onSignal: (payload: string) => void, onConnect: () => void) => Promise<void>;
  /**
   * Returns true if signals arrive, by a test signal. Closes a connection that receives none: it is dead, or leads to a
   * standby or to a pooler without LISTEN. Rejects if the database is unavailable.
   */
  checkListening: () => MaybePromise<boolean>;
  watch: (database: Dependency) => void;
  isListening: () => boolean;
  close: () => Promise<void>;
}

export type Notify = (channel: string, payload: string) => Promise<unknown>;

/** Milliseconds for which a test signal is valid, and within which it must arrive: together below a second. */
const SIGNAL_VALID_MS = 400;
const SIGNAL_TIMEOUT_MS = 500;
const CONNECT_MS = 2000;
const RETRY_MS = { first: 250, longest: 2000 } as const;

interface ChannelListener {
  onSignal: (payload: string) => void;
  onConnect: () => void;
}

/**
 * Listens on a connection of its own, and reconnects. Test signals take the path of all signals, by a writing
 * connection.
 */
export function postgresListener(
  connectionString: string,
  beginSession: OnConnect,
  notify: Notify,
  name: string,
): Listener {
  const testChannel = `${name}_proof_${randomUUID()}`;
  const channels = new Map<string, ChannelListener>();
  const stopped = new AbortController();
  const stop = new Promise<void>((resolve) => stopped.signal.addEventListener('abort', () => resolve()));
  let listening: Client | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let expected: { payload: string; arrived: () => void } | undefined;
  let firstAttempt: Promise<void> | undefined;
  let database: Dependency | undefined;

  const listenOn = (client: Client, channel: string) => client.query(`LISTEN ${client.escapeIdentifier(channel)}`);

  /** Returns true if a test signal arrives. @throws Error if it cannot be sent */
  async function testSignal(): Promise<boolean> {
    const began = performance.now();
    const payload = randomUUID();
    const answered = new Promise<true>((arrived) => {
      expected = { payload, arrived: () => arrived(true) };
    });
    await notify(testChannel, payload);
    // Received signals are handled first if this process was busy.
    const timeout = delay(SIGNAL_TIMEOUT_MS, undefined, { ref: false }).then(() => nextTurn(false));
    const arrived = await Promise.race([answered, timeout]);
    if (arrived) checkedAt = began;
    return arrived;
  }

  /** Uses one connection until it ends. @returns true if signals arrived on it */
  async function useConnection(attempted: () => void): Promise<boolean> {
    const client = new Client({
      connectionString,
      keepAlive: true,
      application_name: `${name} signals`,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
    });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', () => {}); // 'end' follows
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel !== testChannel) channels.get(channel)?.onSignal(payload);
      else if (payload === expected?.payload) expected.arrived();
    });
    try {
      const begun = client.connect().then(() => beginSession(client));
      await begun.catch((error: unknown) => {
        database?.away(reasonOf(error));
        throw error;
      });
      database?.back();
      await listenOn(client, testChannel);
      if (!(await testSignal())) return false;
      for (const [channel, { onConnect }] of channels) {
        await listenOn(client, channel);
        onConnect();
      }
      listening = client;
      attempted();
      await Promise.race([ended, stop, delay(BOUNDS.connectionAge.value, undefined, { ref: false })]);
      return true;
    } catch {
      return false;
    } finally {
      listening = undefined;
      destroySocket(client);
    }
  }

  async function reconnect(attempted: () => void): Promise<void> {
    for (let wait: number = RETRY_MS.first; !stopped.signal.aborted; ) {
      wait = (await useConnection(attempted)) ? RETRY_MS.first : Math.min(2 * wait, RETRY_MS.longest);
      attempted();
      await delay(wait, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  }

  const checkNow = singleFlight(async (): Promise<boolean> => {
    const client = listening;
    if (!client) return false;
    const arrived = await testSignal().catch(async (error: unknown) => {
      // The network may be interrupted without an event on the socket.
      await client.query('SELECT 1').catch(() => destroySocket(client));
      throw error;
    });
    if (arrived) return listening === client;
    destroySocket(client);
    return false;
  });

  return {
    async listen(channel, onSignal, onConnect) {
      channels.set(channel, { onSignal, onConnect });
      if (listening) return listenOn(listening, channel).then(onConnect);
      firstAttempt ??= new Promise((attempted) => void reconnect(attempted));
      await firstAttempt;
    },
    checkListening: () => (listening && performance.now() - checkedAt < SIGNAL_VALID_MS ? true : checkNow()),
    watch(dependency) {
      database = dependency;
    },
    isListening: () => listening !== undefined,
    async close() {
      await Promise.race([listening?.end(), delay(SIGNAL_TIMEOUT_MS, undefined, { ref: false })]);
      stopped.abort();
    },
  };
}
