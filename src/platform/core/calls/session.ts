/** The tokens and the cookies of a session, as handlers get them. @module */

/** The tokens of the JWT flow. Times in seconds from now. */
export interface JwtTokens {
  flow: 'jwt';
  accessToken: string;
  expiresIn: number;
  refreshToken: string;
  /** Until the end of the session. */
  refreshExpiresIn: number;
  sessionId: string;
}

/**
 * The tokens of a login, by `flow`.
 * @example
 * const represent = (tokens: SessionTokens) => (tokens.flow === 'jwt' ? tokens.accessToken : tokens.token);
 */
export type SessionTokens = JwtTokens | { flow: 'opaque'; token: string; expiresIn: number };

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
