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

/**
 * Sets the tombstones of a user and of everything that goes with the account. Nothing personal is kept: answers that were
 * remembered of it are forgotten, while their idempotency keys stay used, so that a late retry makes nothing again. What goes
 * is locked first: the posts, so that nobody adds a comment which would go without a tombstone, then what others may be deleting.
 */
export async function entomb(db: Prisma.TransactionClient, userId: number): Promise<void> {
  await db.$executeRaw`SELECT 1 FROM posts WHERE author_id = ${userId} ORDER BY id FOR UPDATE`;
  await db.$executeRaw`
    WITH comment AS (
      SELECT id FROM comments
      WHERE author_id = ${userId} OR post_id IN (SELECT id FROM posts WHERE author_id = ${userId})
      ORDER BY id FOR UPDATE
    ), message AS (SELECT id FROM messages WHERE author_id = ${userId} ORDER BY id FOR UPDATE)
    INSERT INTO tombstones (kind, id)
    SELECT 'USER'::tombstone_kind, ${userId}::int
    UNION ALL SELECT 'ORDER', id FROM orders WHERE user_id = ${userId}
    UNION ALL SELECT 'POST', id FROM posts WHERE author_id = ${userId}
    UNION ALL SELECT 'MESSAGE', id FROM message
    UNION ALL SELECT 'COMMENT', id FROM comment
    ON CONFLICT DO NOTHING`;
  const forgotten = { answer: null, ownerId: null };
  await db.idempotencyKey.updateMany({ where: { ownerId: userId }, data: forgotten });
}
