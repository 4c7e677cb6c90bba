/**
 * Registers the stages that REST and GraphQL share: security headers, HTTPS, WebSocket upgrades, the route
 * of a request, and the audit of refusals.
 * @module
 */

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import websocket from '@fastify/websocket';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import helmet from 'helmet';
import type { ServerOptions, WebSocket } from 'ws';
import type { Refusal } from '../../parts/identity/audit/audit.js';
import type { PlatformServices } from '../../server/services.js';
import { BOUNDS } from '../bounds.js';
import { Failure, RETRY_AFTER_S } from '../calls/errors.js';
import { type addressReader, isLoopbackAddress } from '../calls/networks.js';
import { type Code, platformCodes } from '../contract/codes.js';

declare module 'fastify' {
  interface FastifyRequest {
    route: FastifyContextConfig & { url?: string };
    /** The client's, as `parseAddress` writes it. */
    readonly address: string;
    /** True when the request has its answer, or its client has left. Work that has not begun is then skipped. */
    isOver: boolean;
  }
  interface FastifyInstance {
    /**
     * Rejects credentials over plain HTTP, without a redirect, which would make the client send them again.
     * @throws Failure FORBIDDEN
     */
    requireHttps: (request: FastifyRequest) => void;
    recordRefusals: (request: FastifyRequest, failures: readonly string[]) => void;
  }
}

const API_POLICY = { useDefaults: false, directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] } };

function securityHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  } as unknown as ServerResponse;
  const applyHelmet = helmet({ contentSecurityPolicy: API_POLICY, strictTransportSecurity: false });
  applyHelmet({} as IncomingMessage, response, (error) => {
    if (error) throw error;
  });
  return headers;
}

/** One year (RFC 6797 §6.1). The subdomains are versions of this service. */
const HSTS = 'max-age=31536000; includeSubDomains';

const AUDITED: Partial<Record<Code, Refusal>> = { FORBIDDEN: 'access.refused', RATE_LIMITED: 'limit.exceeded' };
const auditedByStatus = new Map(
  Object.entries(AUDITED).map(([code, refusal]) => [platformCodes[code as Code].status as number, refusal]),
);

interface CommonStagesOptions {
  production: boolean;
  tls: boolean;
  proxied: boolean;
  addressOf: ReturnType<typeof addressReader>;
  services: PlatformServices;
}

/**
 * Registers small stages of every request. Credentials are accepted over HTTPS, which may end at a trusted proxy. Over
 * plain HTTP they are accepted only from loopback outside production (docs/decisions.md, "Authentication").
 */
export const commonStagesPlugin = fp<CommonStagesOptions>(
  async (app, { production, tls, proxied, addressOf, services: { refusals } }) => {
    app.decorateRequest('route');
    app.decorateRequest('isOver', false);
    app.decorateRequest('address', {
      getter() {
        return addressOf(this.raw);
      },
    });
    // Fastify computes `config` at each access.
    app.stage('route', (request) => {
      request.route = request.routeOptions.config;
      request.arrivedAt = performance.now();
      addressOf(request.raw);
    });
    const headers = securityHeaders();
    app.stage('request-id', (request, reply) => void reply.header('x-request-id', request.id));
    app.stage('security-headers', (_request, reply) => void reply.headers(headers));
    app.stage('strict-transport', (request, reply) => {
      if (request.protocol === 'https') reply.header('strict-transport-security', HSTS);
    });

    if (production && !tls && !proxied) {
      app.log.warn(
        'Credentials are refused: set TLS_CERT and TLS_KEY, or TRUST_PROXY to the proxy that terminates TLS.',
      );
    }
    const isConfidential = ({ protocol, headers, address }: FastifyRequest): boolean => {
      if (protocol === 'https') return true;
      const isProxied = proxied && headers['x-forwarded-proto'] !== undefined;
      return !production && !isProxied && isLoopbackAddress(address);
    };
    app.decorate('requireHttps', (request: FastifyRequest) => {
      if (!isConfidential(request))
        throw new Failure('FORBIDDEN', 'Credentials are accepted over HTTPS only. Use an https:// address.');
    });

    const note = (refusal: Refusal | undefined, { actor, address, id }: FastifyRequest) => {
      if (refusal) refusals.note(refusal, { actor, address, requestId: id });
    };
    app.decorate('recordRefusals', (request: FastifyRequest, failures: readonly string[]) => {
      for (const code of failures) note(AUDITED[code as Code], request);
      if (failures.length > 0) request.codes = [...new Set(failures)].join();
    });
    app.stage('refusals', (request, { statusCode }) => note(auditedByStatus.get(statusCode), request));
  },
  { name: 'common-stages', dependencies: ['pipeline'] },
);

/** ws closes the socket with 1009 if a message is larger. */
const MAX_MESSAGE_BYTES = BOUNDS.socketMessage.value;
const CLOSE_TIMEOUT_MS = 2000;
/** RFC 6455 §7.4.1. */
const GOING_AWAY = 1001;

interface WebSocketOptions {
  path: string;
  /** The server rejects clients that offer only other protocols. */
  protocol: string;
  closing: number;
}

/**
 * Runs WebSocket upgrades through the pipeline. Supports one listening address: the sockets of a second one would stay
 * open.
 */
export const webSocketPlugin = fp<WebSocketOptions>(
  async (app, { path, protocol, closing }) => {
    const options: Pick<ServerOptions, 'maxPayload' | 'autoPong' | 'perMessageDeflate' | 'handleProtocols'> = {
      maxPayload: MAX_MESSAGE_BYTES,
      // ws would queue pongs without a bound. `connection` answers pings.
      autoPong: false,
      // An option of ws 8.19 that its types lack.
      ...{ closeTimeout: closing },
      perMessageDeflate: false,
      // A client must accept the socket to get the close code.
      handleProtocols: (offered) => (offered.has(protocol) ? protocol : ([...offered][0] ?? false)),
    };
    let stopping = false;
    let removed: ((...of: unknown[]) => void)[] = [];
    function preClose(this: FastifyInstance, done: () => void): void {
      stopping = true;
      // The package has removed its listener, so an upgrade would have no answer.
      for (const listener of removed) this.server.on('upgrade', listener);
      // ws now answers 503: a new socket would not get the closing handshake.
      this.websocketServer.close();
      closeClients([...this.websocketServer.clients]).then(done, done);
    }
    app.packageStage('upgrade-mark', async (scope) => {
      await scope.register(websocket, { options, preClose });
      removed = scope.server.listeners('upgrade') as typeof removed;
    });

    app.stage('upgrade', (request, reply) => {
      if (!request.ws) return;
      // A rejected upgrade ends its connection.
      reply.header('connection', 'close');
      if (stopping)
        throw new Failure('UNAVAILABLE', `The service is stopping. Connect again in ${RETRY_AFTER_S} seconds.`, {
          retryAfter: RETRY_AFTER_S,
        });
      if (request.routeOptions.url !== path && !request.is404) {
        throw new Failure('BAD_REQUEST', `There is no WebSocket at this address. Use ${path}.`);
      }
      // Browsers send cookies with sockets of any page (RFC 6455 §10.2).
      if (request.headers.cookie !== undefined && request.headers.authorization === undefined) {
        app.refuseForeignOrigin(request);
      }
    });
  },
  { name: 'web-socket', dependencies: ['pipeline', 'origins'] },
);

async function closeClients(clients: WebSocket[]): Promise<void> {
  const closed = clients.map((client) => once(client, 'close'));
  for (const client of clients) client.close(GOING_AWAY, 'The server is stopping.');
  await Promise.race([Promise.all(closed), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  for (const client of clients) client.terminate();
}
