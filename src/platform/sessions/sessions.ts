import { v7 as uuidv7 } from 'uuid';
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
import { liveAt, type SessionEnds } from './session-ends.js';
import { ownSessions } from './session-list.js';
import { jwtTokens, newRefreshToken, SESSION_LIFETIME, type SessionTokens } from './session-tokens.js';

interface SessionsDependencies {
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

/** A session that begins, and the hash of the token that it is known by. */
interface NewSession {
  createdAt: Date;
  expiresAt: Date;
  opaque?: Uint8Array<ArrayBuffer>;
  refresh?: Uint8Array<ArrayBuffer>;
}

/** Logins, and the credentials that descend from them. */
export function sessionsService(dependencies: SessionsDependencies) {
  const { client, credentials, tokens, upToDate, refuses, end, rules, names, now } = dependencies;
  /** Starts the session, unless the account went or its password changed while the old one was being judged. */
  async function open(call: Call, { id, passwordHash }: Account, { createdAt, expiresAt, ...by }: NewSession) {
    const sessionId = uuidv7({ msecs: now() });
    await client.$transaction(async (tx) => {
      await lockUser(tx, id);
      const account = await tx.user.findFirst({ where: { id, passwordHash }, select: { id: true } });
      if (!account) throw refused();
      const session = { id: sessionId, userId: id, createdAt, expiresAt, tokenHash: by.opaque ?? null };
      await tx.session.create({ data: session, select: { id: true } });
      if (by.refresh)
        await tx.refreshToken.create({ data: { hash: by.refresh, sessionId, createdAt }, select: { sessionId: true } });
      await audit(tx, { ...call, actor: { id } }, 'login', `session:${sessionId}`);
    });
    return sessionId;
  }

  /** One look-up with each request: so a revocation, and a change of role, holds at once. */
  async function opaque(token: string): Promise<Actor | undefined> {
    const where = { tokenHash: hashToken(token), ...liveAt(now()) };
    const select = { id: true, expiresAt: true, user: { select: { id: true, role: true } } } as const;
    const session = await client.session.findFirst({ where, select, relationLoadStrategy: 'join' });
    if (!session) return undefined;
    const { id: sessionId, expiresAt, user } = session;
    return { ...user, mechanism: 'opaqueToken', sessionId, expiresAt: Math.floor(expiresAt.getTime() / 1000) };
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
    ...ownSessions({ client, end, now }),
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
        await open(call, account, { createdAt, expiresAt, opaque: hashToken(token) });
        return { flow, token, expiresIn: SESSION_LIFETIME };
      }
      const first = newRefreshToken(names);
      const sessionId = await open(call, account, { createdAt, expiresAt, refresh: first.hash });
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

/** Keeps the account and its password until the transaction ends. Prisma has no word for row locks. */
async function lockUser(tx: Prisma.TransactionClient, id: number): Promise<void> {
  await tx.$queryRaw`SELECT id FROM users WHERE id = ${id} FOR SHARE`;
}

const refused = () => new Failure('UNAUTHENTICATED', 'The e-mail address or the password is wrong.');
