import { once } from 'node:events';
import { WebSocket } from 'ws';
import { PROTOCOL } from './graphql-ws.js';

export { type Dialled, dial, dialAs, PROTOCOL } from './graphql-ws.js';

/** The bytes of an upgrade request. */
export const UPGRADE = [
  'GET /graphql HTTP/1.1',
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  `Sec-WebSocket-Protocol: ${PROTOCOL}`,
  '\r\n',
].join('\r\n');

/** Returns the status of a rejected upgrade. */
export async function refusedUpgrade(url: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(url.replace('http', 'ws'), [PROTOCOL], { headers });
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  socket.terminate();
  return response.statusCode;
}

export const SUBSCRIBE = `subscription($channelId: ID!, $since: ID) {
  messageAdded(channelId: $channelId, since: $since) { id text author { name } }
}`;

export const ADD = `mutation($channelId: ID!, $text: String!) { addMessage(channelId: $channelId, text: $text) { id } }`;
