import { once } from 'node:events';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import type { Json, Person } from './people.js';
import { eventually } from './process.js';

export const PROTOCOL = 'graphql-transport-ws';

export interface Dialled {
  socket: WebSocket;
  send: (message: object | string) => void;
  /** The messages that no `take` has removed. */
  received: Json[];
  /** Removes and returns the first matching message, or waits for it. Rejects when the socket closes without one. */
  take: (fits: (message: Json) => boolean) => Promise<Json>;
  /** The close code. */
  closed: Promise<number>;
}

export interface DialOptions {
  headers?: Record<string, string>;
  protocols?: string[];
}

/** Returns functions that open graphql-transport-ws sockets. @param observe receives each result and its operation */
export function dialler(observe: (operation: Json, result: Json) => void = () => {}) {
  /** Opens a socket without `connection_init`. */
  async function dial(
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
      if (message.type === 'next' && request) observe(request, message.payload);
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

  /** Opens a socket and authenticates a person with `connection_init`. */
  async function dialAs(t: Test, url: string, person: Person, headers: Record<string, string> = {}): Promise<Dialled> {
    const dialled = await dial(t, url, { headers });
    dialled.send({ type: 'connection_init', payload: { Authorization: person.headers['authorization'] } });
    await dialled.take(({ type }) => type === 'connection_ack');
    return dialled;
  }

  return { dial, dialAs };
}
