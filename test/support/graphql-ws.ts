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

/** Opens a graphql-transport-ws socket without `connection_init`. */
export async function dial(
  t: Test,
  url: string,
  { headers = {}, protocols = [PROTOCOL] }: DialOptions = {},
): Promise<Dialled> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, protocols, { headers });
  t.teardown(() => socket.terminate());
  const received: Json[] = [];
  socket.on('message', (data) => received.push(JSON.parse(String(data))));
  const closed = once(socket, 'close').then(([code]) => code as number);
  closed.catch(() => {});
  await once(socket, 'open');
  return {
    socket,
    received,
    closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
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
