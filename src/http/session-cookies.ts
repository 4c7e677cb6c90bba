import { fastifyCookie } from '@fastify/cookie';
import type { SessionTokens } from '../services/session-tokens.js';

/** Holds the token of either flow. */
export const ACCESS_COOKIE = 'accord_access';
/** Holds the refresh token, and goes nowhere but to where it is used. */
export const REFRESH_COOKIE = 'accord_refresh';

const PATHS = { [ACCESS_COOKIE]: '/', [REFRESH_COOKIE]: '/api/v1/auth' };

/** @param maxAge seconds; 0 clears the cookie */
const cookie = (name: keyof typeof PATHS, value: string, maxAge: number): string =>
  fastifyCookie.serialize(name, value, {
    path: PATHS[name],
    maxAge,
    httpOnly: true,
    secure: true,
    sameSite: 'strict',
    ...(maxAge === 0 && { expires: new Date(0) }),
  });

/** The `Set-Cookie` lines that end a session in the browser. */
export const clearedCookies = (): string[] => [cookie(ACCESS_COOKIE, '', 0), cookie(REFRESH_COOKIE, '', 0)];

/** The `Set-Cookie` lines of a session. The opaque flow clears what an earlier login may have left to refresh by. */
export function sessionCookies(tokens: SessionTokens): string[] {
  return tokens.flow === 'jwt'
    ? [
        cookie(ACCESS_COOKIE, tokens.accessToken, tokens.expiresIn),
        cookie(REFRESH_COOKIE, tokens.refreshToken, tokens.refreshExpiresIn),
      ]
    : [cookie(ACCESS_COOKIE, tokens.token, tokens.expiresIn), cookie(REFRESH_COOKIE, '', 0)];
}
