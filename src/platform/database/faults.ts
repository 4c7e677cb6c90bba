/** Classifies errors of the database, and waits for a database that is unavailable. @module */

import { setTimeout as delay } from 'node:timers/promises';

/** `denied`: the server rejects the login, for a wrong password or a missing database. Retries do not help. */
type OtherKind =
  | 'reference'
  | 'not-found'
  | 'unavailable'
  | 'denied'
  | 'storage-full'
  | 'timeout'
  | 'serialization'
  /** An earlier statement of the transaction has failed. */
  | 'aborted'
  | 'unknown';
type FaultKind = OtherKind | 'unique';
/** The kind of a database error, for all drivers. `constraint` is the name of the unique index. */
export type DatabaseFault = { kind: OtherKind } | { kind: 'unique'; constraint: string };

/** Thrown if the database cannot be opened. `faultOf` classifies its cause. */
export class DatabaseNotOpened extends Error {
  override name = 'DatabaseNotOpened';
}

/** Thrown for a connection on which the service could not rely. */
export class UnusableSession extends Error {
  readonly code = 'UNUSABLE_SESSION';
}

/** SQLSTATE (PostgreSQL, appendix A). The longest prefix applies. */
const bySqlState: Record<string, FaultKind> = {
  '08': 'unavailable',
  '23001': 'reference', // ON DELETE RESTRICT, from PostgreSQL 18 on
  '23503': 'reference',
  '23505': 'unique',
  '25P02': 'aborted',
  '25006': 'unavailable', // read-only: see `isReadOnlyRefusal`
  '25P03': 'timeout',
  '28': 'denied',
  '3D': 'denied',
  '26000': 'serialization', // a prepared statement that the pooler has lost, and 42P05
  '40001': 'serialization',
  '40P01': 'serialization',
  '42P05': 'serialization',
  '53': 'unavailable',
  '53100': 'storage-full',
  '55P03': 'timeout',
  '57014': 'timeout',
  '57P': 'unavailable',
};

/** Codes of Prisma, and of Node's sockets, which the adapter passes on for a host with two addresses. */
const byCode: Record<string, FaultKind> = {
  P2025: 'not-found',
  P2028: 'timeout',
  EAI_AGAIN: 'unavailable',
  ECONNREFUSED: 'unavailable',
  ECONNRESET: 'unavailable',
  EHOSTUNREACH: 'unavailable',
  ENETUNREACH: 'unavailable',
  ENOTFOUND: 'unavailable',
  EPIPE: 'unavailable',
  ETIMEDOUT: 'unavailable',
  UNUSABLE_SESSION: 'denied',
};

/** Kinds of Prisma's driver adapters for errors without SQLSTATE. */
const byAdapterKind: Record<string, FaultKind> = {
  ConnectionClosed: 'unavailable',
  DatabaseNotReachable: 'unavailable',
  SocketTimeout: 'timeout',
  TlsConnectionError: 'unavailable',
};

/** Errors without a code of `pg`, of pg-pool and of the platform. */
const byMessage: Record<string, FaultKind> = {
  'Query read timeout': 'timeout',
  'timeout expired': 'unavailable',
  'timeout exceeded when trying to connect': 'unavailable',
  'Connection terminated': 'unavailable',
  'Connection terminated unexpectedly': 'unavailable',
  'Connection terminated due to connection timeout': 'unavailable',
  'Client has encountered a connection error and is not queryable': 'unavailable',
  'Client was closed and is not queryable': 'unavailable',
  'Cannot use a pool after calling end on the pool': 'unavailable',
  'The database is closed.': 'unavailable',
};

/** Messages of PgBouncer, whose errors all have SQLSTATE 08P01, that do not pass by themselves. */
const DENIED_BY_POOLER =
  /startup parameter|does not exist|authentication failed|no such (user|database)|login rejected|statement pooling|is disabled|SSL required/;

/** Errors whose `cause` is an error of the database. */
const WRAPPERS = /^(Prisma|DriverAdapterError|DatabaseNotOpened)/;

