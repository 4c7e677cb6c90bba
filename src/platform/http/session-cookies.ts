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
const COOKIES = {
  [ACCESS_COOKIE]: { path: '/', prefix: '__Host-' },
  [REFRESH_COOKIE]: { path: '/api/v1/auth', prefix: '__Secure-' },
} as const;
type Name = keyof typeof COOKIES;

/**
 * Gives the cookies of a session their plain names, by which all that follows knows them. The one with the prefix wins, and
 * over HTTPS none without it counts. To be registered after what parses cookies.
 */
export const sessionCookiesPlugin = fp(async (app) => {
  app.addHook('onRequest', async (request) => {
    const { protocol, cookies } = request;
    for (const [name, { prefix }] of Object.entries(COOKIES)) {
      const value = cookies[prefix + name] ?? (protocol === 'https' ? undefined : cookies[name]);
      if (value === undefined) delete cookies[name];
      else cookies[name] = value;
    }
  });
});

/** @param maxAge seconds; 0 clears the cookie */
function cookie(name: Name, value: string, maxAge: number, https: boolean): string {
  const { path, prefix } = COOKIES[name];
  return fastifyCookie.serialize(https ? prefix + name : name, value, {
    path,
    maxAge,
    httpOnly: true,
    secure: true,
    sameSite: 'strict',
    ...(maxAge === 0 && { expires: new Date(0) }),
  });
}

/**
 * The `Set-Cookie` lines that end a session in the browser.
 * @param https whether they travel over HTTPS
 */
export const clearedCookies = (https: boolean): string[] => [
  cookie(ACCESS_COOKIE, '', 0, https),
  cookie(REFRESH_COOKIE, '', 0, https),
];

/** The `Set-Cookie` lines of a session. The opaque flow clears what an earlier login may have left to refresh by. */
export function sessionCookies(tokens: SessionTokens, https: boolean): string[] {
  return tokens.flow === 'jwt'
    ? [
        cookie(ACCESS_COOKIE, tokens.accessToken, tokens.expiresIn, https),
        cookie(REFRESH_COOKIE, tokens.refreshToken, tokens.refreshExpiresIn, https),
      ]
    : [cookie(ACCESS_COOKIE, tokens.token, tokens.expiresIn, https), cookie(REFRESH_COOKIE, '', 0, https)];
}
