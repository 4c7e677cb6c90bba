import type { FastifyInstance } from 'fastify';
import type { StagesOf } from '../../core/stages.js';
import { type SocketOptions, socketServer } from './socket.js';
import { type SocketLimits, socketLimits } from './sockets.js';
import { type WebSocketOptions, webSocketStages } from './web-socket.js';

export type { SocketLimits } from './sockets.js';

interface ServeOptions extends Omit<SocketOptions, 'socketLimits'> {
  readonly sockets: Pick<SocketLimits, 'ping'> & Partial<SocketLimits>;
}

/** Serves WebSockets, subscriptions and their events. */
export function live(app: FastifyInstance, options: WebSocketOptions) {
  const stages: StagesOf<'live'> = webSocketStages(app, options);
  const serve = ({ sockets, ...others }: ServeOptions) =>
    socketServer(app, { ...others, socketLimits: { ...socketLimits, ...sockets } });
  return { stages, serve };
}
