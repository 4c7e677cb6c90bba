import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import type { Part } from '../../core/application.js';
import { PATH } from '../../core/graphql/plugin.js';
import { type SocketOptions, socketServer } from './socket.js';
import { type SocketLimits, socketLimits } from './sockets.js';
import { webSocketStages } from './web-socket.js';

export type { SocketLimits } from './sockets.js';

interface ServeOptions extends Omit<SocketOptions, 'socketLimits'> {
  readonly sockets: Pick<SocketLimits, 'ping'> & Partial<SocketLimits>;
}

/** Serves WebSockets, subscriptions and their events. */
export const live = (): Part<'live'> => ({
  name: 'live',
  open: ({ app, closing }) => ({
    stages: webSocketStages(app, { path: PATH, protocol: GRAPHQL_TRANSPORT_WS_PROTOCOL, closing }),
    seam: {
      serve: ({ sockets, ...others }: ServeOptions) =>
        socketServer(app, { ...others, socketLimits: { ...socketLimits, ...sockets } }),
    },
  }),
});
