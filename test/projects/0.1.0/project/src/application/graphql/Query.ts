import { caller, list, record } from '@accord-api/platform';
import type { QueryRoutes } from '../../../generated/graphql.js';
import { Book, Loan, User } from '../models.js';
import { route } from '../routes.js';

export const Query: QueryRoutes = {
  loans: route({ target: list(Loan) }),
  me: route({ target: caller(User) }),
  book: route({ target: record(Book, 'id') }),
  books: route({ target: list(Book) }),
};
