import type { Prisma, TombstoneKind } from '../database/client.js';
import { Failure } from './errors.js';
import { isStorableId } from './pages.js';

/**
 * Tells what was deleted from what never was.
 * @param noun what the caller calls it
 * @throws Failure GONE where a tombstone stands, else NOT_FOUND
 */
export async function refuseAbsent(
  db: Prisma.TransactionClient,
  kind: TombstoneKind,
  id: number,
  noun: string,
): Promise<never> {
  const grave = isStorableId(id) && (await db.tombstone.findUnique({ where: { kind_id: { kind, id } } }));
  throw grave
    ? new Failure('GONE', `This ${noun} was deleted.`)
    : new Failure('NOT_FOUND', `There is no such ${noun}.`);
}
