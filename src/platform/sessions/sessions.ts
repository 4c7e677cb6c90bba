import type { AccountRules } from '../accounts/account-rules.js';
import type { Account, Credentials } from '../accounts/credentials.js';
import { audit } from '../audit/audit.js';
import type { Actor, Call } from '../calls/access.js';
import { andThen, type Soon } from '../calls/at-once.js';
import { Failure } from '../calls/errors.js';
import { isStorableId } from '../calls/pages.js';
import type { Prisma, PrismaClient } from '../database/client.js';
import type { Names } from '../names.js';
import type { AccessClaims, AccessTokens } from './access-tokens.js';
import { hashToken, isToken, newToken } from './opaque-tokens.js';
import { refreshService } from './refresh.js';
import type { Revocations } from './revocations.js';
import type { SessionEnds } from './session-ends.js';
import { ownSessions } from './session-list.js';
import { jwtTokens, newRefreshToken, SESSION_LIFETIME, type SessionTokens } from './session-tokens.js';

export interface SessionsDependencies {
  client: PrismaClient;
  credentials: Credentials;
  tokens: AccessTokens;
  /** Sees to it that what a token is verified by is known as it was a second ago. */
  upToDate: () => Soon<void>;
  /** Tells of a verified token whether it was revoked since. */
  refuses: Revocations['refuses'];
  /** Ends sessions. */
  end: SessionEnds['end'];
  rules: AccountRules;
  names: Names;
  /** Milliseconds since the epoch. */
  now: () => number;
}

export interface LoginRequest {
  email: string;
  password: string;
  flow?: SessionTokens['flow'];
}

export type Sessions = ReturnType<typeof sessionsService>;

/** Logins, and the credentials that descend from them. */
export function sessionsService(dependencies: SessionsDependencies) {
  const { client, credentials, tokens, upToDate, refuses, end, rules, names, now } = dependencies;
  /** Starts the session, unless the account went or its password changed while the old one was being judged. */
  const open = (call: Call, account: Account, data: Omit<Prisma.SessionUncheckedCreateInput, 'userId'>) =>
    client.$transaction(async (db) => {
      const { id: userId, passwordHash } = account;
      const still = await db.$queryRaw<object[]>`
        SELECT 1 AS still FROM users WHERE id = ${userId} AND password_hash = ${passwordHash} FOR SHARE`;
      if (still.length === 0) throw refused();
      const session = await db.session.create({ data: { ...data, userId }, select: { id: true } });
      await audit(db, { ...call, actor: { id: userId } }, 'login', `session:${session.id}`);
      return session;
    });

  /** One look-up with each request: so a revocation, and a change of role, holds at once. */
  async function opaque(token: string): Promise<Actor | undefined> {
    const [row] = await client.$queryRaw<{ id: number; role: string; session_id: string; expires: Date }[]>`
      SELECT u.id, u.role, s.id::text AS session_id, s.expires_at AS expires FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.token_hash = ${hashToken(token)} AND s.revoked_at IS NULL AND s.expires_at > ${new Date(now())}::timestamptz`;
    if (!row) return undefined;
    const expiresAt = Math.floor(row.expires.getTime() / 1000);
    return { id: row.id, role: row.role, mechanism: 'opaqueToken', sessionId: row.session_id, expiresAt };
  }

  /** The bearer of a verified token, unless it was revoked. */
  function claimed(claims: AccessClaims | undefined): Actor | undefined {
    if (!claims || refuses(claims)) return undefined;
    const { subject, role, sessionId, expiresAt, kid } = claims;
    // Signed by us, and still held to what a user can be: a wrong value here would be wrong everywhere behind.
    if (!/^[1-9]\d*$/.test(subject) || !isStorableId(Number(subject)) || !rules.roles.has(role)) return undefined;
    return { id: Number(subject), role, mechanism: 'jwt', sessionId, expiresAt, ...(kid !== undefined && { kid }) };
  }

  return {
    ...ownSessions({ client, end, rules, now }),
    basic: credentials.basic,
    refresh: refreshService({ client, tokens, end, names, now }),

    /**
     * Logs in by e-mail address and password.
     * @throws Failure UNAUTHENTICATED, the same for an unknown address and a wrong password; RATE_LIMITED
     */
    async login(call: Call, { email, password, flow = 'jwt' }: LoginRequest): Promise<SessionTokens> {
      const account = await credentials.check('login', call, email, password);
      if (!account) throw refused();
      await call.checkpoint();
      const createdAt = new Date(now());
      const expiresAt = new Date(createdAt.getTime() + SESSION_LIFETIME * 1000);
      if (flow === 'opaque') {
        const token = newToken(names.tokenPrefixes.access);
        await open(call, account, { createdAt, expiresAt, tokenHash: hashToken(token) });
        return { flow, token, expiresIn: SESSION_LIFETIME };
      }
      const first = newRefreshToken(names);
      const family = { create: { hash: first.hash, createdAt } };
      const { id: sessionId } = await open(call, account, { createdAt, expiresAt, tokens: family });
      const session = { sessionId, userId: account.id, role: account.role, expiresAt };
      return jwtTokens(tokens, session, first.token, now());
    },

    /**
     * @returns the bearer of an opaque or JWT access token, or undefined when it is not one of ours, valid now: at once for an
     *   access token that was seen before
     */
    bearer(token: string): Soon<Actor | undefined> {
      if (isToken(names.tokenPrefixes.access, token)) return opaque(token);
      return andThen(
        andThen(upToDate(), () => tokens.verify(token)),
        claimed,
      );
    },
  };
}

const refused = () => new Failure('UNAUTHENTICATED', 'The e-mail address or the password is wrong.');
