import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Actor } from '../calls/access.js';
import type { PlatformServices } from '../services.js';
import { type Credential, readCredential, readHeader, refused } from './credential.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, once `authenticate` has found out; null for nobody. */
    actor: Actor | null;
  }
  interface FastifyInstance {
    /**
     * Finds out who calls, once for each request.
     * @returns null when no credential was presented
     * @throws Failure UNAUTHENTICATED for a credential that is not valid; RATE_LIMITED after too many wrong passwords
     */
    authenticate: (request: FastifyRequest) => Promise<Actor | null>;
    /** The same where nothing depends on it but for whom the request counts: what is wrong with the credential is not told. */
    identify: (request: FastifyRequest) => Promise<Actor | null>;
    /**
     * Finds out whom a value of the `Authorization` header belongs to, though it came in another way.
     * @param request the one by which the connection was opened
     * @throws Failure UNAUTHENTICATED for a credential that is not valid
     */
    authenticateHeader: (request: FastifyRequest, value: string) => Promise<Actor>;
  }
}

/** Authentication by the `Authorization` header or the cookie, for both transports. */
export const authenticatePlugin = fp<{ services: PlatformServices }>(
  async (app, { services: { sessions } }) => {
    const decided = new WeakMap<FastifyRequest, Promise<Actor | null>>();
    app.decorateRequest('actor', null);
    app.decorate('authenticate', (request: FastifyRequest) => {
      const known = decided.get(request) ?? identify(request);
      decided.set(request, known);
      return known;
    });

    app.decorate('identify', (request: FastifyRequest) => app.authenticate(request).catch(() => null));

    app.decorate('authenticateHeader', async (request: FastifyRequest, value: string) => {
      app.refusePlainHttp(request);
      return verify(readHeader([value]), request);
    });

    async function identify(request: FastifyRequest): Promise<Actor | null> {
      if (carriesCredential(request)) app.refusePlainHttp(request);
      const credential = readCredential(request);
      if (!credential) return null;
      request.actor = await verify(credential, request);
      return request.actor;
    }

    async function verify(credential: Credential, request: FastifyRequest): Promise<Actor> {
      const actor = await actorOf(credential, request);
      if (!actor) throw refused('The credential is invalid or has expired.');
      return actor;
    }

    async function actorOf(credential: Credential, request: FastifyRequest): Promise<Actor | undefined> {
      if (credential.scheme === 'basic') {
        const caller = { address: request.ip, requestId: request.id };
        return sessions.basic(credential.username, credential.password, caller);
      }
      const bearer = await sessions.bearer(credential.token);
      return bearer && credential.scheme === 'cookie' ? { ...bearer, mechanism: 'cookieAuth' } : bearer;
    }
  },
  { name: 'authenticate', dependencies: ['confidential', 'session-cookies'] },
);

const carriesCredential = ({ headers, cookies, server: { names } }: FastifyRequest): boolean =>
  headers.authorization !== undefined ||
  [names.accessCookie, names.refreshCookie].some((name) => cookies[name] !== undefined);
