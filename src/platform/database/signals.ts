import type { Prisma } from './client.js';
import type { Listener } from './listener.js';

/** How instances tell each other that something was committed. Signals may be lost or doubled; they are hints. */
export interface Signals {
  /** Called in the transaction. */
  announce: (db: Prisma.TransactionClient, payload: string) => Promise<void>;
  /** Called after the commit. */
  committed: (payload: string) => void;
  /** @param onConnect is called when signals are heard, and again after each lost connection: look what was missed */
  listen: (onSignal: (payload: string) => void, onConnect: () => void) => Promise<void>;
  close: () => Promise<void>;
}

/** By the database itself: NOTIFY is part of the transaction, so a signal is sent if and only if it commits. */
export function databaseSignals({ listen }: Pick<Listener, 'listen'>, channel: string): Signals {
  return {
    announce: (db, payload) => notify(db, channel, payload),
    committed: () => {},
    listen: (onSignal, onConnect) => listen(channel, onSignal, onConnect),
    close: async () => {},
  };
}

/**
 * Signals all instances that listen to the channel, this one too, when the transaction commits (PostgreSQL's NOTIFY).
 * @param payload at most 8,000 bytes: an id, never the thing itself
 */
export async function notify(db: Prisma.TransactionClient, channel: string, payload: string): Promise<void> {
  await db.$executeRaw`SELECT pg_notify(${channel}, ${payload})`;
}
