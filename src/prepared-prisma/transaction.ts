/** A transaction on one connection, with the limits and errors of Prisma's interactive transactions. */
import { PrismaClientKnownRequestError } from '@prisma/client/runtime/client';
import {
  type Connection,
  destroyConnection,
  isBroken,
  isPipelined,
  type PoolConnection,
  type PoolLike,
  send,
  takeConnection,
  writeTogether,
} from './connection.js';
import { type Done, NO_RESULT, type Statement, statementOf } from './statement.js';

export interface TransactionLimits {
  /** Milliseconds to wait for a connection. */
  maxWait: number;
  /** Milliseconds for the whole transaction. */
  timeout: number;
}

const LEVELS: Record<string, string> = {
  ReadUncommitted: 'READ UNCOMMITTED',
  ReadCommitted: 'READ COMMITTED',
  RepeatableRead: 'REPEATABLE READ',
  Serializable: 'SERIALIZABLE',
};

const BEGIN = statementOf('', 'BEGIN')([]);
const END = { COMMIT: statementOf('', 'COMMIT')([]), ROLLBACK: statementOf('', 'ROLLBACK')([]) };

const apiError = (message: string, clientVersion: string) =>
  new PrismaClientKnownRequestError(`Transaction API error: ${message}`, { code: 'P2028', clientVersion });

export interface OpenTransaction extends Connection {
  /** Waits for the connection. */
  taken: () => Promise<void>;
  commit: () => Promise<void>;
  rollback: () => Promise<void>;
}

/**
 * Opens a transaction whose statements may be sent at once: they wait for the connection, and BEGIN is sent with the first one.
 * @param leave ends Prisma's calls on the connection; returns undefined without one
 */
export function openTransaction(
  pool: PoolLike,
  { maxWait, timeout }: TransactionLimits,
  isolationLevel: string | undefined,
  clientVersion: string,
  leave: () => Promise<void> | undefined,
): OpenTransaction {
  const level = isolationLevel === undefined ? '' : LEVELS[isolationLevel];
  if (level === undefined) throw new TypeError(`Invalid isolation level: ${isolationLevel}`);
  let connection: PoolConnection | undefined;
  let pipelined = false;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  /** What waits for the connection, or for the answer to BEGIN; undefined if nothing must wait. */
  let waiting: (() => void)[] | undefined = [];
  /** The error of taking the connection, or of BEGIN. */
  let failure: Error | undefined;
  let hasBegun = false;
  let underWay = 0;
  let broken = false;
  let end: 'committed' | 'rolled back' | 'expired' | undefined;

  takeWithin(pool, maxWait, clientVersion, (error, taken) => {
    connection = taken;
    if (taken) pipelined = isPipelined(taken);
    startedAt = Date.now();
    if (taken && end === undefined) timer = setTimeout(expire, timeout).unref();
    proceed(error);
  });

  function proceed(error: Error | undefined): void {
    const all = waiting ?? [];
    waiting = undefined;
    failure = error;
    for (const run of all) run();
  }

  function expire(): void {
    end = 'expired';
    // The running statement blocks the connection.
    if (underWay > 0) destroyConnection(connection as PoolConnection);
    else finish('ROLLBACK', () => {});
  }

  function refusal(action: string): Error {
    const closed = { committed: 'a committed transaction', 'rolled back': 'a transaction that was rolled back' };
    if (end === 'committed' || end === 'rolled back')
      return apiError(`Transaction already closed: A ${action} cannot be executed on ${closed[end]}.`, clientVersion);
    const message = `A ${action} cannot be executed on an expired transaction. The timeout for this transaction was ${timeout} ms, however ${Date.now() - startedAt} ms passed since the start of the transaction. Consider increasing the interactive transaction timeout or doing less work in the transaction.`;
    return apiError(message, clientVersion);
  }

  /** Sends BEGIN. On a pipelined connection, the first statement follows at once and reports the same error. */
  function begin(on: PoolConnection): void {
    hasBegun = true;
    if (pipelined) writeTogether(on);
    else waiting = [];
    send(on, level ? statementOf('', `BEGIN ISOLATION LEVEL ${level}`)([]) : BEGIN, (error) => {
      if (!pipelined) proceed(error ?? undefined);
    });
  }

  function ask(statement: Statement, done: Done): void {
    if (connection && !hasBegun) begin(connection);
    if (waiting) return void waiting.push(() => ask(statement, done));
    if (connection === undefined || failure) return void done(failure, NO_RESULT);
    if (pipelined) writeTogether(connection);
    underWay++;
    send(connection, statement, (error, result) => {
      underWay--;
      if (error && isBroken(error)) broken = true;
      done(error && end === 'expired' ? refusal('query') : error, result);
    });
  }

  /** Ends the transaction, and returns the connection to the pool. */
  function finish(command: keyof typeof END, done: (error: Error | undefined) => void): void {
    if (waiting) return void waiting.push(() => finish(command, done));
    const over = (error?: Error): void => {
      connection?.release(broken);
      done(error);
    };
    const failed = (why: string) =>
      command === 'COMMIT' ? apiError(`The transaction was rolled back, because ${why}.`, clientVersion) : undefined;
    if (failure && isBroken(failure)) broken = true;
    if (connection === undefined || failure || !hasBegun) return void over(failure);
    if (broken) return void over(failed('its connection failed'));
    send(connection, END[command], (error, result) => {
      if (error && isBroken(error)) broken = true;
      over(error ?? (result.command === command ? undefined : failed('one of its statements failed')));
    });
  }

  /** @param left the failure of Prisma's calls */
  function close(outcome: 'committed' | 'rolled back', left?: { error: Error }): Promise<void> {
    clearTimeout(timer);
    if (end !== undefined) return outcome === 'committed' ? Promise.reject(refusal('commit')) : Promise.resolve();
    end = left ? 'rolled back' : outcome;
    const command = end === 'committed' ? 'COMMIT' : 'ROLLBACK';
    return new Promise((resolve, reject) => {
      const ended = (error = outcome === 'committed' ? left?.error : undefined) => (error ? reject(error) : resolve());
      finish(command, ended);
    });
  }

  const closing = (outcome: 'committed' | 'rolled back'): Promise<void> =>
    leave()?.then(
      () => close(outcome),
      (error: Error) => close(outcome, { error }),
    ) ?? close(outcome);

  return {
    query: (statement, done) => {
      if (end === undefined) ask(statement, done);
      else done(refusal('query'), NO_RESULT);
    },
    taken: () =>
      new Promise((resolve, reject) => {
        const settle = () => (failure ? reject(failure) : resolve());
        if (waiting) waiting.push(settle);
        else settle();
      }),
    commit: () => closing('committed'),
    rollback: () => closing('rolled back'),
  };
}

function takeWithin(
  pool: PoolLike,
  maxWait: number,
  clientVersion: string,
  taken: (error: Error | undefined, connection?: PoolConnection) => void,
): void {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    taken(apiError('Unable to start a transaction in the given time.', clientVersion));
  }, maxWait);
  takeConnection(pool).then(
    (connection) => {
      clearTimeout(timer);
      if (isLate) connection.release();
      else taken(undefined, connection);
    },
    (error: Error) => {
      clearTimeout(timer);
      if (!isLate) taken(error);
    },
  );
}
