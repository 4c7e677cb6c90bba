import { stream } from '@accord-api/platform';
import type { SubscriptionRoutes } from '../../../generated/graphql.js';
import { Book, Loan } from '../models.js';
import { route } from '../routes.js';

export const Subscription: SubscriptionRoutes = {
  loanAdded: route({ target: stream(Loan) }),
  bookAdded: route({ target: stream(Book) }),
};
