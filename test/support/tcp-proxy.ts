import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/**
 * The state of the connection. `black hole` discards data; `refused` also cuts open connections, as a stopped server
 * does.
 */
export type Line = 'sound' | 'black hole' | 'refused' | { latency: number };

export interface TcpProxy {
  port: number;
  set: (line: Line) => void;
  /** Resets all open connections and accepts new ones. */
  cut: () => void;
}

/**
 * Starts a TCP proxy to `target` that a test can damage, with the faults of toxiproxy.
 * @param named damages only connections whose first bytes contain this text, such as the application name of PostgreSQL
 * @param heard receives the data of the server
 */
export async function tcpProxy(
  t: Test,
  target: { host: string; port: number },
  { named = '', heard = () => {} }: { named?: string; heard?: (chunk: Buffer) => void } = {},
): Promise<TcpProxy> {
  let line: Line = 'sound';
  const sockets = new Set<Socket>();
  const spared = new WeakSet<Socket>();
  const cut = () => {
    for (const socket of sockets) if (!spared.has(socket)) socket.destroy();
  };
  const pass = (from: Socket, to: Socket) => {
    from.on('data', (chunk) => {
      if (spared.has(from)) return void to.write(chunk);
      if (line === 'black hole') return;
      if (typeof line === 'object') setTimeout(() => to.writable && to.write(chunk), line.latency).unref();
      else to.write(chunk);
    });
    from.on('close', () => to.destroy());
    from.on('error', () => to.destroy());
  };
  const server = createServer((client) => {
    if (line === 'refused' && named === '') return void client.destroy();
    const upstream = connect(target);
    client.once('data', (first) => {
      if (!first.includes(named)) for (const socket of [client, upstream]) spared.add(socket);
      else if (line === 'refused') client.destroy();
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    pass(client, upstream);
    pass(upstream, client);
    upstream.on('data', heard);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      line = next;
      if (next === 'refused') cut();
    },
    cut,
  };
}
