import { setImmediate as nextTurn } from 'node:timers/promises';

/** The calls of one operation, so that none is left behind when the operation ends. */
export interface CallLog {
  /** Names the operation in errors. */
  readonly operation: string;
  /** Whether the calls are one transaction, which PostgreSQL does not commit after a statement that failed. */
  readonly isTransaction: boolean;
  /** Calls that have begun and not ended. */
  readonly running: Set<Promise<unknown>>;
  /** Statements of the platform that were sent without waiting for their results. */
  readonly sent: Promise<unknown>[];
  /** Writes that nobody has awaited, with their names. */
  readonly pending: Map<object, string>;
  /** The first write that failed, or statement of a transaction. It fails the operation, also when the handler has caught it. */
  failed: { readonly error: unknown } | undefined;
  /** The number of calls that have begun. */
  begun: number;
  /** Whether the operation has ended. No call begins then. */
  isOver: boolean;
}

export const callLog = (operation: string, isTransaction: boolean): CallLog => ({
  operation,
  isTransaction,
  running: new Set(),
  sent: [],
  pending: new Map(),
  failed: undefined,
  begun: 0,
  isOver: false,
});

/**
 * Ends the calls of an operation whose handler has returned: waits for those that have begun, and lets no other one begin.
 * @throws the error of the first call that failed, also when the handler has caught it; Error for a write that nobody awaited
 */
export async function endCalls(log: CallLog): Promise<void> {
  while (log.running.size > 0) {
    await Promise.allSettled(log.running);
    // Code that awaits one call without being awaited may make the next one.
    await nextTurn();
  }
  log.isOver = true;
  refuseFailed(log);
  const [forgotten] = log.pending.values();
  if (forgotten !== undefined) throw new Error(`${forgotten} was called and not awaited: nothing is written.`);
}

/** Sends a statement without waiting for its result. If it fails, the call fails. */
export function sendAhead(log: CallLog, statement: Promise<unknown>): void {
  statement.catch((error: unknown) => {
    log.failed ??= { error };
  });
  log.sent.push(statement);
}

/** @throws the error of the first call that failed */
export function refuseFailed({ failed }: CallLog): void {
  if (failed) throw failed.error;
}
