import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Session } from 'node:http2';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';

/**
 * Milliseconds for which a closing server keeps an idle connection, because a request may be on its way. They are counted in looks:
 * on a busy machine a look takes longer, and so does the way of a request.
 */
export const LINGER = 1000;
/** Milliseconds between two looks for idle connections. */
const LOOK = 25;
const LOOKS = LINGER / LOOK;
/** RFC 9113 §6.8: with the greatest id, GOAWAY means that open streams are served, and that no new one should begin. */
const LAST_STREAM = 2 ** 31 - 1;

/** One connection of any version of HTTP. */
interface Connection {
  underWay: number;
  /** The number of looks when its last request ended. */
  idleSince: number;
  /** Tells the client, if that is still possible, that this connection takes no further request. */
  announce: () => void;
  end: () => void;
}

/**
 * Makes `/readyz` fail, goes on to serve for `wait` milliseconds, and then takes no new connection. Awaited before the app closes:
 * until then no client has been told to open another connection, so no connection that waits to be accepted is reset.
 */
export type Leave = (wait: number) => Promise<void>;

/**
 * Closes the server without cutting a request: it takes no new connection, every answer announces the end of its connection, and an
 * idle connection ends when no request can be on its way. Node alone would close idle connections at once, and lose requests that
 * it has not read yet.
 */
export function drainOnClose(app: FastifyInstance): Leave {
  const connections = new Set<Connection>();
  /** Connections of HTTP/1.1 with their open answers, oldest first. */
  const bySocket = new WeakMap<Socket, { one: Connection; answers: Set<ServerResponse> }>();
  /** All sockets, including those before their TLS handshake. */
  const sockets = new Set<Socket>();
  /** The number of connections so far. */
  let taken = 0;
  let closing = false;
  /** The number of looks since the server closes. */
  let looks = 0;

  function open(announce: () => void, end: () => void): Connection {
    const one: Connection = { underWay: 0, idleSince: looks, announce, end };
    connections.add(one);
    if (closing) announce();
    return one;
  }

  function begin(one: Connection, exchange: EventEmitter, ended = () => {}): void {
    one.underWay += 1;
    exchange.once('close', () => {
      one.underWay -= 1;
      one.idleSince = looks;
      ended();
    });
  }

  function takeSocket(socket: Socket): void {
    const answers = new Set<ServerResponse>();
    // The last open answer gets `Connection: close`, unless its headers have been sent.
    const announce = () => {
      const last = [...answers].at(-1);
      if (last) last.shouldKeepAlive = false;
    };
    const one = open(announce, () => socket.destroySoon());
    bySocket.set(socket, { one, answers });
    socket.once('close', () => connections.delete(one));
  }

  function takeSession(session: ServerHttp2Session): void {
    const announce = () => session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM);
    const one = open(announce, () => session.close());
    session.on('stream', (stream) => begin(one, stream));
    session.once('close', () => connections.delete(one));
  }

  function takeRequest({ httpVersionMajor, socket }: IncomingMessage, answer: ServerResponse): void {
    // The session counts streams of HTTP/2.
    const known = httpVersionMajor === 2 ? undefined : bySocket.get(socket);
    if (!known) return;
    known.answers.add(answer);
    begin(known.one, answer, () => known.answers.delete(answer));
    if (closing) known.one.announce();
  }

  const { server } = app;
  const isSecure = 'setSecureContext' in server;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    taken += 1;
    socket.once('close', () => sockets.delete(socket));
    if (!isSecure) takeSocket(socket);
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') takeSocket(socket);
  });
  server.on('session', takeSession);
  server.prependListener('request', takeRequest);
  // An upgrade is under way until a refusal ends its connection, or until it is a WebSocket, which has a close of its own.
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => {
    const known = bySocket.get(socket);
    if (known) known.one.underWay += 1;
  });
  app.websocketServer.on('connection', (_webSocket, { socket }: IncomingMessage) => {
    const known = bySocket.get(socket);
    if (known) connections.delete(known.one);
  });

  app.addHook('preClose', async () => {
    closing = true;
    for (const one of connections) one.announce();
    while (connections.size > 0) {
      const silent = ({ underWay, idleSince }: Connection) => underWay === 0 && looks - idleSince >= LOOKS;
      const quiet = [...connections].filter(silent);
      // Reads first what has arrived while the process was busy.
      await nextTurn();
      for (const one of quiet) if (silent(one)) one.end();
      await delay(LOOK);
      looks += 1;
    }
    for (const socket of sockets) socket.destroy();
  });

  /** Resolves when no connection waits to be accepted, because the close would reset it. libuv accepts one each turn. */
  async function emptied(): Promise<void> {
    const began = performance.now();
    let before: number;
    do {
      before = taken;
      await nextTurn();
      await nextTurn();
    } while (taken > before && performance.now() - began < LINGER);
  }

  return async (wait) => {
    app.unready();
    await delay(wait);
    await emptied();
    // `close` of Node's HTTP server would end idle connections as well.
    NetServer.prototype.close.call(server);
  };
}
