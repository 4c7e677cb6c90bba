// <books>
import { page } from 'accord';
// </books>
import type { QueryResolvers } from '../../../generated/graphql.js';

export const Query: QueryResolvers = {
  me: (_parent, _args, { call, services }) => services.users.me(call),
  // <books>
  book: (_parent, { id }, { call, services }) => services.books.get(call, Number(id)),
  books: async (_parent, args, { call, services }) => (await services.books.list(call, page(args))).items,
  // </books>
};
