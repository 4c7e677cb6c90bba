/**
 * Binds the refresh cookie to its session by a second cookie. A page of a sibling domain can set a cookie with the name of the
 * first (RFC 6265bis §8.6), but none with the prefix `__Host-`.
 * @module
 */

import type { Call } from '../../../core/calls/access.js';
import { Failure } from '../../../core/calls/errors.js';
import { macs, type Secrets } from '../../../core/secrets.js';
import type { PrismaClient } from '../../../database/client.js';
import { type AccessTokens, type Hash, hashToken } from './session-tokens.js';

const MAC_BYTES = 16;

export type SessionBinding = ReturnType<typeof sessionBinding>;

export function sessionBinding(client: PrismaClient, secrets: Secrets, tokens: Pick<AccessTokens, 'verify'>) {
  const codes = macs(secrets, 'accord session cookie', MAC_BYTES);
  return {
    /** Returns the value of the second cookie. */
    valueFor: (sessionId: string): string => `${sessionId}.${Buffer.from(codes.make(sessionId)).toString('base64url')}`,

    /**
     * Returns the hash of a refresh token; of a cookie, also the sessions that it may belong to. A browser sends all cookies
     * of one name, in any order.
     * @throws Failure UNAUTHENTICATED for a cookie alone
     */
    async find({ exchange }: Call, token: string): Promise<{ hash: Hash; sessions?: string[] }> {
      const { values, binding = '', access = '' } = exchange?.refreshCookie ?? { values: [] };
      if (!values.includes(token)) return { hash: hashToken(token) };
      const [id = '', code = ''] = binding.split('.');
      const sessions = codes.holds(id, Buffer.from(code, 'base64url')) ? [id] : [];
      // The release before leaves the second cookie as it was. The access cookie, which may have expired, has the prefix, too.
      const verify = async () => tokens.verify(access);
      const claims = await verify().catch(() => undefined);
      if (claims) sessions.push(claims.sessionId);
      if (sessions.length === 0) throw new Failure('UNAUTHENTICATED', NOT_BOUND, { challenge: 'invalid_token' });
      const all = values.map(hashToken);
      const where = { sessionId: { in: sessions }, hash: { in: all } };
      const newest = { where, orderBy: { createdAt: 'desc' }, select: { hash: true } } as const;
      const found = all.length > 1 ? await client.refreshToken.findFirst(newest) : undefined;
      return { hash: found?.hash ?? (all[0] as Hash), sessions };
    },
  };
}

const NOT_BOUND = 'The refresh cookie came without the cookie that binds it to its session.';
