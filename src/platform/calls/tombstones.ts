import { Prisma } from '../database/client.js';
import type { Sql } from '../database/statement.js';
import { Failure } from './errors.js';
import { isStorableId } from './pages.js';

/** A model whose rows have ids that are never given twice. */
export interface Model {
  /** Names it in tombstones, which outlast its rows: it stays as it is. */
  readonly kind: string;
  /** What callers call one of its rows. */
  readonly noun: string;
}

/** Rows of a model that are about to be deleted. */
export interface Departure {
  readonly model: Model;
  /** An id, or a query for a column `id`. It locks what others may be deleting as well. */
  readonly ids: number | Prisma.Sql;
}

/** Sets tombstones in one statement, which reads its queries in their order. */
export async function entomb(db: Sql, departures: readonly Departure[]): Promise<void> {
  const each = departures.map(({ model: { kind }, ids }) =>
    typeof ids === 'number'
      ? Prisma.sql`SELECT ${kind}::text, ${ids}::int`
      : Prisma.sql`SELECT ${kind}::text, id FROM (${ids}) AS departing`,
  );
  await db.$executeRaw`INSERT INTO tombstones (kind, id) ${Prisma.join(each, ' UNION ALL ')} ON CONFLICT DO NOTHING`;
}

/** Says nothing of whether it ever was: for a repeated deletion (docs/decisions.md, "Reading and writing over REST"). */
export const absent = ({ noun }: Model): Failure => new Failure('NOT_FOUND', `There is no such ${noun}.`);

/**
 * Tells what was deleted from what never was.
 * @throws Failure GONE where a tombstone stands, else NOT_FOUND
 */
export async function refuseAbsent(db: Sql, model: Model, id: number): Promise<never> {
  const { kind, noun } = model;
  const graves = isStorableId(id)
    ? await db.$queryRaw<object[]>`SELECT id FROM tombstones WHERE kind = ${kind} AND id = ${id}`
    : [];
  throw graves.length > 0 ? new Failure('GONE', `This ${noun} was deleted.`) : absent(model);
}

/**
 * What `find` finds by an id; it is not asked for one that no row can have.
 * @throws Failure NOT_FOUND, or GONE for what was deleted
 */
export async function existing<Row>(
  db: Sql,
  model: Model,
  id: number,
  find: () => Promise<Row | null | undefined>,
): Promise<Row> {
  const row = isStorableId(id) ? await find() : null;
  return row ?? refuseAbsent(db, model, id);
}
