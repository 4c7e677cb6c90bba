import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, type TLSSocket, type Server as TlsServer } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import { BOUNDS } from '../core/bounds.js';
import { addressOfSocket } from '../core/calls/networks.js';
import { answerParserError, sendProblem } from '../core/http/failures.js';
import { isUpgrade, requestIdOf } from '../core/http/headers.js';
import { WholeResponse } from '../core/http/whole-response.js';
import type { Config } from '../core/variables.js';
import { requestLog } from './request-log.js';

/** Milliseconds. */
export const TIMEOUTS_MS = {
  handshake: 10_000,
  /** From the connection or the previous request to the complete headers, and to the end of the request. Then 408. */
  headers: BOUNDS.headersTime.value,
  request: BOUNDS.requestTime.value,
  /** For the answer. Then 503. */
  handler: BOUNDS.responseTime.value,
  /** For a client that accepts no byte of its answer. */
  unread: BOUNDS.unreadTime.value,
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

/** Not a member, because the base class sets `upgrade` before members exist. */
const upgradeRequests = new WeakSet<IncomingMessage>();

/** Upgrades to WebSockets only. Other offers, such as h2c, get an ordinary answer (RFC 9110 §7.8). */
class UpgradableRequest extends IncomingMessage {
  get upgrade(): boolean {
    return upgradeRequests.has(this) && this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  set upgrade(offered: boolean) {
    if (offered) upgradeRequests.add(this);
    else upgradeRequests.delete(this);
  }
}

const MESSAGES = { IncomingMessage: UpgradableRequest, ServerResponse: WholeResponse };

/** Creates a Fastify instance without routes: HTTP/1.1, with TLS if the configuration names its files. */
export function httpServer(config: Config, { logger, timeouts, rewriteUrl }: HttpServerOptions): FastifyInstance {
  const tls = config.TLS_CERT && config.TLS_KEY ? { cert: config.TLS_CERT, key: config.TLS_KEY } : undefined;

  const app = Fastify({
    ...(tls ? tlsOptions(tls, timeouts) : { http: MESSAGES }),
    logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    childLoggerFactory: requestLog,
    bodyLimit: config.BODY_LIMIT,
    trustProxy: config.TRUST_PROXY ?? false,
    genReqId: ({ headers }) => requestIdOf(headers),
    rewriteUrl,
    frameworkErrors: (error, request, reply) => {
      // No stage runs, and nothing else would end the connection of an upgrade.
      if (isUpgrade(request))
        reply.header('connection', 'close').raw.once('finish', () => request.raw.socket.destroy());
      void sendProblem(error, request, reply);
    },
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

/** With the types of the plain server. This time-out cannot be set on the server. */
const tlsOptions = (files: TlsFiles, { handshake }: Timeouts) =>
  ({
    https: { ...MESSAGES, handshakeTimeout: handshake, ...readTls(files) },
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

/** Sets limits on the server, because Fastify drops some options. */
export function limitTransport(server: Server, { headers, request, unread, idle }: Timeouts): void {
  // Node checks for late requests at this interval, so limits are shortened by it.
  const interval = Math.min(500, headers / 4);
  Object.assign(server, {
    headersTimeout: headers - interval,
    requestTimeout: request - interval,
    connectionsCheckingInterval: interval,
    keepAliveTimeout: idle,
    timeout: unread,
    maxHeaderSize: BOUNDS.headerBytes.value,
    requireHostHeader: true,
  });
  // Node leaves the socket open.
  server.on('tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy());
}
