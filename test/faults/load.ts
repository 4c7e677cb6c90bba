import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { demo } from '../../src/application/seed.js';
import type { Json } from '../support/people.js';
import { basic } from '../support/process.js';
import { ADD, PROTOCOL, SUBSCRIBE } from '../support/socket.js';

const { email: DEMO_ADMIN, password: DEMO_PASSWORD } = demo.people[0];

export const CREDENTIALS = basic(DEMO_ADMIN, DEMO_PASSWORD);
const HEADERS = { ...CREDENTIALS, 'content-type': 'application/json' };
/** Logs in, and returns the header with the access token. */
export async function bearer(url: string): Promise<{ authorization: string }> {
  const body = JSON.stringify({ email: DEMO_ADMIN, password: DEMO_PASSWORD });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body });
  const { access_token } = (await answer.json()) as { access_token: string };
  return { authorization: `Bearer ${access_token}` };
}

/** Milliseconds between two requests of a client, and before a retry. */
const PAUSE_MS = 10;
const AGAIN = 50;
/** Milliseconds after which a client gives up. The service should answer earlier. */
const TIMEOUT_MS = 30_000;
/** More than the amounts of the demo. */
let amounts = 1_000_000;

/** The outcome of a request: a status, a GraphQL error code, `gone` without a server, or `cut`. */
export type Outcome = string;

export interface Load {
  /** The number of requests by outcome. */
  outcomes: Map<Outcome, number>;
  /** What the failures among them say. */
  reasons: Set<string>;
  /** Milliseconds of the longest request with an answer. */
  worst: () => number;
  /** When the last acknowledged write began, by `performance`. */
  acknowledged: () => number;
  /** The amounts of acknowledged orders and the texts of acknowledged messages. All are different. */
  orders: Set<number>;
  messages: Set<string>;
  /** Ids of messages as the subscriber received them. */
  received: string[];
  /** Closed sockets by code. */
  closed: Map<number, number>;
  /** Ends the load once all running requests have succeeded. */
  stop: () => Promise<void>;
  /** Waits until the subscriber has that many messages, for a limited time. */
  caughtUp: (messages: number) => Promise<void>;
}

interface Answer {
  outcome: Outcome;
  reason?: string;
  body?: { data?: { addMessage?: { id: string } | null } };
}

/**
 * Starts clients that write and retry, and a subscriber. They end with the test at the latest.
 * @param pause milliseconds between two rounds of a client
 */
export function startLoad(t: Test, url: string, channelId: string, clients: number, pause = PAUSE_MS): Load {
  const outcomes = new Map<Outcome, number>();
  const reasons = new Set<string>();
  const orders = new Set<number>();
  const messages = new Set<string>();
  const stopping = new AbortController();
  const ended = new AbortController();
  let worst = 0;
  let acknowledged = 0;

  const count = (outcome: Outcome, reason?: string) => {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (reason !== undefined) reasons.add(`${outcome}: ${reason}`);
  };

  async function ask(method: string, path: string, body?: object, headers = {}): Promise<Answer> {
    const began = performance.now();
    const answer = await fetch(url + path, {
      method,
      headers: { ...HEADERS, ...headers },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body && { body: JSON.stringify(body) }),
    })
      .then(async (response): Promise<Answer> => {
        const received = (await response.json()) as Json;
        const [failure] = received.errors ?? [];
        const outcome = failure?.extensions?.code ?? String(response.status);
        return { outcome, reason: failure?.message ?? received.detail, body: received };
      })
      .catch(
        ({ cause }: { cause?: { code?: string } }): Answer => ({
          outcome: cause?.code === 'ECONNREFUSED' ? 'gone' : 'cut',
        }),
      );
    if (!['cut', 'gone'].includes(answer.outcome)) worst = Math.max(worst, performance.now() - began);
    count(answer.outcome, answer.reason);
    return answer;
  }

  /** Creates an order under one key, until it is acknowledged. */
  async function order(): Promise<void> {
    const key = randomUUID();
    const amount = ++amounts;
    const body = { total: { amount, currency: 'EUR' } };
    const attempt = () => ask('POST', '/api/v1/users/1/orders', body, { 'idempotency-key': key });
    let began = performance.now();
    while ((await attempt()).outcome !== '201') {
      if (ended.signal.aborted) return;
      await delay(AGAIN);
      began = performance.now();
    }
    acknowledged = Math.max(acknowledged, began);
    orders.add(amount);
  }

  /** Adds a message. Without a key it is not retried, because it may have been added. */
  async function message(): Promise<void> {
    const text = randomUUID();
    const began = performance.now();
    const { body } = await ask('POST', '/graphql', { query: ADD, variables: { channelId, text } });
    if (!body?.data?.addMessage) return;
    acknowledged = Math.max(acknowledged, began);
    messages.add(text);
  }

  async function client(): Promise<void> {
    while (!stopping.signal.aborted) {
      await order();
      await ask('GET', '/api/v1/users/1');
      await message();
      await delay(pause);
    }
  }

  const { caughtUp, ...listening } = listen(url, channelId, ended.signal, count);
  const running = Array.from({ length: clients }, client);
  t.teardown(() => {
    stopping.abort();
    ended.abort();
    return Promise.all(running);
  });
  return {
    outcomes,
    reasons,
    orders,
    messages,
    worst: () => worst,
    acknowledged: () => acknowledged,
    ...listening,
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
    async caughtUp(messages) {
      await caughtUp(messages);
      if (stopping.signal.aborted) ended.abort();
    },
  };
}

/** Subscribes after the last received message, again after each closed socket until the end. */
function listen(
  url: string,
  channelId: string,
  ended: AbortSignal,
  count: (outcome: Outcome, reason?: string) => void,
) {
  const received: string[] = [];
  const closed = new Map<number, number>();
  let socket: WebSocket | undefined;

  const open = () => {
    if (ended.aborted) return;
    const one = new WebSocket(`${url.replace('http', 'ws')}/graphql`, PROTOCOL);
    socket = one;
    const send = (message: object) => one.send(JSON.stringify(message));
    let opened = false;
    let refused = false;
    one.on('unexpected-response', (request, { statusCode }) => {
      count(String(statusCode));
      request.destroy();
    });
    one.on('open', () => {
      opened = true;
      send({ type: 'connection_init', payload: { Authorization: CREDENTIALS.authorization } });
    });
    one.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data));
      const variables = { channelId, since: received.at(-1) ?? '0' };
      if (type === 'connection_ack') send({ id: '1', type: 'subscribe', payload: { query: SUBSCRIBE, variables } });
      if (type === 'next' && payload.data?.messageAdded) received.push(payload.data.messageAdded.id);
      if (type !== 'error') return;
      count(payload[0].extensions.code, payload[0].message);
      refused = true;
      one.close();
    });
    one.on('error', () => {}); // 'close' follows
    one.on('close', (code) => {
      if (ended.aborted) return;
      if (opened && !refused) closed.set(code, (closed.get(code) ?? 0) + 1);
      setTimeout(open, AGAIN);
    });
  };
  open();
  ended.addEventListener('abort', () => socket?.terminate());

  return {
    received,
    closed,
    async caughtUp(messages: number): Promise<void> {
      for (let looks = 0; received.length < messages && looks < TIMEOUT_MS / AGAIN; looks++) await delay(AGAIN);
    },
  };
}
