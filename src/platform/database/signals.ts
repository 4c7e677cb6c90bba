import type { Prisma } from './client.js';
import { notify } from './notify.js';
import type { Database } from './open.js';

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
export function databaseSignals({ listen }: Pick<Database, 'listen'>, channel: string): Signals {
  return {
    announce: (db, payload) => notify(db, channel, payload),
    committed: () => {},
    listen: (onSignal, onConnect) => listen(channel, onSignal, onConnect),
    close: async () => {},
  };
}
