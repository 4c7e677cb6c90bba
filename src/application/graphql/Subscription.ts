import type { SubscriptionResolvers } from '../../../generated/graphql.js';
import { ChannelSource } from '../../platform/live/channel-source.js';
import type { Message } from '../services/messages.js';

export const Subscription: SubscriptionResolvers = {
  messageAdded: {
    subscribe: async (_parent, { channelId, since }, { call, services }) => {
      await services.messages.subscribe(call);
      return new ChannelSource(channelId, since == null ? undefined : Number(since));
    },
    resolve: (message: Message) => message,
  },
};
