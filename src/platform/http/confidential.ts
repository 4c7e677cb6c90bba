import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import { isLoopbackAddress } from '../loopback.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Called wherever a request carries credentials, before they are looked at.
     * @throws Failure FORBIDDEN when they came over plain HTTP; never a redirect, which would have them sent once more
     */
    refusePlainHttp: (request: FastifyRequest) => void;
  }
}

interface ConfidentialOptions {
  production: boolean;
  /** Whether this process terminates TLS. */
  tls: boolean;
  /** Whether there are proxies whose X-Forwarded-* headers are believed. */
  proxied: boolean;
}

/** A year (RFC 6797 §6.1); with the subdomains, which are versions of this service. */
const HSTS = 'max-age=31536000; includeSubDomains';

/**
 * Credentials travel over HTTPS: ours, or that of a trusted proxy which says so in X-Forwarded-Proto. Over plain HTTP they
 * are taken from loopback only, and outside production only (docs/decisions.md, "Authentication").
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
      const cameByProxy = proxied && headers['x-forwarded-proto'] !== undefined;
      return !production && !cameByProxy && isLoopbackAddress(ip);
    };
    app.decorate('refusePlainHttp', (request: FastifyRequest) => {
      if (!isConfidential(request)) throw new Failure('FORBIDDEN', 'Credentials are taken over HTTPS only.');
    });
  },
  { name: 'confidential', dependencies: ['pipeline'] },
);
