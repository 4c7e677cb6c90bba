import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Actor } from '../calls/access.js';
import { andThen, type Soon } from '../calls/at-once.js';
import type { PlatformServices } from '../services.js';
import { type Credential, readCredential, readHeader, refused } from './credential.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, once `authenticate` has found out; null for nobody. */
    actor: Actor | null;
    /** What `authenticate` has found, or is finding; undefined before it was asked. */
    caller: Soon<Actor | null> | undefined;
  }
  interface FastifyInstance {
    /**
     * Finds out who calls, once for each request.
     * @returns null when no credential was presented; rejects with Failure UNAUTHENTICATED for a credential that is not valid,
     *   RATE_LIMITED after too many wrong passwords
     */
    authenticate: (request: FastifyRequest) => Soon<Actor | null>;
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
    app.decorateRequest('actor', null);
    app.decorateRequest('caller', undefined);
    app.decorate('authenticate', (request: FastifyRequest) => {
      if (request.caller === undefined) request.caller = identify(request);
      return request.caller;
    });

    app.decorate('identify', async (request: FastifyRequest) => {
      try {
        return await app.authenticate(request);
      } catch {
        return null;
      }
    });

    app.decorate('authenticateHeader', async (request: FastifyRequest, value: string) => {
      app.refusePlainHttp(request);
      return verify(readHeader([value]), request);
    });

    /** A failure is a promise too, so that whoever asks again is told the same. */
    function identify(request: FastifyRequest): Soon<Actor | null> {
      try {
        if (carriesCredential(request)) app.refusePlainHttp(request);
        const credential = readCredential(request);
        if (!credential) return null;
        return andThen(verify(credential, request), (actor) => {
          request.actor = actor;
          return actor;
        });
      } catch (failure) {
        return Promise.reject(failure);
      }
    }

    const verify = (credential: Credential, request: FastifyRequest): Soon<Actor> =>
      andThen(actorOf(credential, request), (actor) => {
        if (!actor) throw refused('The credential is invalid or has expired.');
        return actor;
      });

    function actorOf(credential: Credential, request: FastifyRequest): Soon<Actor | undefined> {
      if (credential.scheme === 'basic') {
        const caller = { address: request.ip, requestId: request.id };
        return sessions.basic(credential.username, credential.password, caller);
      }
      const bearer = sessions.bearer(credential.token);
      if (credential.scheme === 'bearer') return bearer;
      return andThen(bearer, (actor) => actor && { ...actor, mechanism: 'cookieAuth' });
    }
  },
  { name: 'authenticate', dependencies: ['confidential', 'session-cookies'] },
);

const carriesCredential = ({ headers, cookies, server: { names } }: FastifyRequest): boolean =>
  headers.authorization !== undefined ||
  [names.accessCookie, names.refreshCookie].some((name) => cookies[name] !== undefined);
