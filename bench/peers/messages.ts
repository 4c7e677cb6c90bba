import { EventEmitter } from 'node:events';
import type { RequestListener } from 'node:http';
import { readJson } from './users.js';

/** The measured part of Accord's GraphQL contract for live messages. */
export const typeDefs = `
  type Query { nothing: String }
  type Subscription { messageAdded(channelId: ID!): Message! }
  type Message { id: ID! text: String! }
`;

export interface Message {
  id: number;
  text: string;
}

/** Emits the messages of this process by channel. */
export const channels = new EventEmitter().setMaxListeners(0);

let last = 0;

/** Accepts `{ channelId, text }` and publishes a message. */
export const publishing =
  (publish: (channelId: string, message: Message) => void): RequestListener =>
  async (request, response) => {
    const { channelId, text } = await readJson<{ channelId: string; text: string }>(request);
    last += 1;
    publish(channelId, { id: last, text });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
  };
