import type { Db } from '@accord-api/platform';
import { Failure } from '../calls.js';
import type { User } from '../models.js';

export const accounts = {
  /** @throws Failure CONFLICT while an order is being paid */
  async delete(db: Db, { id }: User) {
    if (await db.order.count({ where: { userId: id, status: 'PROCESSING' } }))
      throw new Failure('CONFLICT', 'An order of this user is being paid; try again when it is settled.');
    return db.user.delete({ where: { id } });
  },
};
