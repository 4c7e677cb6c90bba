// <books>
import type { SubscriptionResolvers } from '../../../generated/graphql.js';
import type { Book } from '../services/books.js';

export const Subscription: SubscriptionResolvers = {
  bookAdded: {
    subscribe: (_parent, { since }, { call, services }) =>
      services.books.follow(call, since == null ? undefined : Number(since)),
    resolve: (book: Book) => book,
  },
};
// </books>
