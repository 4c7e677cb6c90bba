import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { ServerOptions, WebSocket } from 'ws';
import { Failure } from '../calls/errors.js';

/** Bytes of a message from a client. ws closes a socket that exceeds them with 1009. */
const MAX_FRAME = 256 * 1024;
/** Milliseconds that a client has to answer the closing handshake when the service stops. */
const FAREWELL = 2000;
/** RFC 6455 §7.4.1. */
const GOING_AWAY = 1001;
/** Seconds after which to try another instance, or this one after its restart. */
const RETRY_AFTER = 2;

interface WebSocketOptions {
  /** The only path that takes an upgrade. */
  path: string;
  /** The sub-protocol of the path. The server of the socket refuses clients that offer only others. */
  protocol: string;
  /** Milliseconds that a client has to answer the closing handshake at any other time. */
  closing: number;
}

/**
 * Upgrades to WebSockets, through the hooks of ordinary requests. It handles the upgrade events of one listener: it would not close the
 * sockets of a second one.
 */
export const webSocketPlugin = fp<WebSocketOptions>(
  async (app, { path, protocol, closing }) => {
    const options: Pick<ServerOptions, 'maxPayload' | 'perMessageDeflate' | 'handleProtocols'> = {
      maxPayload: MAX_FRAME,
      // An option of ws 8.19 that its types do not have yet.
      ...{ closeTimeout: closing },
      perMessageDeflate: false,
      // A client must accept the socket to get the close code that says what is wrong.
      handleProtocols: (offered) => (offered.has(protocol) ? protocol : ([...offered][0] ?? false)),
    };
    let stopping = false;
    function preClose(this: FastifyInstance, done: () => void): void {
      stopping = true;
      // From now on ws answers 503: a socket that is opened now would not get the closing handshake.
      this.websocketServer.close();
      sayFarewell([...this.websocketServer.clients]).then(done, done);
    }
    app.packageStage('upgrade-mark', (scope) => scope.register(websocket, { options, preClose }));

    app.stage('upgrade', (request, reply) => {
      if (!request.ws) return;
      // The connection of a refused upgrade ends: no pool may keep it.
      reply.header('connection', 'close');
      if (stopping)
        throw new Failure('UNAVAILABLE', 'The service stops. Connect again in 2 seconds.', { retryAfter: RETRY_AFTER });
      if (request.routeOptions.url !== path && !request.is404) {
        throw new Failure('BAD_REQUEST', `There is no WebSocket at this address. Use ${path}.`);
      }
      // A browser sends cookies with a socket that any page opens, without CORS (RFC 6455 §10.2).
      if (request.headers.cookie !== undefined && request.headers.authorization === undefined) {
        app.refuseForeignOrigin(request);
      }
    });
  },
  { name: 'web-socket', dependencies: ['pipeline', 'origins'] },
);

/** Closes all clients. Terminates those that do not answer in time. */
async function sayFarewell(clients: WebSocket[]): Promise<void> {
  const gone = clients.map((client) => once(client, 'close'));
  for (const client of clients) client.close(GOING_AWAY, 'The server stops.');
  await Promise.race([Promise.all(gone), delay(FAREWELL, undefined, { ref: false })]);
  for (const client of clients) client.terminate();
}
