import type { Names } from '../names.js';
import { ACCESS_TOKEN_LIFETIME, type AccessTokens } from './access-tokens.js';
import { hashToken, newToken } from './opaque-tokens.js';

/** Seconds that a login lasts; rotation of its refresh tokens does not extend it (RFC 9700 §4.14). */
export const SESSION_LIFETIME = 30 * 24 * 60 * 60;

/** The tokens of a session in the JWT flow. All times in seconds from now. */
export interface JwtTokens {
  flow: 'jwt';
  accessToken: string;
  expiresIn: number;
  refreshToken: string;
  /** The end of the session, and so of all its refresh tokens. */
  refreshExpiresIn: number;
}

/** The token of a session in the opaque flow. */
interface OpaqueToken {
  flow: 'opaque';
  token: string;
  expiresIn: number;
}

/**
 * The tokens of a login: by `flow` an access token with its refresh token, or an opaque token.
 * @example
 * const represent = (tokens: SessionTokens) => (tokens.flow === 'jwt' ? tokens.accessToken : tokens.token);
 */
export type SessionTokens = JwtTokens | OpaqueToken;

/** A refresh token that is to be stored, and the one that is to be given away. */
export const newRefreshToken = ({ tokenPrefixes }: Pick<Names, 'tokenPrefixes'>) => {
  const token = newToken(tokenPrefixes.refresh);
  return { token, hash: hashToken(token) };
};

interface JwtSession {
  sessionId: string;
  userId: number;
  role: string;
  expiresAt: Date;
}

/** @param now milliseconds since the epoch */
export async function jwtTokens(
  tokens: AccessTokens,
  { sessionId, userId, role, expiresAt }: JwtSession,
  refreshToken: string,
  now: number,
): Promise<JwtTokens> {
  const accessToken = await tokens.issue({ subject: String(userId), role, sessionId });
  const refreshExpiresIn = Math.floor((expiresAt.getTime() - now) / 1000);
  return { flow: 'jwt', accessToken, expiresIn: ACCESS_TOKEN_LIFETIME, refreshToken, refreshExpiresIn };
}
