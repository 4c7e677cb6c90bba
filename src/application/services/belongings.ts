import { type Belongings, entomb } from 'accord';
import { Prisma } from '../../../generated/prisma/client.js';
import { Failure } from '../calls.js';
import { Comment as COMMENT, Message as MESSAGE, Order as ORDER, Post as POST } from '../models.js';

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
    const posts = Prisma.sql`SELECT id FROM posts WHERE author_id = ${userId}`;
    await entomb(db, [
      { model: ORDER, ids: Prisma.sql`SELECT id FROM orders WHERE user_id = ${userId}` },
      { model: POST, ids: posts },
      { model: MESSAGE, ids: Prisma.sql`SELECT id FROM messages WHERE author_id = ${userId} ORDER BY id FOR UPDATE` },
      {
        model: COMMENT,
        ids: Prisma.sql`
          SELECT id FROM comments WHERE author_id = ${userId} OR post_id IN (${posts}) ORDER BY id FOR UPDATE`,
      },
    ]);
  },
};
