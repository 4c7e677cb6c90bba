import type { Prisma } from './client.js';
import { type Listener, notify } from './signals.js';

/** Announces commits to all instances. Signals may get lost or arrive twice. */
export interface Signals {
  /** Called in the transaction. */
  announce: (db: Prisma.TransactionClient, payload: string) => Promise<void>;
  /** Called after the commit. */
  committed: (payload: string) => void;
  /** @param onConnect is called after each connection, because signals were missed before it */
  listen: (onSignal: (payload: string) => void, onConnect: () => void) => Promise<void>;
  close: () => Promise<void>;
}

/** Uses NOTIFY: PostgreSQL sends the signal if and only if the transaction commits. */
export function databaseSignals({ listen }: Pick<Listener, 'listen'>, channel: string): Signals {
  return {
    announce: (db, payload) => notify(db, channel, payload),
    committed: () => {},
    listen: (onSignal, onConnect) => listen(channel, onSignal, onConnect),
    close: async () => {},
  };
}
