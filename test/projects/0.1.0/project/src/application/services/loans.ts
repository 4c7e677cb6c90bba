import type { Db } from '@accord-api/platform';
import { Failure } from '../calls.js';
import type { Book, Loan } from '../models.js';

export const loans = {
  /** @throws Failure CONFLICT while somebody has the book */
  async borrow(db: Db, { id: bookId }: Book, borrowerId: number): Promise<Loan> {
    if (await db.loan.findFirst({ where: { bookId, returnedAt: null } }))
      throw new Failure('CONFLICT', 'The book is on loan.');
    return db.loan.create({ data: { bookId, borrowerId } });
  },

  /** @throws Failure CONFLICT for a book that was returned before */
  async giveBack(db: Db, { id, returnedAt }: Loan): Promise<Loan> {
    if (returnedAt !== null) throw new Failure('CONFLICT', 'This book has been returned.');
    return db.loan.update({ where: { id }, data: { returnedAt: new Date() } });
  },
};
