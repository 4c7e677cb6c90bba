import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, type Outcome as ConnectionOutcome, connect } from './connection.js';

/** The clients in a process of their own: a few keep-alive connections with one request at a time each. */

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** JSON. `{n}` is a different number in each request. */
  body?: string;
}

export interface Load {
  url: string;
  /** Sent in turn. */
  requests: Request[];
  connections: number;
  seconds: number;
  /** The first number for `{n}`. */
  from: number;
}

export interface Outcome {
  answered: number;
  /** The number of answers with Retry-After, which are not in the times. */
  refused: number;
  /** The first text of each other status, which ends the load. */
  other: Record<string, string>;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** The next number for `{n}`. */
  next: number;
}

/** Milliseconds before a rejected request is repeated. */
const RETRY_DELAY_MS = 50;
/** The minimum number of answers behind a figure, on any machine. */
const LEAST = 40;
/** The number of digits, so that all bodies have the same length. */
const DIGITS = 9;

const at = (sorted: number[], part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;

/** Returns the bytes of a request, except for the number in its body. */
function bytesOf(host: string, { method, path, headers = {}, body }: Request): (n: number) => string {
  const length = body && Buffer.byteLength(body.replace('{n}', '0'.repeat(DIGITS)));
  const all = {
    host,
    ...headers,
    ...(body && { 'content-type': 'application/json', 'content-length': String(length) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  if (!body?.includes('{n}')) return () => head + (body ?? '');
  return (n) => head + body.replace('{n}', String(n).padStart(DIGITS, '0'));
}

const isRefusal = (status: string, text: string) => status === '503' || text.includes('"UNAVAILABLE"');

async function run({ url, requests, connections, seconds, from }: Load): Promise<Outcome> {
  const { hostname, port, host } = new URL(url);
  const bytes = requests.map((request) => bytesOf(host, request));
  const times: number[] = [];
  const outcome = { refused: 0, other: {} as Record<string, string>, next: from };
  let turn = 0;
  const began = performance.now();
  const end = began + 1000 * seconds;

  const client = async (connection: Connection) => {
    while (performance.now() < end || times.length < LEAST) {
      const make = bytes[turn++ % bytes.length] as (n: number) => string;
      const asked = performance.now();
      const { status, text } = await new Promise<ConnectionOutcome>((resolve) =>
        connection.ask(make(outcome.next++), resolve),
      );
      if (isRefusal(status, text)) {
        outcome.refused += 1;
        await delay(RETRY_DELAY_MS);
      } else if (/^2/.test(status) && !text.includes('"errors":')) times.push(performance.now() - asked);
      else {
        outcome.other[status] ??= text;
        return;
      }
    }
  };
  const opened = Array.from({ length: connections }, () => connect(hostname, Number(port)));
  await Promise.all(opened.map(client));
  const took = (performance.now() - began) / 1000;
  for (const connection of opened) connection.end();
  times.sort((a, b) => a - b);
  return { ...outcome, answered: times.length, seconds: took, p50: at(times, 0.5), p99: at(times, 0.99) };
}

process.on('message', (load: Load) => void run(load).then((outcome) => process.send?.(outcome)));
