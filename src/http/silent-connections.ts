import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets the server close although clients hold connections on which they have not sent a byte, as browsers do to have one
 * at hand. Node counts these as busy until their first request is overdue.
 */
export function dropSilentConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}
