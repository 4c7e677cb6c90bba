import { connect, type Socket } from 'node:net';
import type { Exchange } from '../../src/testing/coverage/exchange.js';

/** Opens a connection to the service, to say on it what no client library would. */
export const open = (url: string): Socket => {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port) }).on('error', () => {});
};

/** All that comes back on a connection until the server closes it. */
export const untilClosed = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
  });

/** Sends bytes as they are and returns what comes back until the server closes. */
export function raw(url: string, bytes: string): Promise<string> {
  const socket = open(url);
  socket.write(bytes);
  return untilClosed(socket);
}

/** The status lines among what came back. */
export const statusesOf = (text: string): number[] =>
  [...text.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status));

/** What came back as the answer to a request, for `breaches`: the first answer, if its connection was then closed. */
export function exchangeOf(method: string, path: string, text: string): Exchange {
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map(
    (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)] as [string, string],
  );
  const status = Number(statusLine.split(' ')[1]);
  return { method, path, request: {}, status, headers: new Headers(headers), text: body.join('\r\n\r\n') };
}
