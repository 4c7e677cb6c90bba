/**
 * The stages that REST and GraphQL share: security headers, HTTPS, the route of a request, and the audit of refusals.
 * @module
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import { Failure } from '../calls/errors.js';
import { type addressReader, isLoopbackAddress } from '../calls/networks.js';
import type { StagesOf } from '../stages.js';
import { headerValues } from './headers.js';
import { addCommon, commonHeaders } from './whole-response.js';

declare module 'fastify' {
  interface FastifyRequest {
    route: FastifyContextConfig & { url?: string };
    /** The client's, as `parseAddress` writes it. */
    readonly address: string;
    /** True when the request has its answer, or its client has left. Work that has not begun is then skipped. */
    isOver: boolean;
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

interface CommonStagesOptions {
  production: boolean;
  tls: boolean;
  proxied: boolean;
  addressOf: ReturnType<typeof addressReader>;
}

/**
 * Registers small stages of every request. Credentials are accepted over HTTPS, which may end at a trusted proxy. Over
 * plain HTTP they are accepted only from loopback outside production (docs/decisions.md, "Authentication").
 */
export function commonStages(app: FastifyInstance, { production, tls, proxied, addressOf }: CommonStagesOptions) {
  app.decorateRequest('route');
  app.decorateRequest('arrivedAt', 0);
  app.decorateRequest('fields', null);
  app.decorateRequest('codes', null);
  app.decorateRequest('isOver', false);
  app.decorateRequest('address', {
    getter() {
      return addressOf(this.raw);
    },
  });
  if (production && !tls && !proxied) {
    app.log.warn('Credentials are refused: set TLS_CERT and TLS_KEY, or TRUST_PROXY to the proxy that terminates TLS.');
  }
  const isConfidential = ({ protocol, headers, address }: FastifyRequest): boolean => {
    if (protocol === 'https') return true;
    const isProxied = proxied && headers['x-forwarded-proto'] !== undefined;
    return !production && !isProxied && isLoopbackAddress(address);
  };
  const requireHttps = (request: FastifyRequest): void => {
    if (!isConfidential(request))
      throw new Failure('FORBIDDEN', 'Credentials are accepted over HTTPS only. Use an https:// address.');
  };
  const headers = commonHeaders(securityHeaders());
  const stages = {
    route: () => (request) => {
      request.arrivedAt = performance.now();
      addressOf(request.raw);
    },
    'request-id': () => (request, reply) => void reply.header('x-request-id', request.id),
    'security-headers': () => (_request, reply) => addCommon(reply.raw, headers),
    https: ({ credentialsInBody }) =>
      credentialsInBody ? ({ request }: { request: FastifyRequest }) => requireHttps(request) : undefined,
    // A proxy may have checked the other one (RFC 9112 §3.2).
    'second-host':
      () =>
      ({ raw }) => {
        if (headerValues(raw, 'host').length > 1)
          throw new Failure('BAD_REQUEST', 'The request has several Host headers.');
      },
    'strict-transport': () => (request, reply) => {
      if (request.protocol === 'https') reply.header('strict-transport-security', HSTS);
    },
  } satisfies Partial<StagesOf<'core'>>;
  return { stages, requireHttps };
}
