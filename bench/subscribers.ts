import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** Subscribers in a process of their own. Each message is published after all of them have received the one before. */

export interface Subscribers {
  url: string;
  count: number;
  channelId: string;
  /** The callers in turn, because one user may not have so many sockets. */
  authorizations: (string | undefined)[];
}

export interface Publication {
  /** The address and the body of a publication, with `{n}` for the text. */
  url: string;
  headers: Record<string, string>;
  body: string;
  messages: number;
}

export interface Delivered {
  /** The data of the first message. */
  data: unknown;
  seconds: number;
}

const QUERY = 'subscription($channelId: ID!) { messageAdded(channelId: $channelId) { id text } }';
/** The number of sockets that are opened at a time. */
const AT_ONCE = 50;
/** Milliseconds before a rejected socket is opened again. */
const RETRY_DELAY_MS = 50;

const sockets: WebSocket[] = [];
let received = 0;
let first: unknown;
let answered: (() => void) | undefined;

async function subscribe(url: string, channelId: string, authorization: string | undefined): Promise<void> {
  const headers = authorization === undefined ? {} : { authorization };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  sockets.push(socket);
  await once(socket, 'open');
  const acknowledged = once(socket, 'message');
  socket.send('{"type":"connection_init"}');
  await acknowledged;
  socket.on('message', (data: Buffer) => {
    received += 1;
    first ??= JSON.parse(String(data));
    answered?.();
  });
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: QUERY, variables: { channelId } } }));
}

async function open({ url, count, channelId, authorizations }: Subscribers): Promise<void> {
  for (const socket of sockets.splice(0)) socket.terminate();
  first = undefined;
  for (let i = 0; i < count; i += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - i) }, (_, j) =>
      subscribe(url, channelId, authorizations[(i + j) % authorizations.length]),
    );
    await Promise.all(some);
  }
}

async function post(url: string, headers: Record<string, string>, body: string): Promise<void> {
  const sent = { 'content-type': 'application/json', ...headers };
  const response = await fetch(url, { method: 'POST', headers: sent, body });
  const text = await response.text();
  if (response.ok && !text.includes('"errors"')) return;
  if (!text.includes('"UNAVAILABLE"')) throw new Error(text);
  await delay(RETRY_DELAY_MS);
  await post(url, headers, body);
}

async function publish({ url, headers, body, messages }: Publication): Promise<Delivered> {
  const began = performance.now();
  for (let n = 0; n < messages; n += 1) {
    received = 0;
    const all = new Promise<void>((resolve) => {
      answered = () => received === sockets.length && resolve();
    });
    await post(url, headers, body.replace('{n}', `Message ${n}`));
    await all;
  }
  const { payload } = first as { payload?: { data?: unknown } };
  return { data: payload?.data, seconds: (performance.now() - began) / 1000 };
}

process.on('message', async (task: { open: Subscribers } | { publish: Publication } | { close: true }) => {
  if ('open' in task) await open(task.open);
  if ('close' in task) for (const socket of sockets.splice(0)) socket.terminate();
  process.send?.('publish' in task ? await publish(task.publish) : { done: true });
});
