import { on } from 'node:events';
import { createServer } from 'node:http';
import { buildSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { listen } from './listening.js';
import { channels, type Message, publishing, typeDefs } from './messages.js';

/** graphql-ws with ws and graphql-js: one execution per subscriber and message. */
const schema = buildSchema(typeDefs);
const field = schema.getSubscriptionType()?.getFields()['messageAdded'];
if (field === undefined) throw new Error('The schema has lost its subscription.');
field.subscribe = async function* (_: unknown, { channelId }: { channelId: string }) {
  for await (const [message] of on(channels, channelId)) yield { messageAdded: message as Message };
};

const server = createServer(publishing((channelId, message) => channels.emit(channelId, message)));
useServer({ schema }, new WebSocketServer({ server, path: '/graphql' }));
listen(server);
