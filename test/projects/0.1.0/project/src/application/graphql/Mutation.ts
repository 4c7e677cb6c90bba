import { create, removal } from '@accord-api/platform';
import type { MutationRoutes } from '../../../generated/graphql.js';
import { Book } from '../models.js';
import { route } from '../routes.js';

export const Mutation: MutationRoutes = {
  createBook: route({
    target: create(Book),
    handler: ({ input }, { db, actor }) => db.book.create({ data: { ...input, ownerId: actor.id } }),
  }),
  deleteBook: route({ target: removal(Book, 'id') }),
};
