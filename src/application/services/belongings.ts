import type { Belongings } from 'accord';
import { Failure } from '../calls.js';

/** An account takes its posts, comments, messages and orders with it, unless an order is being paid. */
export const belongings: Belongings = {
  async refuse(db, userId) {
    if (await db.order.count({ where: { userId, status: 'PROCESSING' } })) {
      throw new Failure('CONFLICT', 'An order of this user is being paid; try again when it is settled.');
    }
  },
  async entomb(db, userId) {
    // The posts first, so that nobody adds a comment which would go without a tombstone.
    await db.$executeRaw`SELECT 1 FROM posts WHERE author_id = ${userId} ORDER BY id FOR UPDATE`;
    await db.$executeRaw`
      WITH comment AS (
        SELECT id FROM comments
        WHERE author_id = ${userId} OR post_id IN (SELECT id FROM posts WHERE author_id = ${userId})
        ORDER BY id FOR UPDATE
      ), message AS (SELECT id FROM messages WHERE author_id = ${userId} ORDER BY id FOR UPDATE)
      INSERT INTO tombstones (kind, id)
      SELECT 'ORDER'::tombstone_kind, id FROM orders WHERE user_id = ${userId}
      UNION ALL SELECT 'POST', id FROM posts WHERE author_id = ${userId}
      UNION ALL SELECT 'MESSAGE', id FROM message
      UNION ALL SELECT 'COMMENT', id FROM comment
      ON CONFLICT DO NOTHING`;
  },
};
