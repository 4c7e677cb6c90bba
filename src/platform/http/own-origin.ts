import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * A browser sends cookies along whoever makes it; `Origin` tells whose page did.
     * @throws Failure FORBIDDEN unless `Origin` is there and is the service's own
     */
    refuseForeignOrigin: (request: FastifyRequest) => void;
    /** The same for a request that was authenticated by a cookie; every other one passes. */
    refuseForeignCookie: (request: FastifyRequest) => void;
  }
}

/**
 * Whether the `Origin` of a request is the service's own.
 * @param publicUrl PUBLIC_URL; where it is unset, the Host of the request says what the service's own origin is
 */
export function ownOrigin(publicUrl: string | undefined): (request: FastifyRequest) => boolean {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  return ({ headers, host }) => {
    const { origin = '' } = headers;
    if (own !== undefined) return origin === own;
    if (!URL.canParse(origin)) return false;
    // Host tells no scheme, and may name the default port of the scheme that Origin leaves out.
    const { protocol, host: from } = new URL(origin);
    return URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === from && from !== '';
  };
}

/** @param publicUrl PUBLIC_URL */
export const ownOriginPlugin = fp<{ publicUrl: string | undefined }>(
  async (app, { publicUrl }) => {
    const isOwn = ownOrigin(publicUrl);
    app.decorate('refuseForeignOrigin', (request: FastifyRequest) => {
      if (!isOwn(request))
        throw new Failure('FORBIDDEN', "A write with a cookie must come from the service's own origin.");
    });
    app.decorate('refuseForeignCookie', (request: FastifyRequest) => {
      if (request.actor?.mechanism === 'cookieAuth') app.refuseForeignOrigin(request);
    });
  },
  { name: 'own-origin', dependencies: ['authenticate'] },
);
