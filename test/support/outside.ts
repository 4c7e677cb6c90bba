import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** Starts a server outside of the service, and returns its address. */
export async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends zeros until the client leaves. */
export function flood(response: ServerResponse, count: (bytes: number) => void): void {
  const piece = Buffer.alloc(65_536);
  const more = (): void => {
    let goesOn = true;
    while (goesOn && !response.destroyed) {
      goesOn = response.write(piece);
      count(piece.length);
    }
  };
  response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more);
  more();
}
