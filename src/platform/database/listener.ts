import { randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Client } from 'pg';
import type { MaybePromise } from '../calls/maybe-promise.js';
import { singleFlight } from '../calls/schedulers.js';
import { reasonOf } from './faults.js';
import type { Dependency } from './outages.js';

/** What hears the signals of other instances: PostgreSQL's LISTEN. */
export interface Listener {
  /**
   * Hears a channel from now on. Resolves when it is heard, or when the first attempt at it has failed: it is tried again.
   * @param onSignal gets the payload of each NOTIFY, once the transaction that sent it has committed
   * @param onConnect is called when the channel is heard, and again after each lost connection: what was sent meanwhile
   *   was missed, and must be read from the tables
   */
  listen: (channel: string, onSignal: (payload: string) => void, onConnect: () => void) => Promise<void>;
  /**
   * Whether signals are heard, proved anew once the last proof is no longer fresh. A connection that fails to is given up: it
   * is silently dead, or leads to a server that takes the writes no longer, or to a pooler that passes no signals on.
   * Rejects when the database cannot be asked.
   */
  checkListening: () => MaybePromise<boolean>;
  /** Tells from now on when the database cannot be connected to, and when it can be again. */
  watch: (database: Dependency) => void;
  /** Whether signals are heard at present. */
  isListening: () => boolean;
  close: () => Promise<void>;
}

/** Sends a signal by the connections that write. */
export type Notify = (channel: string, payload: string) => Promise<unknown>;

/** Milliseconds that a proof is good for, and for the answer to the next one: together, what is signalled is known within a second. */
const FRESH = 400;
const ANSWER = 500;
/** Milliseconds for an attempt to connect, until the next one, and at most until the next one after many. */
const CONNECT = 2000;
const RETRY = { first: 250, longest: 2000 } as const;

interface Hearing {
  onSignal: (payload: string) => void;
  onConnect: () => void;
}

/**
 * Listens on one connection of its own, which one loop opens at the first `listen` and again whenever it is lost. That it
 * hears is proved by a signal that goes the way of all others: sent by a connection that writes, through the database.
 * @param name of who connects
 */
export function postgresListener(connectionString: string, notify: Notify, name: string): Listener {
  const proofs = `${name}_proof_${randomUUID()}`;
  const channels = new Map<string, Hearing>();
  const stopped = new AbortController();
  const stop = new Promise<void>((resolve) => stopped.signal.addEventListener('abort', () => resolve()));
  let hearing: Client | undefined;
  let provedAt = Number.NEGATIVE_INFINITY;
  let awaited: { payload: string; heard: () => void } | undefined;
  let firstAttempt: Promise<void> | undefined;
  let database: Dependency | undefined;

  const hear = (client: Client, channel: string) => client.query(`LISTEN ${client.escapeIdentifier(channel)}`);

  /**
   * @returns whether a signal that was sent is heard
   * @throws Error when it could not be sent, which says nothing of who listens
   */
  async function proof(): Promise<boolean> {
    const began = performance.now();
    const payload = randomUUID();
    const answered = new Promise<true>((heard) => {
      awaited = { payload, heard: () => heard(true) };
    });
    await notify(proofs, payload);
    // Signals that arrived while this process was busy come first.
    const timeout = delay(ANSWER, undefined, { ref: false }).then(() => nextTurn(false));
    const heard = await Promise.race([answered, timeout]);
    if (heard) provedAt = began;
    return heard;
  }

  /** One connection, from its beginning to its end. @returns whether signals were heard on it */
  async function connection(attempted: () => void): Promise<boolean> {
    const client = new Client({
      connectionString,
      keepAlive: true,
      application_name: `${name} signals`,
      connectionTimeoutMillis: CONNECT,
      query_timeout: CONNECT,
    });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', () => {}); // 'end' follows
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel !== proofs) channels.get(channel)?.onSignal(payload);
      else if (payload === awaited?.payload) awaited.heard();
    });
    try {
      await client.connect().catch((error: unknown) => {
        database?.away(reasonOf(error));
        throw error;
      });
      database?.back();
      await hear(client, proofs);
      if (!(await proof())) return false;
      for (const [channel, { onConnect }] of channels) {
        await hear(client, channel);
        onConnect();
      }
      hearing = client;
      attempted();
      await Promise.race([ended, stop]);
      return true;
    } catch {
      return false;
    } finally {
      hearing = undefined;
      hangUp(client);
    }
  }

  async function run(attempted: () => void): Promise<void> {
    for (let wait: number = RETRY.first; !stopped.signal.aborted; ) {
      wait = (await connection(attempted)) ? RETRY.first : Math.min(2 * wait, RETRY.longest);
      attempted();
      await delay(wait, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  }

  const proveAnew = singleFlight(async (): Promise<boolean> => {
    const client = hearing;
    if (!client) return false;
    const heard = await proof().catch(async (error: unknown) => {
      // It may be the network that is gone, and with it whoever would say so.
      await client.query('SELECT 1').catch(() => hangUp(client));
      throw error;
    });
    if (heard) return hearing === client;
    hangUp(client);
    return false;
  });

  return {
    async listen(channel, onSignal, onConnect) {
      channels.set(channel, { onSignal, onConnect });
      if (hearing) return hear(hearing, channel).then(onConnect);
      firstAttempt ??= new Promise((attempted) => void run(attempted));
      await firstAttempt;
    },
    checkListening: () => (hearing && performance.now() - provedAt < FRESH ? true : proveAnew()),
    watch(dependency) {
      database = dependency;
    },
    isListening: () => hearing !== undefined,
    async close() {
      await Promise.race([hearing?.end(), delay(ANSWER, undefined, { ref: false })]);
      stopped.abort();
    },
  };
}

/** At once: a server that is silently gone would never let one go. */
const hangUp = (client: Client): void =>
  void (client as unknown as { connection: { stream: { destroy: () => void } } }).connection.stream.destroy();
