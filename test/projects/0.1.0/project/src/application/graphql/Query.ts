import { caller, list, record } from '@accord-api/platform';
import type { QueryRoutes } from '../../../generated/graphql.js';
import { Book, User } from '../models.js';
import { route } from '../routes.js';

export const Query: QueryRoutes = {
  me: route({ target: caller(User) }),
  book: route({ target: record(Book, 'id') }),
  books: route({ target: list(Book) }),
};
