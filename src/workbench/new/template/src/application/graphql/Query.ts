// <books>
import { list, record } from '@accord-api/platform';
// </books>
import type { QueryRoutes } from '../../../generated/graphql.js';
// <books>
import { Book } from '../models.js';
// </books>
import { route } from '../routes.js';

export const Query: QueryRoutes = {
  // <books>
  book: route({ target: record(Book, 'id') }),
  books: route({ target: list(Book) }),
  // </books>
};
