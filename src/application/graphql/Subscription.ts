import { list } from 'accord';
import { Message } from '../models.js';
import { type FieldsOf, route } from '../routes.js';

export const Subscription: FieldsOf<'Subscription'> = {
  messageAdded: route({
    target: list(Message),
    handler: ({ channelId, since }, { db }) => db.follow(Message, channelId, since == null ? undefined : Number(since)),
  }),
};
