import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { Sender, type WebSocket, WebSocketServer } from 'ws';
import { listen } from './listening.js';
import { publishing } from './messages.js';

/**
 * Broadcasts over ws without GraphQL. FRAME=once encodes each message once and writes the same bytes to all sockets.
 */
const subscribers = new Set<WebSocket>();
const framedOnce = process.env['FRAME'] === 'once';

const server = createServer(
  publishing((_channel, { id, text }) => {
    const messageAdded = { id: String(id), text };
    const next = JSON.stringify({ id: '1', type: 'next', payload: { data: { messageAdded } } });
    if (framedOnce) {
      const options = { fin: true, rsv1: false, opcode: 1, mask: false, readOnly: false };
      const frame = Buffer.concat(Sender.frame(Buffer.from(next), options as never) as unknown as Buffer[]);
      for (const socket of subscribers) (socket as unknown as { _socket: Socket })._socket.write(frame);
    } else for (const socket of subscribers) socket.send(next);
  }),
);
new WebSocketServer({ server, path: '/graphql', handleProtocols: () => 'graphql-transport-ws' }).on(
  'connection',
  (socket) => {
    socket.on('message', (data) => {
      const { type } = JSON.parse(String(data)) as { type: string };
      if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
      if (type === 'subscribe') subscribers.add(socket);
    });
    socket.on('close', () => subscribers.delete(socket));
  },
);
listen(server);
