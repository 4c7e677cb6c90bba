import { create, record, removal } from '@accord-api/platform';
import type { MutationRoutes } from '../../../generated/graphql.js';
import { Book, Loan } from '../models.js';
import { route } from '../routes.js';

export const Mutation: MutationRoutes = {
  borrowBook: route({
    target: record(Book, 'bookId'),
    handler: (_args, { db, actor, record: book, services }) => services.loans.borrow(db, book, actor.id),
  }),
  returnLoan: route({
    target: record(Loan, 'id'),
    handler: (_args, { db, record: loan, services }) => services.loans.giveBack(db, loan),
  }),
  createBook: route({
    target: create(Book),
    handler: ({ input }, { db, actor }) => db.book.create({ data: { ...input, ownerId: actor.id } }),
  }),
  deleteBook: route({ target: removal(Book, 'id') }),
};
