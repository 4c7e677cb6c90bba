import type { Server } from 'node:http';
import { constants, type Http2SecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Timeouts } from './timeouts.js';

/** What one connection may have, however it speaks. */
export const LIMITS = {
  /** Bytes of the headers of a request; then 431, or its stream is reset. */
  headers: 16_384,
  /** HTTP/2 streams that are open at once; what is more is refused. */
  streams: 100,
  /** HTTP/2 streams that were reset, beyond those that came to a good end; then the session ends (CVE-2023-44487). */
  resets: 100,
};

/** Node looks for late requests at intervals only; so much earlier must a request count as late. */
const intervalOf = ({ headers }: Timeouts) => Math.min(500, headers / 4);

/** Of the options of a TLS server, the one that cannot be set once it is made. */
export const handshakeTimeout = ({ handshake }: Timeouts) => ({ handshakeTimeout: handshake });

/**
 * Sets the limits of a server, whichever it is: plain HTTP/1.1, or TLS with HTTP/1.1 and HTTP/2. They are set on the server
 * that was made, since the options by which one is made differ among the three, and Fastify drops some of them.
 */
export function limitTransport(server: Server | Http2SecureServer, timeouts: Timeouts): void {
  const { headers, request, idle } = timeouts;
  const interval = intervalOf(timeouts);
  // Of HTTP/1.1, whether by TLS or not.
  Object.assign(server, {
    headersTimeout: headers - interval,
    requestTimeout: request - interval,
    connectionsCheckingInterval: interval,
    keepAliveTimeout: idle,
    timeout: idle,
    maxHeaderSize: LIMITS.headers,
    requireHostHeader: true,
  });
  // Before the handshake is done an answer cannot be sent, and Node leaves the socket open.
  server.on('tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy());
  if (!('updateSettings' in server)) return;
  server.updateSettings({ maxConcurrentStreams: LIMITS.streams, maxHeaderListSize: LIMITS.headers });
  limitSessions(server, timeouts);
}

/** Of a session, when it was last looked at. */
interface Watched {
  /** How many streams are open. */
  open: number;
  /** The last stream whose headers are complete; 0 before the first. */
  last: number;
  /** Streams that were reset, beyond those that came to a good end. */
  resets: number;
  /** What changes as long as the session carries something, and since when it has not. */
  progress: string;
  since: number;
  /** Since when the headers of a further stream are on their way, or else undefined. */
  headersSince?: number | undefined;
}

/** What Node has no time-outs for in HTTP/2: a session that carries nothing, headers that do not end; and resets. */
function limitSessions(server: Http2SecureServer, timeouts: Timeouts): void {
  const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_NO_ERROR } = constants;
  const sessions = new Map<ServerHttp2Session, Watched>();

  /** Tells the client why, which a session that is destroyed while it reads does not. */
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

/** Pings keep no session alive: neither one that is not used, nor one whose answers nobody takes. */
function isLate({ state }: ServerHttp2Session, watched: Watched, { headers, idle }: Timeouts, now: number): boolean {
  // Of the stream whose headers have begun to arrive; Node tells of it when they are there.
  const { lastProcStreamID = 0, remoteWindowSize } = state;
  watched.headersSince = lastProcStreamID > watched.last ? (watched.headersSince ?? now) : undefined;
  const progress = `${watched.last} ${watched.open} ${remoteWindowSize}`;
  if (progress !== watched.progress) Object.assign(watched, { progress, since: now });
  const { last, since, headersSince = now } = watched;
  return now - headersSince >= headers || now - since >= (last === 0 ? headers : idle);
}
