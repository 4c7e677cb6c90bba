/** Runs WebSocket upgrades through the stages of a request. @module */

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import type { ServerOptions, WebSocket } from 'ws';
import { BOUNDS } from '../../core/bounds.js';
import { Failure, RETRY_AFTER_S } from '../../core/calls/errors.js';
import { isUpgrade } from '../../core/http/headers.js';
import type { StagesOf } from '../../core/stages.js';

const CLOSE_TIMEOUT_MS = 2000;
/** RFC 6455 §7.4.1. */
const GOING_AWAY = 1001;

export interface WebSocketOptions {
  path: string;
  /** The server rejects clients that offer only other protocols. */
  protocol: string;
  closing: number;
}

/**
 * Runs WebSocket upgrades through the pipeline. Supports one listening address: the sockets of a second one would stay
 * open.
 */
export function webSockets(app: FastifyInstance, { path, protocol, closing }: WebSocketOptions) {
  const options: Pick<ServerOptions, 'maxPayload' | 'autoPong' | 'perMessageDeflate' | 'handleProtocols'> = {
    // ws closes the socket with 1009 if a message is larger.
    maxPayload: BOUNDS.socketMessage.value,
    // ws would queue pongs without a bound. `connection` answers pings.
    autoPong: false,
    // An option of ws 8.19 that its types lack.
    ...{ closeTimeout: closing },
    perMessageDeflate: false,
    // A client must accept the socket to get the close code.
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : ([...offered][0] ?? false)),
  };
  let stopping = false;
  async function register(scope: FastifyInstance): Promise<void> {
    // The package would close the sockets after the connections.
    await scope.register(websocket, { options, preClose: (done) => done() });
    const { websocketServer } = scope;
    app.decorate('websocketServer', websocketServer);
    app.addHook('preClose', async () => {
      stopping = true;
      // ws now answers 503: a new socket would not get the closing handshake.
      websocketServer.close();
      await closeClients([...websocketServer.clients]);
    });
  }
  const stages = {
    upgrade: () => (request, reply) => {
      if (!isUpgrade(request)) return;
      // A rejected upgrade ends its connection.
      reply.header('connection', 'close');
      if (stopping)
        throw new Failure('UNAVAILABLE', `The service is stopping. Connect again in ${RETRY_AFTER_S} seconds.`);
      if (request.routeOptions.url !== path && !request.is404)
        throw new Failure('BAD_REQUEST', `There is no WebSocket at this address. Use ${path}.`);
      // Browsers send cookies with sockets of any page (RFC 6455 §10.2).
      if (request.headers.cookie !== undefined && request.headers.authorization === undefined) {
        app.core.seams.browsers.refuseForeignOrigin(request);
      }
    },
    'upgrade-end': () => (request) => {
      if (isUpgrade(request)) request.raw.socket.destroy();
    },
  } satisfies StagesOf<'live'>;
  return { stages, register };
}

async function closeClients(clients: WebSocket[]): Promise<void> {
  const closed = clients.map((client) => once(client, 'close'));
  for (const client of clients) client.close(GOING_AWAY, 'The server is stopping.');
  await Promise.race([Promise.all(closed), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  for (const client of clients) client.terminate();
}
