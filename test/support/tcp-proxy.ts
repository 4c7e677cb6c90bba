import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/**
 * What the line does: it works; it swallows what is sent; it passes everything on late; or nobody answers the door.
 * Changing to `refused` also cuts the connections that are open, as a server does that goes away.
 */
export type Line = 'sound' | 'black hole' | 'refused' | { latency: number };

export interface TcpProxy {
  port: number;
  set: (line: Line) => void;
  /** Resets all open connections; new ones are welcome. */
  cut: () => void;
}

/**
 * A TCP line to a server at `target` that a test can damage: the faults of toxiproxy, from outside the process.
 * @param named only the connections are damaged whose first bytes hold this text, as PostgreSQL's hold the application's name
 * @param heard is given what the server says
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
