import cookie, { fastifyCookie } from '@fastify/cookie';
import fp from 'fastify-plugin';
import type { Names } from '../names.js';
import type { SessionTokens } from '../sessions/session-tokens.js';

/**
 * Browsers set these cookies only over HTTPS, and not for subdomains (RFC 6265bis §4.1.3). `__Host-` allows only the
 * path `/`.
 */
const PREFIXES = { access: '__Host-', refresh: '__Secure-' } as const;

/** Parses cookies, and removes the prefixes. Over HTTPS a cookie without its prefix does not count. */
export const sessionCookiesPlugin = fp(
  async (app) => {
    const { accessCookie, refreshCookie } = app.names;
    const known = [
      [accessCookie, PREFIXES.access],
      [refreshCookie, PREFIXES.refresh],
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

export function sessionCookies(names: Names, refreshPath: string, https: boolean): SessionCookies {
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
  return {
    holding: (tokens) =>
      tokens.flow === 'jwt'
        ? [access(tokens.accessToken, tokens.expiresIn), refresh(tokens.refreshToken, tokens.refreshExpiresIn)]
        : [access(tokens.token, tokens.expiresIn), refresh('', 0)],
    cleared: () => [access('', 0), refresh('', 0)],
  };
}
