// <books>
import { stream } from 'accord';
import type { SubscriptionRoutes } from '../../../generated/graphql.js';
import { Book } from '../models.js';
import { route } from '../routes.js';

export const Subscription: SubscriptionRoutes = {
  bookAdded: route({ target: stream(Book) }),
};
// </books>