interface Thrown {
  name?: unknown;
  code?: unknown;
  message?: unknown;
  meta?: { driverAdapterError?: unknown };
  cause?: unknown;
  kind?: unknown;
  originalCode?: unknown;
  originalMessage?: unknown;
  /** `pg` sets a name, and a driver adapter sets an object. */
  constraint?: string | { index?: string };
}

/** Returns the error and its causes, innermost first. Prisma stores the error of the driver in `meta`. */
function causesOf(error: unknown, outer: Thrown[] = []): Thrown[] {
  if (typeof error !== 'object' || error === null || outer.includes(error)) return outer;
  const { name, meta, cause } = error as Thrown;
  const inner = meta?.driverAdapterError ?? (WRAPPERS.test(String(name)) ? cause : undefined);
  return causesOf(inner, [error as Thrown, ...outer]);
}

const kindOf = ({ originalCode, code, kind, message }: Thrown): FaultKind | undefined =>
  (code === '08P01' && DENIED_BY_POOLER.test(String(message)) ? 'denied' : undefined) ??
  ofSqlState(originalCode) ??
  byCode[String(code)] ??
  ofSqlState(code) ??
  byAdapterKind[String(kind)] ??
  byMessage[String(message)];

/** Classifies a thrown value. Returns `unknown` for errors that do not come from the database. */
export function faultOf(error: unknown): DatabaseFault {
  const causes = causesOf(error);
  const found = causes.find((cause) => kindOf(cause) !== undefined);
  const kind = (found && kindOf(found)) ?? 'unknown';
  if (kind !== 'unique') return { kind };
  const named = causes.map(({ constraint }) => (typeof constraint === 'string' ? constraint : constraint?.index));
  return { kind, constraint: named.find((constraint) => constraint !== undefined) ?? '' };
}

/** Returns true for an error that an outage of the database causes. */
export const isOutage = (error: unknown): boolean => ['unavailable', 'denied', 'timeout'].includes(faultOf(error).kind);

/** Returns true if a write was refused by a standby, or by `default_transaction_read_only`. */
export const isReadOnlyRefusal = (error: unknown): boolean =>
  causesOf(error).some(({ code, originalCode }) => (originalCode ?? code) === '25006');

/** Returns the innermost message in one line, for operators. */
export function reasonOf(error: unknown): string {
  if (error instanceof DatabaseNotOpened) return error.message;
  const [innermost] = causesOf(error);
  const said = String(innermost?.originalMessage ?? innermost?.message ?? innermost?.kind ?? error);
  const [last = said] = said.trim().split('\n').slice(-1);
  return faultOf(error).kind === 'timeout' ? `${last} (a slow server, or a table that is locked)` : last;
}

function ofSqlState(code: unknown): FaultKind | undefined {
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return undefined;
  return bySqlState[code] ?? bySqlState[code.slice(0, 3)] ?? bySqlState[code.slice(0, 2)];
}

/** Milliseconds between attempts, and for all attempts. */
const PAUSE_MS = 500;
const RETRY_LIMIT_MS = 30_000;

const SLOW_MS = 3000;

/** Faults that may pass, such as a starting or busy server. */
const TRANSIENT = new Set(['unavailable', 'timeout', 'serialization']);

export async function reportIfSlow<T>(message: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => console.warn(message), SLOW_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Repeats the work while the database is unavailable. Prints the reason once.
 * @throws DatabaseNotOpened after RETRY_LIMIT_MS; other errors immediately
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + RETRY_LIMIT_MS;
  for (let isReported = false; ; isReported = true) {
    try {
      return await work();
    } catch (error) {
      if (!TRANSIENT.has(faultOf(error).kind)) throw error;
      if (performance.now() + PAUSE_MS > end) {
        const waited = `Waited ${RETRY_LIMIT_MS / 1000} s for the database. ${reasonOf(error)}`;
        throw new DatabaseNotOpened(waited, { cause: error });
      }
      if (!isReported) console.warn(`Waiting up to ${RETRY_LIMIT_MS / 1000} s for the database. ${reasonOf(error)}`);
      await delay(PAUSE_MS);
    }
  }
}
