import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Prints the address of a server, which the benchmark waits for. */
export function ready(server: Server): void {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** Listens on a free port. */
export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => ready(server));
}
