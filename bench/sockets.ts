import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { DEMO, graphql, startMeasured } from './server.js';

/**
 * Measures the memory of sockets on the server: a reader that stalls during thousands of messages, thousands of sockets
 * that connect, subscribe and close, and the close codes of sockets that their clients close early.
 */
const SUBSCRIBE = 'subscription($channelId: ID!) { messageAdded(channelId: $channelId) { id text } }';
const ADD = 'mutation($channelId: ID!, $text: String!) { addMessage(channelId: $channelId, text: $text) { id } }';
const MESSAGES = 10_000;
const CYCLES = 10_000;
const AT_ONCE = 10;
/** The moments at which a client closes its socket, and the number of clients. */
const MOMENTS = ['open', 'init', 'shortly', 'ack'] as const;
const CLIENTS = [50, 200];

const server = await startMeasured({ RATE_LIMIT: '100000000', RATE_CEILING: '1000000000' });
const mebibytes = () => `${Math.round(server.rss())} MiB`;

/** Opens a socket with one subscription. `received` counts its messages; `closed` is its close code. */
async function subscriber(channelId: string) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { authorization: DEMO },
  });
  const state = { socket, received: 0, closed: once(socket, 'close').then(([code]) => code as number) };
  let acknowledged = () => {};
  const ready = new Promise<void>((resolve) => {
    acknowledged = resolve;
  });
  socket.on('message', (data) => {
    const { type } = JSON.parse(String(data)) as { type: string };
    if (type === 'connection_ack') acknowledged();
    if (type === 'next') state.received += 1;
  });
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await ready;
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: SUBSCRIBE, variables: { channelId } } }));
  return state;
}

/** Adds a message, and waits while the service is overloaded, because the load is not measured. */
async function add(text: string): Promise<void> {
  for (;;) {
    const added = await graphql(server.url, ADD, { channelId: 'busy', text }).catch((error: Error) => error);
    if (!(added instanceof Error)) return;
    if (!added.message.includes('overloaded')) throw added;
    await delay(500);
  }
}

async function stalledReader(): Promise<void> {
  const readers = await Promise.all(Array.from({ length: 5 }, () => subscriber('busy')));
  const stalled = await subscriber('busy');
  await delay(500);
  stalled.socket.pause();
  const before = server.rss();
  const text = 'x'.repeat(1024);
  let most = before;
  for (let sent = 0; sent < MESSAGES; sent += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => add(text)));
    most = Math.max(most, server.rss());
  }
  await delay(2000);
  stalled.socket.resume();
  const code = await Promise.race([stalled.closed, delay(10_000, 'still open')]);
  const whole = readers.filter(({ received }) => received === MESSAGES).length;
  console.log(`stalled reader  ${MESSAGES} messages of 1 KiB; closed with ${code} after ${stalled.received} of them`);
  console.log(`                ${whole} of ${readers.length} other readers got every message`);
  console.log(
    `                ${Math.round(before)} MiB before, ${Math.round(most)} MiB at most, ${mebibytes()} after`,
  );
  for (const { socket } of readers) socket.close();
}

async function openAndClose(): Promise<void> {
  const cycle = async () => {
    const { socket, closed } = await subscriber('quiet');
    socket.close();
    await closed;
  };
  for (let done = 0; done < CYCLES; done += AT_ONCE) {
    if (done % (CYCLES / 5) === 0) console.log(`open and close  ${String(done).padStart(6)} cycles  ${mebibytes()}`);
    await Promise.all(Array.from({ length: AT_ONCE }, cycle));
  }
  await delay(2000);
  console.log(`open and close  ${String(CYCLES).padStart(6)} cycles  ${mebibytes()}`);
}

type Moment = (typeof MOMENTS)[number];

/**
 * Opens a socket and closes it at `moment`. Returns the close code and the reason, or the status or error that
 * prevented the connection.
 */
const quickly = (moment: Moment) =>
  new Promise<string>((resolve) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    let fault: string | undefined;
    const close = () => socket.close(1000);
    // Libraries without this event, such as browsers, report 1006.
    socket.on('unexpected-response', (_request, { statusCode }) => {
      fault = `status ${statusCode}`;
      socket.terminate();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      fault ??= error.code ?? error.message;
    });
    socket.on('close', (code, reason) => resolve(fault ?? `${code} ${reason}`.trim()));
    socket.on('message', () => moment === 'ack' && close());
    socket.on('open', () => {
      if (moment === 'open') return close();
      socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: DEMO } }));
      if (moment === 'init') close();
      if (moment === 'shortly') setTimeout(close, 1);
    });
  });

/** A user may have 20 sockets; further ones are closed with 1013. */
async function quickTurn(): Promise<void> {
  for (const moment of MOMENTS) {
    for (const clients of CLIENTS) {
      const ends: Record<string, number> = {};
      let left = CYCLES / MOMENTS.length / CLIENTS.length;
      const client = async () => {
        while (left-- > 0) {
          const end = await quickly(moment);
          ends[end] = (ends[end] ?? 0) + 1;
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
      console.log(`quick turn      ${moment.padEnd(8)} ${String(clients).padStart(3)} clients `, ends);
    }
  }
}

try {
  await quickTurn();
  await openAndClose();
  await stalledReader();
} finally {
  await server.stop();
}
