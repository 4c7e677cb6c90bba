/** Ends connections whose requests are refused for the rate or the load, because a pipeline of them would go on. @module */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { BOUNDS } from '../bounds.js';

const MAX_REFUSALS = BOUNDS.refusals.value;
const REFUSALS = Symbol('refusals');
type Connection = (Socket | Http2Session) & { [REFUSALS]?: number };

const connectionOf = (request: IncomingMessage): Connection | undefined =>
  request.httpVersionMajor < 2 ? request.socket : (request as unknown as Http2ServerRequest).stream.session;

/** Counts a refusal before its answer is sent. The last one announces the end: `Connection: close`, or GOAWAY. */
export function countRefusal(request: IncomingMessage, response: ServerResponse): void {
  const connection = connectionOf(request);
  if (!connection) return;
  const refusals = (connection[REFUSALS] ?? 0) + 1;
  connection[REFUSALS] = refusals;
  if (refusals < MAX_REFUSALS) return;
  // GOAWAY names the last stream that is answered, which nghttp2 updates after this event.
  if ('goaway' in connection) setImmediate(() => connection.close());
  else response.shouldKeepAlive = false;
}

/** Returns true for a request after the last answer of its connection. Nobody answers it. HTTP/2 limits streams instead. */
export const isAfterEnd = ({ httpVersionMajor, socket }: IncomingMessage): boolean =>
  httpVersionMajor < 2 && ((socket as Connection)[REFUSALS] ?? 0) >= MAX_REFUSALS;
