import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { ServerOptions, WebSocket } from 'ws';
import { Failure } from '../calls/errors.js';

/** Bytes of one message from a client; ws closes a socket that exceeds them with 1009. */
const MAX_FRAME = 256 * 1024;
/** Milliseconds that a client gets to answer the closing handshake when the service stops. */
const FAREWELL = 2000;
/** RFC 6455 §7.4.1. */
const GOING_AWAY = 1001;
/** Seconds after which another instance, or this one started again, may be asked. */
const RETRY_AFTER = 2;

interface WebSocketOptions {
  /** The only address that takes an upgrade. */
  path: string;
  /** The sub-protocol spoken there. A client that offers others only is told so by whoever serves the socket. */
  protocol: string;
  /** Milliseconds that a client gets to answer the closing handshake at any other time. */
  closing: number;
}

/**
 * Upgrades to WebSockets, through the hooks of ordinary requests. It takes the upgrade events of one listener: with two, the
 * sockets of the second would not be closed.
 */
export const webSocketPlugin = fp<WebSocketOptions>(
  async (app, { path, protocol, closing }) => {
    const options: Pick<ServerOptions, 'maxPayload' | 'perMessageDeflate' | 'handleProtocols'> = {
      maxPayload: MAX_FRAME,
      // Of ws 8.19; its types do not know it yet.
      ...{ closeTimeout: closing },
      perMessageDeflate: false,
      // Without one of its own a client would not hear the close code that tells it what is wrong.
      handleProtocols: (offered) => (offered.has(protocol) ? protocol : ([...offered][0] ?? false)),
    };
    let stopping = false;
    function preClose(this: FastifyInstance, done: () => void): void {
      stopping = true;
      // What the hooks have let pass already would be a socket to which nobody says farewell: ws answers 503 from now on.
      this.websocketServer.close();
      sayFarewell([...this.websocketServer.clients]).then(done, done);
    }
    app.packageStage('upgrade-mark', (scope) => scope.register(websocket, { options, preClose }));

    app.stage('upgrade', (request, reply) => {
      if (!request.ws) return;
      // Of the answer to an upgrade that is refused: its connection ends, and no pool may keep it.
      reply.header('connection', 'close');
      if (stopping) throw new Failure('UNAVAILABLE', 'The service stops.', { retryAfter: RETRY_AFTER });
      if (request.routeOptions.url !== path && !request.is404) {
        throw new Failure('BAD_REQUEST', 'There is no WebSocket at this address.');
      }
      // A browser sends cookies along with a socket that any page opens, and no CORS stands in its way (RFC 6455 §10.2).
      if (request.headers.cookie !== undefined && request.headers.authorization === undefined) {
        app.refuseForeignOrigin(request);
      }
    });
  },
  { name: 'web-socket', dependencies: ['pipeline', 'own-origin'] },
);

/** Resolves when every client is gone: those that do not answer are cut off. */
async function sayFarewell(clients: WebSocket[]): Promise<void> {
  const gone = clients.map((client) => once(client, 'close'));
  for (const client of clients) client.close(GOING_AWAY, 'The server stops.');
  await Promise.race([Promise.all(gone), delay(FAREWELL, undefined, { ref: false })]);
  for (const client of clients) client.terminate();
}
