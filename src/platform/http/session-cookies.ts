import { fastifyCookie } from '@fastify/cookie';
import fp from 'fastify-plugin';
import type { SessionTokens } from '../sessions/session-tokens.js';

/** Holds the token of either flow. */
export const ACCESS_COOKIE = 'accord_access';
/** Holds the refresh token, and goes nowhere but to where it is used. */
export const REFRESH_COOKIE = 'accord_refresh';

/**
 * Over HTTPS a prefix has the browser see to it that no neighbour set the cookie, by a subdomain or over plain HTTP
 * (RFC 6265bis §4.1.3). `__Host-` allows no path but `/`; and over plain HTTP browsers refuse them both.
 */
const PREFIXES = { [ACCESS_COOKIE]: '__Host-', [REFRESH_COOKIE]: '__Secure-' } as const;

/**
 * Gives the cookies of a session their plain names, by which all that follows knows them. The one with the prefix wins, and
 * over HTTPS none without it counts. To be registered after what parses cookies.
 */
export const sessionCookiesPlugin = fp(async (app) => {
  app.addHook('onRequest', async (request) => {
    const { protocol, cookies } = request;
    for (const [name, prefix] of Object.entries(PREFIXES)) {
      const value = cookies[prefix + name] ?? (protocol === 'https' ? undefined : cookies[name]);
      if (value === undefined) delete cookies[name];
      else cookies[name] = value;
    }
  });
});

/** The `Set-Cookie` lines by which a browser holds a session. */
export interface SessionCookies {
  /** Of a session that has begun or goes on. The opaque flow clears what an earlier login may have left to refresh by. */
  holding: (tokens: SessionTokens) => string[];
  /** That end it. */
  cleared: () => string[];
}

/**
 * @param refreshPath below which the refresh token is used
 * @param https whether they travel over HTTPS: what they are called depends on it
 */
export function sessionCookies(refreshPath: string, https: boolean): SessionCookies {
  /** @param maxAge seconds; 0 clears the cookie */
  const cookie = (name: keyof typeof PREFIXES, path: string) => (value: string, maxAge: number) =>
    fastifyCookie.serialize(https ? PREFIXES[name] + name : name, value, {
      path,
      maxAge,
      httpOnly: true,
      secure: true,
      sameSite: 'strict',
      ...(maxAge === 0 && { expires: new Date(0) }),
    });
  const [access, refresh] = [cookie(ACCESS_COOKIE, '/'), cookie(REFRESH_COOKIE, refreshPath)];
  return {
    holding: (tokens) =>
      tokens.flow === 'jwt'
        ? [access(tokens.accessToken, tokens.expiresIn), refresh(tokens.refreshToken, tokens.refreshExpiresIn)]
        : [access(tokens.token, tokens.expiresIn), refresh('', 0)],
    cleared: () => [access('', 0), refresh('', 0)],
  };
}
