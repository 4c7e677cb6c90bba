import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

/** What hears the signals of other instances: PostgreSQL's LISTEN. */
export interface Listener {
  /**
   * Hears a channel from now on.
   * @param onSignal gets the payload of each NOTIFY, once the transaction that sent it has committed
   * @param onConnect is called when the channel is heard, and again after each lost connection: what was sent meanwhile
   *   was missed, and must be read from the tables
   */
  listen: (channel: string, onSignal: (payload: string) => void, onConnect: () => void) => Promise<void>;
  close: () => Promise<void>;
}

/** Milliseconds between two attempts to connect again, and between two proofs that the connection still lives. */
const RETRY = 500;
const HEARTBEAT = 5000;

interface Hearing {
  onSignal: (payload: string) => void;
  onConnect: () => void;
}

/** Listens on one connection of its own, opened at the first `listen` and opened again whenever it is lost. */
export function postgresListener(connectionString: string): Listener {
  const channels = new Map<string, Hearing>();
  let client: Client | undefined;
  let closed = false;

  async function connect(): Promise<void> {
    const fresh = new Client({
      connectionString,
      keepAlive: true,
      application_name: 'accord signals',
      query_timeout: HEARTBEAT,
    });
    fresh.on('error', () => {}); // 'end' follows
    fresh.on('notification', ({ channel, payload = '' }) => channels.get(channel)?.onSignal(payload));
    await fresh.connect();
    client = fresh;
    const heartbeat = setInterval(() => fresh.query('SELECT 1').catch(() => fresh.end()), HEARTBEAT).unref();
    fresh.once('end', () => {
      clearInterval(heartbeat);
      client = undefined;
      void reconnect();
    });
    for (const [channel, { onConnect }] of channels) {
      await fresh.query(`LISTEN ${fresh.escapeIdentifier(channel)}`);
      onConnect();
    }
  }

  async function reconnect(): Promise<void> {
    while (!closed && !client) {
      await delay(RETRY, undefined, { ref: false });
      if (!closed) await connect().catch(() => client?.end());
    }
  }

  return {
    async listen(channel, onSignal, onConnect) {
      channels.set(channel, { onSignal, onConnect });
      if (!client) return connect().catch(() => void reconnect());
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
      onConnect();
    },
    async close() {
      closed = true;
      await client?.end();
    },
  };
}
