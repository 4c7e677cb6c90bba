/** A transaction on one connection, with the limits and errors of Prisma's interactive transactions. */
import { PrismaClientKnownRequestError } from '@prisma/client/runtime/client';
import {
  type Connection,
  destroyConnection,
  isBroken,
  isPipelined,
  type PoolConnection,
  type PoolLike,
  type Result,
  type Statement,
  sendStatement,
  statementOf,
  takeConnection,
  writeTogether,
} from './connection.js';

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
  commit: () => Promise<void>;
  rollback: () => Promise<void>;
}

/** Sends BEGIN with the first statement. @param leave ends Prisma's calls on the connection */
export async function openTransaction(
  pool: PoolLike,
  { maxWait, timeout }: TransactionLimits,
  isolationLevel: string | undefined,
  clientVersion: string,
  leave: () => Promise<void>,
): Promise<OpenTransaction> {
  const level = isolationLevel === undefined ? '' : LEVELS[isolationLevel];
  if (level === undefined) throw new TypeError(`Invalid isolation level: ${isolationLevel}`);
  const connection = await takeWithin(pool, maxWait, clientVersion);
  const startedAt = Date.now();
  const pipelined = isPipelined(connection);
  let begun: Promise<unknown> | undefined;
  let underWay = 0;
  let broken = false;
  let end: 'committed' | 'rolled back' | 'expired' | undefined;

  const timer = setTimeout(() => {
    end = 'expired';
    // The running statement blocks the connection.
    if (underWay > 0) destroyConnection(connection);
    else void finish('ROLLBACK').catch(() => {});
  }, timeout);
  timer.unref();

  function refusal(action: string): Error {
    const closed = { committed: 'a committed transaction', 'rolled back': 'a transaction that was rolled back' };
    if (end === 'committed' || end === 'rolled back')
      return apiError(`Transaction already closed: A ${action} cannot be executed on ${closed[end]}.`, clientVersion);
    const message = `A ${action} cannot be executed on an expired transaction. The timeout for this transaction was ${timeout} ms, however ${Date.now() - startedAt} ms passed since the start of the transaction. Consider increasing the interactive transaction timeout or doing less work in the transaction.`;
    return apiError(message, clientVersion);
  }

  function begin(): Promise<unknown> {
    const sent = sendStatement(connection, level ? statementOf('', `BEGIN ISOLATION LEVEL ${level}`)([]) : BEGIN);
    // The first statement reports the same error.
    sent.catch(() => {});
    return sent;
  }

  function run(statement: Statement): Promise<Result> {
    return new Promise((resolve, reject) => {
      underWay++;
      connection.query(statement, (error, result) => {
        underWay--;
        if (error === null || error === undefined) return resolve(result);
        if (isBroken(error)) broken = true;
        reject(end === 'expired' ? refusal('query') : error);
      });
    });
  }

  async function finish(command: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    try {
      if (begun === undefined) return;
      if (broken) {
        if (command === 'ROLLBACK') return;
        throw apiError('The transaction was rolled back, because its connection failed.', clientVersion);
      }
      if (!pipelined) await begun;
      const done = await sendStatement(connection, END[command]);
      if (command === 'COMMIT' && done.command !== 'COMMIT')
        throw apiError('The transaction was rolled back, because one of its statements failed.', clientVersion);
    } catch (error) {
      if (isBroken(error) && !(error instanceof PrismaClientKnownRequestError)) broken = true;
      throw error;
    } finally {
      connection.release(broken);
    }
  }

  async function close(outcome: 'committed' | 'rolled back'): Promise<void> {
    const failure = await leave().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    clearTimeout(timer);
    if (end !== undefined) {
      if (outcome === 'committed') throw refusal('commit');
      return;
    }
    if (failure !== undefined && outcome === 'committed') {
      end = 'rolled back';
      await finish('ROLLBACK');
      throw failure.error;
    }
    end = outcome;
    await finish(outcome === 'committed' ? 'COMMIT' : 'ROLLBACK');
  }

  return {
    query(statement) {
      if (end !== undefined) return Promise.reject(refusal('query'));
      if (pipelined) writeTogether(connection);
      begun ??= begin();
      return pipelined ? run(statement) : begun.then(() => run(statement));
    },
    commit: () => close('committed'),
    rollback: () => close('rolled back'),
  };
}

function takeWithin(pool: PoolLike, maxWait: number, clientVersion: string): Promise<PoolConnection> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(apiError('Unable to start a transaction in the given time.', clientVersion));
    }, maxWait);
    takeConnection(pool).then(
      (connection) => {
        clearTimeout(timer);
        if (isLate) connection.release();
        else resolve(connection);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
