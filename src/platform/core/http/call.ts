/** Authenticates requests once each, and creates the Call that operations receive. @module */

import cookie, { fastifyCookie } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { SessionBinding } from '../../parts/identity/sessions/session-binding.js';
import { isToken, type SessionTokens } from '../../parts/identity/sessions/session-tokens.js';
import { refuseExcess } from '../../parts/limits/rate-limit.js';
import type { PlatformServices } from '../../server/services.js';
import type { Actor, Call, CredentialKind, Policy, RefreshCookie } from '../calls/access.js';
import { Failure, type Issues } from '../calls/errors.js';
import { andThen, type MaybePromise } from '../calls/schedulers.js';
import type { Names } from '../names.js';
import { headerValues, traceOf } from './headers.js';
import { issueFailure } from './messages.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller after `authenticate`. */
    actor: Actor | null;
    refreshCookie: RefreshCookie | undefined;
    caller: MaybePromise<Actor | null> | undefined;
  }
  interface FastifyInstance {
    policy: Policy;
    /**
     * Authenticates a request once.
     * @returns null without a credential; rejects with UNAUTHENTICATED for an invalid credential, RATE_LIMITED after
     *   too many wrong passwords
     */
    authenticate: (request: FastifyRequest) => MaybePromise<Actor | null>;
    /** Authenticates for the rate limit: an invalid credential counts as none. */
    identify: (request: FastifyRequest) => Promise<Actor | null>;
    /**
     * Authenticates the value of an `Authorization` header that came in another way.
     * @param request the request that opened the connection
     * @throws Failure UNAUTHENTICATED
     */
    authenticateHeader: (request: FastifyRequest, value: string) => Promise<Actor>;
  }
}

type Credential =
  | { scheme: 'bearer' | 'cookie'; token: string }
  | { scheme: 'basic'; username: string; password: string };

