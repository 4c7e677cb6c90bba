import { type ActionOf, authorise, authoriseRole, type Call, type Policy } from '../calls/access.js';
import { type Conditions, decide } from '../calls/conditions.js';
import { isStorableId } from '../calls/pages.js';
import { absent, type Departure, entomb, type Model, refuseAbsent } from '../calls/tombstones.js';
import { Prisma } from '../database/client.js';
import type { Sql, Transactions } from '../database/statement.js';
import { writing } from './writing.js';

/** A model as the database has it. */
export interface StoredModel<Row> extends Model {
  /** Its name in the database. */
  readonly table: string;
  /** What of a row is read before it is written, in SQL: `id, author_id AS "authorId"`. */
  readonly columns: Prisma.Sql;
  /** The id of the user whom a row belongs to; left out where nothing is owned. */
  readonly ownerOf?: (row: Row) => number;
  /** What its deletion deletes as well, by references. */
  readonly takesAlong?: (id: number) => readonly Departure[];
}

/**
 * Writes to rows of which only the id is known. Who may not do it to anything is told so whether or not the row exists; all
 * else is decided by the row as it is stored, which is locked until it is written.
 * @param on what carries the transactions: prepared statements, or Prisma's client
 */
export function storedRows<Row, Db extends Sql = Sql>(
  on: Transactions<Db>,
  { table, columns, ownerOf, takesAlong, ...model }: StoredModel<Row>,
) {
  const from = Prisma.raw(`"${table}"`);

  async function locked(db: Sql, id: number): Promise<Row | undefined> {
    if (!isStorableId(id)) return undefined;
    const [row] = await db.$queryRaw<Row[]>`SELECT ${columns} FROM ${from} WHERE id = ${id} FOR UPDATE`;
    return row;
  }

  /** @param refuseMissing throws what a row is answered that is not there */
  const deciding = <R, Rules extends Policy>(
    call: Call<Rules>,
    action: NoInfer<ActionOf<Rules>>,
    id: number,
    conditions: Conditions<Row, Db>,
    refuseMissing: (db: Db) => Promise<never>,
    write: (db: Db, row: Row) => Promise<R>,
  ): Promise<R> => {
    authoriseRole(call, action);
    return writing(on, call, { action }, async (db, standing) => {
      const row = (await locked(db, id)) ?? (await refuseMissing(db));
      authorise(standing.call, action, ownerOf?.(row));
      await decide(db, call, row, conditions);
      return write(db, row);
    });
  };

  return {
    /**
     * @param write changes the row, given as it was; of a model that counts its versions by `asNextVersion`
     * @returns what `write` returns
     * @throws Failure FORBIDDEN, NOT_FOUND, GONE, and what the conditions throw
     */
    change: async <R, Rules extends Policy>(
      call: Call<Rules>,
      action: NoInfer<ActionOf<Rules>>,
      id: number,
      write: (db: Db, row: Row) => Promise<R>,
      conditions: Conditions<Row, Db> = {},
    ): Promise<R> => deciding(call, action, id, conditions, (db) => refuseAbsent(db, model, id), write),

    /**
     * Deletes a row with what goes along, and leaves tombstones.
     * @returns the row as it was
     * @throws Failure FORBIDDEN, NOT_FOUND (also when it was deleted before), and what the conditions throw
     */
    delete: async <Rules extends Policy>(
      call: Call<Rules>,
      action: NoInfer<ActionOf<Rules>>,
      id: number,
      conditions: Conditions<Row, Db> = {},
    ): Promise<Row> => {
      const refuseMissing = () => Promise.reject(absent(model));
      return deciding(call, action, id, conditions, refuseMissing, async (db, row) => {
        await entomb(db, [{ model, ids: id }, ...(takesAlong?.(id) ?? [])]);
        await db.$executeRaw`DELETE FROM ${from} WHERE id = ${id}`;
        return row;
      });
    },
  };
}
