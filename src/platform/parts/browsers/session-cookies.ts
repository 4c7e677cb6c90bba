/** Reads and makes the cookies of sessions. @module */

import cookie, { fastifyCookie } from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { Names } from '../../core/names.js';
import type { StagesOf } from '../../core/stages.js';
import type { SessionBinding } from '../identity/sessions/session-binding.js';
import type { SessionTokens } from '../identity/sessions/session-tokens.js';

/**
 * Browsers set these cookies only over HTTPS, and not for subdomains (RFC 6265bis §4.1.3). `__Host-` allows only the
 * path `/`.
 */
const PREFIXES = { access: '__Host-', refresh: '__Secure-' } as const;

/** Parses cookies, and removes the prefixes. Over HTTPS a cookie without its prefix does not count. */
export function sessionCookieStages(app: FastifyInstance) {
  const { accessCookie, refreshCookie, bindingCookie } = app.names;
  app.decorateRequest('refreshCookie', undefined);
  const known = [
    [accessCookie, PREFIXES.access],
    [refreshCookie, PREFIXES.refresh],
    [bindingCookie, PREFIXES.access],
  ] as const;
  return {
    cookies: { register: (scope) => scope.register(cookie) },
    'session-cookies': () => (request) => {
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
    },
  } satisfies Partial<StagesOf<'browsers'>>;
}

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
