import { list, record } from '@accord-api/platform';
import * as Contract from '../../../generated/operations.js';
import { Book, Loan } from '../models.js';
import { route } from '../routes.js';

const represent = ({ id, bookId, borrowerId, createdAt, returnedAt }: Loan): Contract.Loan => ({
  ...{ id, bookId, borrowerId },
  createdAt: createdAt.toISOString(),
  returnedAt: returnedAt?.toISOString() ?? null,
});

export const loans = Contract.loansHandlers({
  listLoans: route({
    target: list(Loan),
    reply: ({ items }) => ({ status: 200, body: items.map(represent) }) as const,
  }),
  borrowBook: route({
    target: record(Book, 'book_id'),
    handler: (_request, { db, actor, record: book, services }) => services.loans.borrow(db, book, actor.id),
    reply: (loan) => ({ status: 201, body: represent(loan) }) as const,
  }),
  returnLoan: route({
    target: record(Loan, 'loan_id'),
    handler: (_request, { db, record: loan, services }) => services.loans.giveBack(db, loan),
    reply: (loan) => ({ status: 200, body: represent(loan) }) as const,
  }),
});
