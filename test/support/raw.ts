import { connect, type Socket } from 'node:net';
import type { Exchange } from '../../src/testing/coverage/exchange.js';

/** Opens a connection for requests that no client library sends. */
export const open = (url: string): Socket => {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port) }).on('error', () => {});
};

/** Returns everything that the server sends until it closes the connection. */
export const untilClosed = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
  });

/** Sends bytes unchanged and returns everything until the server closes the connection. */
export function raw(url: string, bytes: string): Promise<string> {
  const socket = open(url);
  socket.write(bytes);
  return untilClosed(socket);
}

/** Returns the statuses of the answers. A body may end without a line break. */
export const statusesOf = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

/** Parses the first answer of a closed connection, for `breaches`. */
export function exchangeOf(method: string, path: string, text: string): Exchange {
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map(
    (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)] as [string, string],
  );
  const status = Number(statusLine.split(' ')[1]);
  return { method, path, request: {}, status, headers: new Headers(headers), text: body.join('\r\n\r\n') };
}
