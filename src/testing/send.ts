import { type Agent, request } from 'node:http';
import type { Exchange } from './coverage/exchange.js';

/** A request as a client with an open mind sends it. */
export interface Drawn {
  method: string;
  /** The path and the query. */
  url: string;
  headers: Record<string, string>;
  payload: string | Uint8Array | undefined;
}

/** Sends a request whose headers are those that it has: `fetch` sends no Host but its own. */
export const send = (base: string, { method, url, headers, payload }: Drawn, agent?: Agent): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const sent = { ...headers, ...(payload !== undefined && { 'content-length': Buffer.byteLength(payload) }) };
    const outgoing = request(new URL(base), { agent, method, path: url, headers: sent }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => {
        const received = new Headers();
        for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
          for (const value of values) received.append(name, value);
        }
        const [path = '', query = ''] = url.split('?');
        const asked = { query, headers: new Headers(headers), body: typeof payload === 'string' ? payload : undefined };
        resolve({ method, path, request: asked, status: incoming.statusCode ?? 0, headers: received, text });
      });
    });
    outgoing.on('error', reject).end(payload);
  });
