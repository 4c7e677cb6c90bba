/**
 * What the database refused or failed at, whichever driver says it. `constraint` is the name of the unique index,
 * `users_email_key_key`.
 */
export type DatabaseFault =
  | { kind: 'unique'; constraint: string }
  | { kind: 'reference' }
  | { kind: 'not-found' }
  | { kind: 'unavailable' }
  | { kind: 'storage-full' }
  | { kind: 'timeout' }
  | { kind: 'serialization' }
  | { kind: 'unknown' };

type Kind = DatabaseFault['kind'];

/** The database could not be opened; the cause is the driver's error, which `faultOf` classifies. */
export class DatabaseNotOpened extends Error {
  override name = 'DatabaseNotOpened';
}

/** SQLSTATE (PostgreSQL, appendix A), by the longest prefix that is listed. */
const bySqlState: Record<string, Kind> = {
  '08': 'unavailable',
  '23503': 'reference',
  '23505': 'unique',
  '25006': 'unavailable', // read-only: a standby that has not been promoted yet
  '25P03': 'timeout',
  '28': 'unavailable',
  '3D': 'unavailable',
  '40001': 'serialization',
  '40P01': 'serialization',
  '53': 'unavailable',
  '53100': 'storage-full',
  '55P03': 'timeout',
  '57014': 'timeout',
  '57P': 'unavailable',
};

/** Of Prisma, where no SQLSTATE comes with it; and of Node's sockets, which the adapter lets through for a host with two addresses. */
const byCode: Record<string, Kind> = {
  P1001: 'unavailable',
  P1002: 'unavailable',
  P1008: 'timeout',
  P1011: 'unavailable',
  P1017: 'unavailable',
  P2002: 'unique',
  P2003: 'reference',
  P2024: 'unavailable',
  P2025: 'not-found',
  P2028: 'timeout',
  P2034: 'serialization',
  P2037: 'unavailable',
  EAI_AGAIN: 'unavailable',
  ECONNREFUSED: 'unavailable',
  ECONNRESET: 'unavailable',
  EHOSTUNREACH: 'unavailable',
  ENETUNREACH: 'unavailable',
  ENOTFOUND: 'unavailable',
  EPIPE: 'unavailable',
  ETIMEDOUT: 'unavailable',
};

/** Errors of pg, pg-pool and PGlite that have no code; Prisma passes them on as they are. */
const byMessage: Record<string, Kind> = {
  'Query read timeout': 'timeout',
  'timeout exceeded when trying to connect': 'unavailable',
  'Connection terminated': 'unavailable',
  'Connection terminated unexpectedly': 'unavailable',
  'Connection terminated due to connection timeout': 'unavailable',
  'Client has encountered a connection error and is not queryable': 'unavailable',
  'Client was closed and is not queryable': 'unavailable',
  'Cannot use a pool after calling end on the pool': 'unavailable',
  'The database is closed.': 'unavailable',
  'PGlite is closing': 'unavailable',
  'PGlite is closed': 'unavailable',
};

interface Thrown {
  code?: unknown;
  message?: unknown;
  meta?: { driverAdapterError?: { cause?: DriverCause } };
  cause?: DriverCause;
}

interface DriverCause {
  originalCode?: unknown;
  originalMessage?: unknown;
  constraint?: { index?: string };
}

/** Classifies anything that was thrown; what is no error of the database is `unknown`. */
export function faultOf(error: unknown): DatabaseFault {
  if (error instanceof DatabaseNotOpened) return faultOf(error.cause);
  if (!(error instanceof Error)) return { kind: 'unknown' };
  const { code, message, meta, cause: outer } = error as Thrown;
  // Prisma puts the driver's account into `meta`; from a failed COMMIT it comes bare.
  const driver = meta?.driverAdapterError?.cause ?? (error.name === 'DriverAdapterError' ? outer : undefined);
  const kind =
    ofSqlState(driver?.originalCode) ??
    byCode[String(code)] ??
    ofSqlState(code) ??
    byMessage[String(message)] ??
    'unknown';
  if (kind !== 'unique') return { kind };
  // The embedded driver tells the columns where the other tells the index; the message names it in both.
  const named = /"([^"]+)"/.exec(String(driver?.originalMessage ?? message))?.[1];
  return { kind, constraint: driver?.constraint?.index ?? named ?? '' };
}

function ofSqlState(code: unknown): Kind | undefined {
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return undefined;
  return bySqlState[code] ?? bySqlState[code.slice(0, 3)] ?? bySqlState[code.slice(0, 2)];
}

export const isUniqueViolation = (error: unknown): boolean => faultOf(error).kind === 'unique';

/** A row was written that names another one which is not there, or not any more. */
export const isReferenceViolation = (error: unknown): boolean => faultOf(error).kind === 'reference';
