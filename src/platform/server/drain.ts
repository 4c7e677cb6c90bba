/** Closes the server without cutting requests. @module */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { BOUNDS } from '../core/bounds.js';
import { type InFlight, inFlight } from '../core/calls/in-flight.js';

/** Milliseconds before an idle connection ends, because a request may be on its way. Measured in checks. */
export const LINGER_MS = 1000;
const CHECK_INTERVAL_MS = 25;
const LINGER_CHECKS = LINGER_MS / CHECK_INTERVAL_MS;

interface HttpConnection {
  socket: Socket;
  responses: InFlight<ServerResponse>;
  /** The open answers and upgrades. */
  underWay: number;
  /** The number of checks when its last request ended. */
  idleSince: number;
  forget: () => void;
}

/** Not a WeakMap whose values point to their keys, which minor collections keep. */
const CONNECTION = Symbol('connection');
type KnownSocket = Socket & { [CONNECTION]?: HttpConnection };

/** `Connection: close` on the last open answer, unless its headers have been sent. */
function announceEnd({ responses }: HttpConnection): void {
  const last = responses.last();
  if (last) last.shouldKeepAlive = false;
}

/** Fails `/readyz`, serves for `wait` milliseconds, and then stops listening, before the app closes. */
export type StopAccepting = (wait: number) => Promise<void>;

/**
 * Closes the server without cutting a request that ends in time. Node alone closes idle connections at once, and loses
 * unread requests. The time for requests (`stopTime`) begins when the server stops listening.
 */
export function drainOnClose(app: FastifyInstance): StopAccepting {
  const connections = inFlight<HttpConnection>();
  /** All sockets, also before their TLS handshake. */
  const sockets = inFlight<Socket>();
  let accepted = 0;
  let closing = false;
  let cutAt: number | undefined;
  let checks = 0;

  function takeSocket(socket: KnownSocket): void {
    const forget = () => connections.remove(place);
    const connection: HttpConnection = { socket, responses: inFlight(), underWay: 0, idleSince: checks, forget };
    const place = connections.add(connection);
    socket[CONNECTION] = connection;
    socket.once('close', forget);
  }

  function takeRequest({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = (socket as KnownSocket)[CONNECTION];
    if (!connection) return;
    const place = connection.responses.add(response);
    connection.underWay += 1;
    response.once('close', () => {
      connection.responses.remove(place);
      connection.underWay -= 1;
      connection.idleSince = checks;
    });
    if (closing) announceEnd(connection);
  }

  const { server } = app;
  const isSecure = 'setSecureContext' in server;
  server.on('connection', (socket: Socket) => {
    const place = sockets.add(socket);
    accepted += 1;
    socket.once('close', () => sockets.remove(place));
    if (!isSecure) takeSocket(socket);
  });
  server.on('secureConnection', takeSocket);
  server.prependListener('request', takeRequest);
  // An upgrade runs until its connection ends, or until it is a WebSocket, which closes itself.
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => {
    const connection = (socket as KnownSocket)[CONNECTION];
    if (connection) connection.underWay += 1;
  });
  app.websocketServer?.on('connection', (_webSocket, { socket }: IncomingMessage) => {
    (socket as KnownSocket)[CONNECTION]?.forget();
  });

  app.addHook('preClose', async () => {
    closing = true;
    for (const connection of connections.items()) announceEnd(connection);
    cutAt ??= performance.now() + BOUNDS.stopTime.value;
    while (connections.size() > 0 && performance.now() < cutAt) {
      const silent = ({ underWay, idleSince }: HttpConnection) => underWay === 0 && checks - idleSince >= LINGER_CHECKS;
      const quiet = connections.items().filter(silent);
      // Reads what has arrived while the process was busy.
      await nextTurn();
      for (const connection of quiet) if (silent(connection)) connection.socket.destroySoon();
      await delay(CHECK_INTERVAL_MS);
      checks += 1;
    }
    const requests = connections.items().reduce((sum, { underWay }) => sum + underWay, 0);
    if (requests > 0) app.log.warn({ requests }, 'stopping cut requests whose clients did not send or read in time');
    for (const socket of sockets.items()) socket.destroy();
  });

  /** Waits until no connection waits to be accepted. libuv accepts one per turn. */
  async function emptied(): Promise<void> {
    const began = performance.now();
    let before: number;
    do {
      before = accepted;
      await nextTurn();
      await nextTurn();
    } while (accepted > before && performance.now() - began < LINGER_MS);
  }

  return async (wait) => {
    app.unready();
    await delay(wait);
    cutAt = performance.now() + BOUNDS.stopTime.value;
    await emptied();
    // Node's own `close` would end idle connections as well.
    NetServer.prototype.close.call(server);
  };
}
