import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Session } from 'node:http2';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';

/**
 * Milliseconds that an idle connection is kept at least while the server closes, for the request that may be on its way on it.
 * They are counted in looks: where others keep the machine busy, a look takes longer, and so does the way of a request.
 */
export const LINGER = 1000;
/** Milliseconds between two looks at what has become idle. */
const LOOK = 25;
const LOOKS = LINGER / LOOK;
/** RFC 9113 §6.8: the greatest id says that all streams under way are still served, and that no new one should begin. */
const LAST_STREAM = 2 ** 31 - 1;

/** One connection, in whichever version of HTTP. */
interface Connection {
  underWay: number;
  /** Which look was the last one when its last request ended. */
  idleSince: number;
  /** Tells the client, as far as that can still be told, that this connection takes no further request. */
  announce: () => void;
  end: () => void;
}

/**
 * Tells balancers that the service is about to stop, serves on for as many milliseconds, and then takes no new connection. To be
 * awaited before the app is closed: nobody has been told to open another connection by then, so nobody stands at the
 * door when it is shut, and is reset.
 */
export type Leave = (wait: number) => Promise<void>;

/**
 * Closes the server without cutting a request: nothing new is taken, every answer says that the connection ends, and what has
 * become idle is ended once no request can be on its way on it any more. Node itself closes idle connections at once, and with
 * them requests that it has not read yet.
 */
export function drainOnClose(app: FastifyInstance): Leave {
  const connections = new Set<Connection>();
  /** Of HTTP/1.1, with the answers that are under way, oldest first. */
  const bySocket = new WeakMap<Socket, { one: Connection; answers: Set<ServerResponse> }>();
  /** All of them, and with TLS also those that have not shaken hands. */
  const sockets = new Set<Socket>();
  /** How many connections there were. */
  let taken = 0;
  let closing = false;
  /** Looks at what has become idle, since the server closes. */
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
    // `Connection: close` goes with the last answer that is asked for, unless its headers have gone already.
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
    // A stream of HTTP/2 is counted by its session.
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
  // An upgrade is under way until it is refused, which ends its connection, or is a WebSocket, which says farewell in its own way.
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
      // While the process was busy it heard nothing: what has come meanwhile is read first.
      await nextTurn();
      for (const one of quiet) if (silent(one)) one.end();
      await delay(LOOK);
      looks += 1;
    }
    for (const socket of sockets) socket.destroy();
  });

  /** Resolves when nobody stands at the door, which is reset when it is shut: libuv takes in one connection a turn. */
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
    // Node's own `close` of an HTTP server would end the idle connections as well.
    NetServer.prototype.close.call(server);
  };
}
