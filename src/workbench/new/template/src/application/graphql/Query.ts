// <books>
import { caller, list, record } from '@accord-api/platform';
// </books>
import type { QueryRoutes } from '../../../generated/graphql.js';
// <books>
import { Book, User } from '../models.js';
// </books>
import { route } from '../routes.js';

export const Query: QueryRoutes = {
  me: route({ target: caller(User) }),
  // <books>
  book: route({ target: record(Book, 'id') }),
  books: route({ target: list(Book) }),
  // </books>
};