export const authenticatePlugin = fp<{ services: PlatformServices }>(
  async (app, { services: { sessions } }) => {
    app.decorateRequest('actor', null);
    app.decorateRequest('caller', undefined);
    app.decorate('authenticate', (request: FastifyRequest) => {
      if (request.caller === undefined) request.caller = authenticate(request);
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
      app.requireHttps(request);
      return verify(readHeader([value]), request);
    });

    /** Returns failures as promises, so that each further call gets the same failure. */
    function authenticate(request: FastifyRequest): MaybePromise<Actor | null> {
      try {
        if (hasCredential(request)) app.requireHttps(request);
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

    const verify = (credential: Credential, request: FastifyRequest): MaybePromise<Actor> =>
      andThen(actorOf(credential, request), (actor) => {
        if (!actor) throw refused(credential.scheme === 'basic' ? WRONG_PASSWORD : FOREIGN_TOKEN);
        return actor;
      });

    function actorOf(credential: Credential, request: FastifyRequest): MaybePromise<Actor | undefined> {
      if (credential.scheme === 'basic') {
        const caller = { address: request.address, requestId: request.id, exchange: request };
        return sessions.basic(credential.username, credential.password, caller);
      }
      const bearer = sessions.bearer(credential.token);
      if (credential.scheme === 'bearer') return bearer;
      return andThen(bearer, (actor) => actor && Object.assign({}, actor, { mechanism: 'cookieAuth' as const }));
    }
  },
  { name: 'authenticate', dependencies: ['common-stages', 'session-cookies'] },
);

const hasCredential = ({ headers, cookies, server: { names } }: FastifyRequest): boolean =>
  headers.authorization !== undefined ||
  [names.accessCookie, names.refreshCookie].some((name) => cookies[name] !== undefined);

function readCredential(request: FastifyRequest): Credential | undefined {
  const lines = headerValues(request.raw, 'authorization');
  if (lines.length > 0) return readHeader(lines);
  const token = request.cookies[request.server.names.accessCookie];
  return token === undefined ? undefined : { scheme: 'cookie', token };
}

/** Reads one line: a scheme in any case, spaces, and the credential (RFC 9110 §11.4). */
function readHeader(lines: string[]): Credential {
  const [, scheme = '', value = ''] =
    /^([a-z]+) +([\w.~+/=-]+)$/i.exec(lines.length === 1 ? (lines[0] as string) : '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return { scheme: 'bearer', token: value };
  if (scheme.toLowerCase() === 'basic') return readBasic(value);
  throw refused('`Authorization` must be one line: `Bearer <token>` or `Basic <credentials>`.');
}

/** Splits at the first colon; UTF-8 without control characters (RFC 7617 §2). */
function readBasic(value: string): Credential {
  const bytes = Buffer.from(value, 'base64');
  const text = bytes.toString();
  const colon = text.indexOf(':');
  const isClean = bytes.equals(Buffer.from(text)) && ![...text].some((c) => c < ' ' || c === '\u007f');
  if (colon < 0 || !isClean || bytes.toString('base64') !== value)
    throw refused('The Basic credential must be the Base64 of `<e-mail address>:<password>` in UTF-8.');
  return { scheme: 'basic', username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function presentedBy({ headers, cookies, server: { names } }: FastifyRequest): CredentialKind | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return cookies[names.accessCookie] === undefined ? undefined : 'cookie';
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
  return isToken(names.tokenPrefixes.access, token) ? 'opaqueToken' : 'other';
}

const WRONG_PASSWORD = 'The e-mail address or the password is wrong.';
const FOREIGN_TOKEN = 'The token is not a valid token of this service: it is malformed, foreign or revoked.';
const refused = (message: string): Failure => new Failure('UNAUTHENTICATED', message, { challenge: 'invalid_token' });

/** Makes the call of a request. @param contentIssues called once, before the rate is counted */
export function callOf(request: FastifyRequest, contentIssues: () => Issues, idempotency?: Call['idempotency']): Call {
  async function check(): Promise<void> {
    const found = contentIssues();
    if (found.issues.length > 0) throw issueFailure('VALIDATION_FAILED', found);
    const rate = request.server.countRequest(request);
    refuseExcess(rate instanceof Promise ? await rate : rate);
  }
  let checked: Promise<void> | undefined;
  return {
    policy: request.server.policy,
    actor: request.actor,
    presented: () => presentedBy(request),
    address: request.address,
    requestId: request.id,
    exchange: request,
    trace: traceOf(request.headers),
    idempotency,
    enforce: () => (checked ??= check()),
  };
}

/**
 * Browsers set these cookies only over HTTPS, and not for subdomains (RFC 6265bis §4.1.3). `__Host-` allows only the
 * path `/`.
 */
const PREFIXES = { access: '__Host-', refresh: '__Secure-' } as const;

/** Parses cookies, and removes the prefixes. Over HTTPS a cookie without its prefix does not count. */
export const sessionCookiesPlugin = fp(
  async (app) => {
    const { accessCookie, refreshCookie, bindingCookie } = app.names;
    app.decorateRequest('refreshCookie', undefined);
    const known = [
      [accessCookie, PREFIXES.access],
      [refreshCookie, PREFIXES.refresh],
      [bindingCookie, PREFIXES.access],
    ] as const;
    app.packageStage('cookies', (scope) => scope.register(cookie));
    app.stage('session-cookies', (request) => {
      const { protocol, cookies, headers } = request;
      if (headers.cookie === undefined) return;
      for (const [name, prefix] of known) {
        const value = cookies[prefix + name] ?? (protocol === 'https' ? undefined : cookies[name]);
        if (value === undefined) delete cookies[name];
        else cookies[name] = value;
      }
      if (protocol !== 'https' || cookies[refreshCookie] === undefined) return;
      const sent = PREFIXES.refresh + refreshCookie;
      // The same parser as for `cookies`, so that the token that a handler reads is one of the values.
      const values = headers.cookie.split(';').flatMap((one) => fastifyCookie.parse(one)[sent] ?? []);
      request.refreshCookie = { values, binding: cookies[bindingCookie], access: cookies[accessCookie] };
    });
  },
  { name: 'session-cookies', dependencies: ['pipeline'] },
);

/**
 * Makes the `Set-Cookie` lines of a session.
 * @example
 * return { status: 204, headers: { 'set-cookie': sessionCookies.cleared() } };
 */
export interface SessionCookies {
  /** Returns the lines of a new or renewed session. The opaque flow clears an earlier refresh cookie. */
  holding: (tokens: SessionTokens) => string[];
  cleared: () => string[];
}

export function sessionCookies(
  names: Names,
  refreshPath: string,
  https: boolean,
  bind: SessionBinding['valueFor'],
): SessionCookies {
  /** @param maxAge seconds; 0 clears the cookie */
  const line = (prefix: string, name: string, path: string) => (value: string, maxAge: number) =>
    fastifyCookie.serialize(https ? prefix + name : name, value, {
      path,
      maxAge,
      httpOnly: true,
      secure: true,
      sameSite: 'strict',
      ...(maxAge === 0 && { expires: new Date(0) }),
    });
  const access = line(PREFIXES.access, names.accessCookie, '/');
  const refresh = line(PREFIXES.refresh, names.refreshCookie, refreshPath);
  const binding = line(PREFIXES.access, names.bindingCookie, '/');
  /** Over plain HTTP, a browser sets no cookie with a prefix. */
  const bound = (value: string, maxAge: number) => (https ? [binding(value, maxAge)] : []);
  return {
    holding(tokens) {
      if (tokens.flow === 'opaque') return [access(tokens.token, tokens.expiresIn), refresh('', 0), ...bound('', 0)];
      const { accessToken, expiresIn, refreshToken, refreshExpiresIn: lifetime, sessionId } = tokens;
      return [access(accessToken, expiresIn), refresh(refreshToken, lifetime), ...bound(bind(sessionId), lifetime)];
    },
    cleared: () => [access('', 0), refresh('', 0), ...bound('', 0)],
  };
}
