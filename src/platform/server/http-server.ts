import { randomUUID } from 'node:crypto';
import type { Server } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import { answerParserError, sendProblem } from '../http/problems.js';
import type { Config } from './config.js';
import type { Timeouts } from './timeouts.js';
import { followTls, readTls, type TlsFiles } from './tls.js';
import { handshakeTimeout, limitTransport } from './transport.js';
import { UpgradableRequest } from './upgrade.js';

interface HttpServerOptions extends Required<Pick<FastifyServerOptions, 'logger' | 'rewriteUrl'>> {
  timeouts: Timeouts;
}

/** HTTP/2 over TLS, and HTTP/1.1 for whoever does not speak it. The types follow the plain server; what is used is common. */
const secure = (files: TlsFiles, timeouts: Timeouts) =>
  ({
    http2: true,
    https: {
      allowHTTP1: true,
      Http1IncomingMessage: UpgradableRequest,
      ...handshakeTimeout(timeouts),
      ...readTls(files),
    },
  }) as unknown as FastifyServerOptions;

/** A Fastify instance without routes: plain, or with TLS of its own, whose certificate is followed while it runs. */
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
    // What comes while the server closes is served: nobody has been told not to send it.
    return503OnClosing: false,
    // Above, the router throws what is nobody's; Node's own limit of the headers comes sooner than this one.
    routerOptions: { maxParamLength: 65_536 },
  });

  limitTransport(app.server, timeouts);
  // RFC 9110 §10.1.1: an expectation that nobody knows may be passed over. Node would answer it with a bare 417.
  app.server.on('checkExpectation', (...exchange) => app.server.emit('request', ...exchange));
  if (tls) {
    const unfollow = followTls(app.server as unknown as Server, tls, app.log);
    app.addHook('onClose', async () => unfollow());
  }

  return app;
}
