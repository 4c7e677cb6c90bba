import { stream } from '@accord-api/platform';
import type { SubscriptionRoutes } from '../../../generated/graphql.js';
import { Book } from '../models.js';
import { route } from '../routes.js';

export const Subscription: SubscriptionRoutes = {
  bookAdded: route({ target: stream(Book) }),
};
