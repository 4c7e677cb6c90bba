import { once } from 'node:events';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { eventually } from './process.js';
import { recordGraphql } from './recorder.js';
import type { Json, Person } from './service.js';

export const PROTOCOL = 'graphql-transport-ws';

export interface Dialled {
  socket: WebSocket;
  send: (message: object | string) => void;
  /** All that came and was not taken yet. */
  received: Json[];
  /** Takes the first message that fits, now or when it comes. Rejects once the socket is closed without one. */
  take: (fits: (message: Json) => boolean) => Promise<Json>;
  /** The code with which it was closed. */
  closed: Promise<number>;
}

export interface DialOptions {
  headers?: Record<string, string>;
  protocols?: string[];
}

/** A socket that speaks no protocol by itself. */
export async function dial(
  t: Test,
  url: string,
  { headers = {}, protocols = [PROTOCOL] }: DialOptions = {},
): Promise<Dialled> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, protocols, { headers });
  t.teardown(() => socket.terminate());
  const received: Json[] = [];
  const subscribed = new Map<string, Json>();
  socket.on('message', (data) => {
    const message: Json = JSON.parse(String(data));
    received.push(message);
    const request = subscribed.get(message.id);
    if (message.type === 'next' && request) recordGraphql(request, message.payload);
  });
  const closed = once(socket, 'close').then(([code]) => code as number);
  closed.catch(() => {});
  await once(socket, 'open');
  return {
    socket,
    received,
    closed,
    send: (message) => {
      const { type, id, payload } = message as Json;
      if (type === 'subscribe') subscribed.set(id, payload);
      socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    },
    take: (fits) =>
      eventually('a message', () => {
        const index = received.findIndex(fits);
        if (index < 0 && socket.readyState === WebSocket.CLOSED)
          throw new Error('It was closed without such a message.');
        return index < 0 ? undefined : received.splice(index, 1)[0];
      }),
  };
}

/** A socket that `connection_init` has opened for somebody. */
export async function dialAs(
  t: Test,
  url: string,
  person: Person,
  headers: Record<string, string> = {},
): Promise<Dialled> {
  const dialled = await dial(t, url, { headers });
  dialled.send({ type: 'connection_init', payload: { Authorization: person.headers['authorization'] } });
  await dialled.take(({ type }) => type === 'connection_ack');
  return dialled;
}

/** The bytes of an upgrade, for a connection that no library holds. */
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

/** The status with which an upgrade is refused. */
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
