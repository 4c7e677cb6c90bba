import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import { isLoopbackAddress } from '../loopback.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Refuses a request with credentials over plain HTTP, before they are checked. It never redirects: the client would send them again.
     * @throws Failure FORBIDDEN
     */
    refusePlainHttp: (request: FastifyRequest) => void;
  }
}

interface ConfidentialOptions {
  production: boolean;
  /** True if this process terminates TLS. */
  tls: boolean;
  /** True if there are trusted proxies, which send X-Forwarded-* headers. */
  proxied: boolean;
}

/** A year (RFC 6797 §6.1), with the subdomains, which are versions of this service. */
const HSTS = 'max-age=31536000; includeSubDomains';

/**
 * Takes credentials over HTTPS: of this process, or of a trusted proxy that says so in X-Forwarded-Proto. Over plain HTTP it takes
 * them from loopback and outside production only (docs/decisions.md, "Authentication").
 */
export const confidentialPlugin = fp<ConfidentialOptions>(
  async (app, { production, tls, proxied }) => {
    if (production && !tls && !proxied) {
      app.log.warn('All credentials are refused: set TLS_CERT and TLS_KEY, or TRUST_PROXY to the proxy that has them.');
    }
    app.stage('strict-transport', (request, reply) => {
      if (request.protocol === 'https') reply.header('strict-transport-security', HSTS);
    });
    const isConfidential = ({ protocol, headers, ip }: FastifyRequest): boolean => {
      if (protocol === 'https') return true;
      const isProxied = proxied && headers['x-forwarded-proto'] !== undefined;
      return !production && !isProxied && isLoopbackAddress(ip);
    };
    app.decorate('refusePlainHttp', (request: FastifyRequest) => {
      if (!isConfidential(request)) throw new Failure('FORBIDDEN', 'Credentials are taken over HTTPS only.');
    });
  },
  { name: 'confidential', dependencies: ['pipeline'] },
);
