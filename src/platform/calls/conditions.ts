import type { Prisma } from '../database/client.js';
import type { Sql } from '../database/statement.js';
import type { Call } from './access.js';

/** A row that counts the changes of what a representation shows. */
export interface Versioned {
  readonly id: number;
  readonly version: number;
}

/** What may refuse a write once its row is loaded and cannot change any more. */
export interface Conditions<Row, Db extends Sql = Prisma.TransactionClient> {
  /** Throws PRECONDITION_FAILED when the row is not as the caller has seen it (RFC 9110 §13.1.1); see `ifMatch`. */
  readonly matches?: ((row: Row) => void) | undefined;
  /** Throws another Failure, CONFLICT as a rule, where it does not permit the write. */
  readonly refuse?: ((db: Db, row: Row) => Promise<void>) | undefined;
}

/**
 * Lets a write of a row begin, or refuses it in the order of failures: who is behind cannot judge a conflict, and the content
 * and the rate come last.
 * @param row is held by `db` until its transaction ends
 */
export async function decide<Row, Db extends Sql>(
  db: Db,
  call: Pick<Call, 'checkpoint'>,
  row: Row,
  { matches, refuse }: Conditions<Row, Db>,
): Promise<void> {
  matches?.(row);
  await refuse?.(db, row);
  await call.checkpoint();
}

/** Changes of a row, and that it is another version by them: written in one statement. */
export const asNextVersion = <Changes extends object>(changes: Changes) => ({ ...changes, version: { increment: 1 } });
