import Fastify from 'fastify';
import mercurius, { type PubSub } from 'mercurius';
import { ready } from './listening.js';
import { type Message, typeDefs } from './messages.js';

/** Mercurius with subscriptions over its emitter in memory. */
const app = Fastify();
await app.register(mercurius, {
  schema: typeDefs,
  subscription: true,
  resolvers: {
    Subscription: {
      messageAdded: {
        subscribe: (_root: unknown, { channelId }: { channelId: string }, { pubsub }: { pubsub: PubSub }) =>
          pubsub.subscribe(channelId),
      },
    },
  },
} as never);
let last = 0;
app.post('/publish', async ({ body }) => {
  const { channelId, text } = body as { channelId: string; text: string };
  last += 1;
  const messageAdded: Message = { id: last, text };
  await app.graphql.pubsub.publish({ topic: channelId, payload: { messageAdded } });
  return {};
});
await app.listen({ port: 0, host: '127.0.0.1' });
ready(app.server);
