import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import type { Part } from '../../core/application.js';
import { PATH } from '../../core/graphql/media-types.js';
import { databaseSignals } from '../../database/commit-signals.js';
import { type SocketOptions, socketServer } from './socket.js';
import { type SocketLimits, socketLimits } from './sockets.js';
import { modelStreams } from './streams.js';
import { webSockets } from './web-socket.js';

declare module '../../core/application.js' {
  interface Overrides {
    sockets?: Partial<SocketLimits>;
  }
}

/** Serves WebSockets, subscriptions and their events. */
export const live = (): Part<'live'> => ({
  name: 'live',
  codes: ['BAD_REQUEST', 'UNAUTHENTICATED', 'FORBIDDEN', 'PAYLOAD_TOO_LARGE', 'UNAVAILABLE'],
  open({ app, core, config, database, outages, now, reportSignalFault, closing, overrides }) {
    const { client, generation } = database;
    const { REDIS_URL, WEBSOCKET_PING: ping } = config;
    const channel = core.names.signals.streams;
    const { stages, register } = webSockets(app, {
      path: PATH,
      protocol: GRAPHQL_TRANSPORT_WS_PROTOCOL,
      closing,
    });
    return {
      metrics: {
        websockets_open: { help: 'Sockets that are open.', read: () => app.websocketServer?.clients.size ?? 0 },
      },
      stages,
      seam: {
        async serve(scope, graphql: Omit<SocketOptions, 'limits' | 'onReplaced' | 'now'>) {
          await register(scope);
          const limits = { ...socketLimits, ping, ...overrides.sockets };
          return socketServer(app, { ...graphql, limits, onReplaced: generation.onReplaced, now });
        },
        async streams(models) {
          const signals = REDIS_URL
            ? (await import('../../database/redis-signals.js')).redisSignals(REDIS_URL, channel, () =>
                outages.dependency('Redis'),
              )
            : databaseSignals(database, channel);
          const { streams, close } = await modelStreams({ models, client, signals, onFault: reportSignalFault });
          app.addHook('onClose', close);
          return streams;
        },
      },
    };
  },
});
