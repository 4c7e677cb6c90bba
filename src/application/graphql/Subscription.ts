import type { SubscriptionResolvers } from '../../../generated/graphql.js';
import type { Message } from '../services/messages.js';

export const Subscription: SubscriptionResolvers = {
  messageAdded: {
    subscribe: (_parent, { channelId, since }, { call, services }) =>
      services.messages.follow(call, channelId, since == null ? undefined : Number(since)),
    resolve: (message: Message) => message,
  },
};
