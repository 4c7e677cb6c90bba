// <books>
import type { MutationResolvers } from '../../../generated/graphql.js';

export const Mutation: MutationResolvers = {
  createBook: (_parent, { input: { title, author, year } }, { call, services }) =>
    services.books.create(call, { title, author, year: year ?? null }),
  deleteBook: (_parent, { id }, { call, services }) => services.books.delete(call, Number(id)),
};
// </books>
