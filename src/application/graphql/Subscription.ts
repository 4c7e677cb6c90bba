import { stream } from '@accord-api/platform';
import type { SubscriptionRoutes } from '../../../generated/graphql.js';
import { Message } from '../models.js';
import { route } from '../routes.js';

export const Subscription: SubscriptionRoutes = {
  messageAdded: route({ target: stream(Message) }),
};
