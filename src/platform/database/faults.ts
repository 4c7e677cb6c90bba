/**
 * What the database refused or failed at, whichever driver says it. `constraint` is the name of the unique index,
 * `users_email_key_key`.
 */
export type DatabaseFault =
  | { kind: 'unique'; constraint: string }
  | { kind: 'reference' }
  | { kind: 'not-found' }
  | { kind: 'unavailable' }
  /** Reached, and it lets nobody in: a wrong password, no such database. No wait helps. */
  | { kind: 'denied' }
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
  '28': 'denied',
  '3D': 'denied',
  '40001': 'serialization',
  '40P01': 'serialization',
  '53': 'unavailable',
  '53100': 'storage-full',
  '55P03': 'timeout',
  '57014': 'timeout',
  '57P': 'unavailable',
};

/** Codes of Prisma itself; and of Node's sockets, which the adapter lets through for a host with two addresses. */
const byCode: Record<string, Kind> = {
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
};

/** Of Prisma's driver adapters, for what comes from no SQLSTATE: the socket under the connection. */
const byAdapterKind: Record<string, Kind> = {
  ConnectionClosed: 'unavailable',
  DatabaseNotReachable: 'unavailable',
  SocketTimeout: 'timeout',
  TlsConnectionError: 'unavailable',
};

/** Errors of pg, pg-pool and our own that have no code; Prisma passes them on as they are. */
const byMessage: Record<string, Kind> = {
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

/** Whose `cause` is the database's: another library's, a lost socket to elsewhere, is no fault of it. */
const WRAPPERS = /^(Prisma|DriverAdapterError|DatabaseNotOpened)/;

interface Thrown {
  name?: unknown;
  code?: unknown;
  message?: unknown;
  meta?: { driverAdapterError?: unknown };
  cause?: unknown;
  /** Of a driver adapter. */
  kind?: unknown;
  originalCode?: unknown;
  originalMessage?: unknown;
  /** The name, of pg; of a driver adapter an object. */
  constraint?: string | { index?: string };
}

/**
 * What was thrown, and what it was thrown because of, the innermost first: it knows best. Prisma keeps the driver's account in
 * `meta`, of raw statements as well; from a failed COMMIT it comes bare.
 */
function causesOf(error: unknown, outer: Thrown[] = []): Thrown[] {
  if (typeof error !== 'object' || error === null || outer.includes(error)) return outer;
  const { name, meta, cause } = error as Thrown;
  const inner = meta?.driverAdapterError ?? (WRAPPERS.test(String(name)) ? cause : undefined);
  return causesOf(inner, [error as Thrown, ...outer]);
}

const kindOf = ({ originalCode, code, kind, message }: Thrown): Kind | undefined =>
  ofSqlState(originalCode) ??
  byCode[String(code)] ??
  ofSqlState(code) ??
  byAdapterKind[String(kind)] ??
  byMessage[String(message)];

/** Classifies anything that was thrown; what is no error of the database is `unknown`. */
export function faultOf(error: unknown): DatabaseFault {
  const causes = causesOf(error);
  const found = causes.find((one) => kindOf(one) !== undefined);
  const kind = (found && kindOf(found)) ?? 'unknown';
  if (kind !== 'unique') return { kind };
  const named = causes.map(({ constraint }) => (typeof constraint === 'string' ? constraint : constraint?.index));
  return { kind, constraint: named.find((one) => one !== undefined) ?? '' };
}

/** Why, for an operator, on one line: in the words of whoever knows best. */
export function reasonOf(error: unknown): string {
  if (error instanceof DatabaseNotOpened) return error.message;
  const [innermost] = causesOf(error);
  const said = String(innermost?.originalMessage ?? innermost?.message ?? innermost?.kind ?? error);
  const [last = said] = said.trim().split('\n').slice(-1);
  return faultOf(error).kind === 'timeout' ? `${last} (a slow server, or a table that is locked)` : last;
}

function ofSqlState(code: unknown): Kind | undefined {
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return undefined;
  return bySqlState[code] ?? bySqlState[code.slice(0, 3)] ?? bySqlState[code.slice(0, 2)];
}

/** A row was written that names another one which is not there, or not any more. */
export const isReferenceViolation = (error: unknown): boolean => faultOf(error).kind === 'reference';
