import { randomUUID } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { IncomingMessage, type Server } from 'node:http';
import { constants, type Http2SecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { createSecureContext, type TLSSocket, type Server as TlsServer } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import { answerParserError, sendProblem } from '../http/failures.js';
import type { Config } from './config.js';
import type { Timeouts } from './timeouts.js';

/** The limits of one connection, for each version of HTTP. */
export const LIMITS = {
  /** Bytes of the headers of a request; then 431, or its stream is reset. */
  headers: 16_384,
  /** HTTP/2 streams that are open at once; more are refused. */
  streams: 100,
  /** HTTP/2 streams that were reset, minus those that ended well; then the session ends (CVE-2023-44487). */
  resets: 100,
};
/** Milliseconds between two looks at the TLS files. Looks at their names, so a changed link is seen as well. */
const INTERVAL = 1000;

interface HttpServerOptions extends Required<Pick<FastifyServerOptions, 'logger' | 'rewriteUrl'>> {
  timeouts: Timeouts;
}

/** The certificate with its chain and the private key, as files in PEM. */
interface TlsFiles {
  cert: string;
  key: string;
}

/** Returns a Fastify instance without routes: plain HTTP/1.1, or HTTP/2 and HTTP/1.1 over TLS. */
export function httpServer(config: Config, { logger, timeouts, rewriteUrl }: HttpServerOptions): FastifyInstance {
  const tls = config.TLS_CERT && config.TLS_KEY ? { cert: config.TLS_CERT, key: config.TLS_KEY } : undefined;

  const app = Fastify({
    ...(tls ? secure(tls, timeouts) : { http: { IncomingMessage: UpgradableRequest } }),
    logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.BODY_LIMIT,
    trustProxy: config.TRUST_PROXY ?? false,
    genReqId: () => randomUUID(),
    rewriteUrl,
    frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
    clientErrorHandler: answerParserError,
    forceCloseConnections: 'idle',
    // Requests that arrive while the server closes are served: no client has been told not to send them.
    return503OnClosing: false,
    // The router throws above this; Node's limit of the headers comes sooner.
    routerOptions: { maxParamLength: 65_536 },
  });

  limitTransport(app.server, timeouts);
  // RFC 9110 §10.1.1: an unknown expectation may be ignored. Node would answer a bare 417.
  app.server.on('checkExpectation', (...exchange) => app.server.emit('request', ...exchange));
  if (tls) followTls(app, tls);
  return app;
}

/** Offers HTTP/1.1 besides HTTP/2. The types are those of the plain server; only what is common to both is used. */
const secure = (files: TlsFiles, { handshake }: Timeouts) =>
  ({
    http2: true,
    https: {
      allowHTTP1: true,
      Http1IncomingMessage: UpgradableRequest,
      // The one limit that cannot be set on the server.
      handshakeTimeout: handshake,
      ...readTls(files),
    },
  }) as unknown as FastifyServerOptions;

/** @throws Error if a file cannot be read or is not PEM, or if the key is not that of the certificate */
function readTls({ cert, key }: TlsFiles): { cert: Buffer; key: Buffer } {
  try {
    const pair = { cert: readFileSync(cert), key: readFileSync(key) };
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    throw new Error(`TLS_CERT, TLS_KEY: ${(cause as Error).message}`, { cause });
  }
}

/** Uses a renewed certificate for new connections, as soon as its files match. Open connections go on. */
function followTls(app: FastifyInstance, files: TlsFiles): void {
  const reload = () => {
    try {
      (app.server as unknown as TlsServer).setSecureContext(readTls(files));
      app.log.info('the TLS certificate was renewed');
    } catch (err) {
      app.log.warn({ err }, 'the changed TLS files cannot be used, the certificate stays as it is');
    }
  };
  const paths = [files.cert, files.key];
  for (const path of paths) watchFile(path, { interval: INTERVAL, persistent: false }, reload);
  app.addHook('onClose', async () => {
    for (const path of paths) unwatchFile(path, reload);
  });
}

/** Not a member, because the base class sets `upgrade` before members exist. */
const offering = new WeakSet<IncomingMessage>();

/**
 * A request of HTTP/1.1 that upgrades only to a WebSocket. Any other offer (Java's HttpClient offers h2c with each request) gets
 * the answer of an ordinary request, as RFC 9110 §7.8 permits. Node would pass all of them to the handler of WebSockets.
 */
class UpgradableRequest extends IncomingMessage {
  get upgrade(): boolean {
    return offering.has(this) && this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  set upgrade(offered: boolean) {
    if (offered) offering.add(this);
  }
}

/** Node looks for late requests at intervals only, so a request must count as late that much earlier. */
const intervalOf = ({ headers }: Timeouts) => Math.min(500, headers / 4);

/**
 * Sets the limits of a server. They are set on the server that was made, because the options of the three kinds of server differ,
 * and Fastify drops some of them.
 */
function limitTransport(server: Server | Http2SecureServer, timeouts: Timeouts): void {
  const { headers, request, idle } = timeouts;
  const interval = intervalOf(timeouts);
  // For HTTP/1.1, with and without TLS.
  Object.assign(server, {
    headersTimeout: headers - interval,
    requestTimeout: request - interval,
    connectionsCheckingInterval: interval,
    keepAliveTimeout: idle,
    timeout: idle,
    maxHeaderSize: LIMITS.headers,
    requireHostHeader: true,
  });
  // No answer can be sent before the handshake, and Node leaves the socket open.
  server.on('tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy());
  if (!('updateSettings' in server)) return;
  server.updateSettings({ maxConcurrentStreams: LIMITS.streams, maxHeaderListSize: LIMITS.headers });
  limitSessions(server, timeouts);
}

/** The state of a session at the last look. */
interface Watched {
  /** Open streams. */
  open: number;
  /** The last stream whose headers are complete; 0 before the first. */
  last: number;
  /** Streams that were reset, minus those that ended well. */
  resets: number;
  /** Changes while the session carries something, and the time of its last change. */
  progress: string;
  since: number;
  /** The time since which the headers of a further stream are incomplete. */
  headersSince?: number | undefined;
}

/** Limits what Node does not limit in HTTP/2: the time of an idle session and of incomplete headers, and resets. */
function limitSessions(server: Http2SecureServer, timeouts: Timeouts): void {
  const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_NO_ERROR } = constants;
  const sessions = new Map<ServerHttp2Session, Watched>();

  /** Ends a session in the next turn: one that is destroyed while it reads does not send the reason. */
  function end(session: ServerHttp2Session, reason: number): void {
    if (!sessions.delete(session) || session.destroyed) return;
    session.goaway(reason);
    setImmediate(() => session.destroy());
  }

  function follow(session: ServerHttp2Session, watched: Watched, stream: ServerHttp2Stream): void {
    watched.open++;
    watched.last = stream.id ?? watched.last;
    stream.once('close', () => {
      watched.open--;
      watched.resets = Math.max(0, watched.resets + (stream.rstCode === NGHTTP2_NO_ERROR ? -1 : 1));
      if (watched.resets > LIMITS.resets) end(session, NGHTTP2_ENHANCE_YOUR_CALM);
    });
  }

  server.on('session', (session) => {
    const watched: Watched = { open: 0, last: 0, resets: 0, progress: '', since: performance.now() };
    sessions.set(session, watched);
    session.once('close', () => sessions.delete(session));
    session.on('stream', (stream) => follow(session, watched, stream));
  });

  const timer = setInterval(() => {
    const now = performance.now();
    for (const [session, watched] of sessions) {
      if (isLate(session, watched, timeouts, now)) end(session, NGHTTP2_NO_ERROR);
    }
  }, intervalOf(timeouts)).unref();
  server.once('close', () => clearInterval(timer));
}

/** Pings do not keep a session alive: neither an unused one, nor one whose client reads no answers. */
function isLate({ state }: ServerHttp2Session, watched: Watched, { headers, idle }: Timeouts, now: number): boolean {
  // The stream whose headers have begun to arrive; Node emits it when they are complete.
  const { lastProcStreamID = 0, remoteWindowSize } = state;
  watched.headersSince = lastProcStreamID > watched.last ? (watched.headersSince ?? now) : undefined;
  const progress = `${watched.last} ${watched.open} ${remoteWindowSize}`;
  if (progress !== watched.progress) Object.assign(watched, { progress, since: now });
  const { last, since, headersSince = now } = watched;
  return now - headersSince >= headers || now - since >= (last === 0 ? headers : idle);
}
