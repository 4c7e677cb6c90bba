import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { IncomingMessage, type Server } from 'node:http';
import { constants, type Http2SecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { createSecureContext, type TLSSocket, type Server as TlsServer } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import { BOUNDS } from '../bounds.js';
import { type InFlight, inFlight } from '../calls/in-flight.js';
import { addressOfSocket } from '../calls/networks.js';
import { answerParserError, sendProblem } from '../http/failures.js';
import { requestIdOf } from '../http/headers.js';
import type { Config } from './config.js';

export const CONNECTION_LIMITS = {
  /** Bytes; more get 431, or a reset of the stream. */
  headers: BOUNDS.headerBytes.value,
  /** Simultaneous HTTP/2 streams. */
  streams: BOUNDS.streams.value,
  /** Reset HTTP/2 streams minus successful ones (CVE-2023-44487). */
  resets: BOUNDS.resets.value,
};
/** Milliseconds. */
export const TIMEOUTS_MS = {
  handshake: 10_000,
  /** From the connection or the previous request to the complete headers, and to the end of the request. Then 408. */
  headers: BOUNDS.headersTime.value,
  request: BOUNDS.requestTime.value,
  /** For the answer. Then 503. */
  handler: BOUNDS.answerTime.value,
  /** For a client that accepts no byte of its answer, and for a whole HTTP/2 stream. */
  unread: BOUNDS.answerRead.value,
  stream: BOUNDS.streamTime.value,
  /** Longer than in proxies, so that the proxy closes idle connections. */
  idle: 72_000,
  /** For a WebSocket client to read, and to answer the closing handshake. */
  closing: 10_000,
};
export type Timeouts = Record<keyof typeof TIMEOUTS_MS, number>;

/** Polls the TLS files by path, so that a replaced symbolic link is noticed. */
const TLS_CHECK_INTERVAL_MS = 1000;

interface HttpServerOptions extends Required<Pick<FastifyServerOptions, 'logger' | 'rewriteUrl'>> {
  timeouts: Timeouts;
}

/** Paths of PEM files. */
type TlsFiles = Record<'cert' | 'key', string>;

/** Creates a Fastify instance without routes: HTTP/1.1, or HTTP/2 and HTTP/1.1 over TLS. */
export function httpServer(config: Config, { logger, timeouts, rewriteUrl }: HttpServerOptions): FastifyInstance {
  const tls = config.TLS_CERT && config.TLS_KEY ? { cert: config.TLS_CERT, key: config.TLS_KEY } : undefined;

  const app = Fastify({
    ...(tls ? tlsOptions(tls, timeouts) : { http: { IncomingMessage: UpgradableRequest } }),
    logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: config.BODY_LIMIT,
    trustProxy: config.TRUST_PROXY ?? false,
    genReqId: ({ headers }) => requestIdOf(headers),
    rewriteUrl,
    frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
    clientErrorHandler: answerParserError,
    forceCloseConnections: 'idle',
    // Requests that arrive during shutdown still get an answer.
    return503OnClosing: false,
    // Greater than Node's limit of the headers, so that the router rejects no parameter.
    routerOptions: { maxParamLength: 65_536 },
  });

  limitTransport(app.server, timeouts);
  // A client that resets a connection at once has no address, and gets no answer.
  for (const event of ['connection', 'secureConnection'])
    app.server.on(event, (socket: Socket) => addressOfSocket(socket) ?? socket.destroy());
  // Unknown expectations may be ignored (RFC 9110 §10.1.1). Node would answer 417 without a body.
  app.server.on('checkExpectation', (...exchange) => app.server.emit('request', ...exchange));
  if (tls) watchTlsFiles(app, tls);
  return app;
}

/** Offers HTTP/2 and HTTP/1.1, with the types of the plain server. */
const tlsOptions = (files: TlsFiles, { handshake }: Timeouts) =>
  ({
    http2: true,
    https: {
      allowHTTP1: true,
      Http1IncomingMessage: UpgradableRequest,
      // This limit cannot be set on the server.
      handshakeTimeout: handshake,
      ...readTls(files),
    },
  }) as unknown as FastifyServerOptions;

/** @throws Error for unreadable files, and for a key of another certificate */
function readTls({ cert, key }: TlsFiles): { cert: Buffer; key: Buffer } {
  try {
    const pair = { cert: readFileSync(cert), key: readFileSync(key) };
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    throw new Error(`TLS_CERT, TLS_KEY: ${(cause as Error).message}`, { cause });
  }
}

/** Uses a renewed certificate for new connections as soon as its files match. */
function watchTlsFiles(app: FastifyInstance, files: TlsFiles): void {
  const reload = () => {
    try {
      (app.server as unknown as TlsServer).setSecureContext(readTls(files));
      app.log.info('the TLS certificate was renewed');
    } catch (err) {
      app.log.warn({ err }, 'the changed TLS files cannot be used, the certificate stays as it is');
    }
  };
  const paths = [files.cert, files.key];
  for (const path of paths) watchFile(path, { interval: TLS_CHECK_INTERVAL_MS, persistent: false }, reload);
  app.addHook('onClose', async () => {
    for (const path of paths) unwatchFile(path, reload);
  });
}

/** Not a member, because the base class sets `upgrade` before members exist. */
const upgradeRequests = new WeakSet<IncomingMessage>();

/** Upgrades to WebSockets only. Other offers, such as h2c, get an ordinary answer (RFC 9110 §7.8). */
class UpgradableRequest extends IncomingMessage {
  get upgrade(): boolean {
    return upgradeRequests.has(this) && this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  set upgrade(offered: boolean) {
    if (offered) upgradeRequests.add(this);
  }
}

/** Node checks for late requests at this interval, so limits are shortened by it. */
const checkInterval = ({ headers }: Timeouts) => Math.min(500, headers / 4);

/** Sets limits on the server, because the options of the three kinds of servers differ, and Fastify drops some. */
function limitTransport(server: Server | Http2SecureServer, timeouts: Timeouts): void {
  const { headers, request, unread, idle } = timeouts;
  const interval = checkInterval(timeouts);
  Object.assign(server, {
    headersTimeout: headers - interval,
    requestTimeout: request - interval,
    connectionsCheckingInterval: interval,
    keepAliveTimeout: idle,
    timeout: unread,
    maxHeaderSize: CONNECTION_LIMITS.headers,
    requireHostHeader: true,
  });
  // Node leaves the socket open.
  server.on('tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy());
  if (!('updateSettings' in server)) return;
  server.updateSettings({
    maxConcurrentStreams: CONNECTION_LIMITS.streams,
    maxHeaderListSize: CONNECTION_LIMITS.headers,
  });
  limitSessions(server, timeouts);
}

/** The state of a session at the last check. */
interface Activity {
  /** The open streams, with the times of their headers. */
  open: InFlight<{ stream: ServerHttp2Stream; since: number }>;
  /** The last stream with complete headers, or 0. */
  last: number;
  /** Reset streams minus successful ones. */
  resets: number;
  /** Changes with each activity; `since` is the time of the last change. */
  progress: string;
  since: number;
  /** The time since which headers are incomplete. */
  headersSince?: number | undefined;
}

/** Limits idle sessions, unread answers, incomplete headers and resets, which Node does not limit in HTTP/2. */
function limitSessions(server: Http2SecureServer, timeouts: Timeouts): void {
  const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_NO_ERROR, NGHTTP2_CANCEL } = constants;
  const sessions = new Map<ServerHttp2Session, Activity>();

  /** Destroys the session in the next turn, after the GOAWAY frame is sent. */
  function endSession(session: ServerHttp2Session, reason: number): void {
    if (!sessions.delete(session) || session.destroyed) return;
    session.goaway(reason);
    setImmediate(() => session.destroy());
  }

  function trackStream(session: ServerHttp2Session, activity: Activity, stream: ServerHttp2Stream): void {
    const place = activity.open.add({ stream, since: performance.now() });
    activity.last = stream.id ?? activity.last;
    stream.once('close', () => {
      activity.open.remove(place);
      activity.resets = Math.max(0, activity.resets + (stream.rstCode === NGHTTP2_NO_ERROR ? -1 : 1));
      if (activity.resets > CONNECTION_LIMITS.resets) endSession(session, NGHTTP2_ENHANCE_YOUR_CALM);
    });
  }

  server.on('session', (session) => {
    const activity: Activity = { open: inFlight(), last: 0, resets: 0, progress: '', since: performance.now() };
    sessions.set(session, activity);
    // Node would end idle sessions after `unread`.
    session.setTimeout(timeouts.idle);
    session.once('close', () => sessions.delete(session));
    session.on('stream', (stream) => trackStream(session, activity, stream));
  });

  const timer = setInterval(() => {
    const now = performance.now();
    for (const [session, activity] of sessions) {
      if (isLate(session, activity, timeouts, now)) endSession(session, NGHTTP2_NO_ERROR);
      for (const { stream, since } of activity.open.items()) {
        if (now - since < timeouts.stream) break;
        stream.close(NGHTTP2_CANCEL);
      }
    }
  }, checkInterval(timeouts)).unref();
  server.once('close', () => clearInterval(timer));
}

/** Pings do not count as activity. */
function isLate({ state }: ServerHttp2Session, activity: Activity, timeouts: Timeouts, now: number): boolean {
  // The stream whose headers have begun to arrive. Node emits it when they are complete.
  const { lastProcStreamID = 0, remoteWindowSize } = state;
  activity.headersSince = lastProcStreamID > activity.last ? (activity.headersSince ?? now) : undefined;
  const progress = `${activity.last} ${activity.open.size()} ${remoteWindowSize}`;
  if (progress !== activity.progress) Object.assign(activity, { progress, since: now });
  const { open, last, since, headersSince = now } = activity;
  const { headers, unread, idle } = timeouts;
  const quiet = open.size() > 0 ? unread : idle;
  return now - headersSince >= headers || now - since >= (last === 0 ? headers : quiet);
}
