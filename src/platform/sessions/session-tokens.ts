import { createHash, randomBytes } from 'node:crypto';
import type { Call } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { serialByKey } from '../calls/schedulers.js';
import type { Prisma, PrismaClient, RefreshToken } from '../database/client.js';
import type { Names } from '../names.js';
import { ACCESS_TOKEN_LIFETIME, type AccessTokens } from './access-tokens.js';
import type { Revocations } from './revocations.js';

/** Milliseconds after the first use of a refresh token in which it may be used again: a lost answer, a second tab. */
const GRACE = 10_000;
/** Tokens that one refresh token is exchanged for at most. */
const SIBLINGS = 5;

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

type Hash = Uint8Array<ArrayBuffer>;

/** Returns the stored form. SHA-256 without salt is enough, because 256 random bits cannot be guessed. */
export const hashToken = (token: string): Hash => new Uint8Array(createHash('sha256').update(token).digest());

/** Returns a token of 256 random bits with the prefix of its kind (`Names.tokenPrefixes`), and its stored form. */
export function newToken(prefix: string): { token: string; hash: Hash } {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

/** Returns true if the text has the form of a token with that prefix. The token need not be valid. */
export const isToken = (prefix: string, text: string): boolean =>
  text.startsWith(prefix) && /^[\w-]{43}$/.test(text.slice(prefix.length));

interface JwtSession {
  sessionId: string;
  userId: number;
  role: string;
  expiresAt: Date;
}

/** Issues an access token beside the refresh token. @param now milliseconds since the epoch */
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

type Transaction = Prisma.TransactionClient;

interface RefreshDependencies {
  client: PrismaClient;
  tokens: AccessTokens;
  end: Revocations['end'];
  names: Names;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Exchanges refresh tokens, each for the next of its family (RFC 9700 §4.14.2). */
export function refreshService({ client, tokens, end, names, now }: RefreshDependencies) {
  const inTurn = serialByKey();

  /** Locks the session (Prisma has no row locks), and then reads the token. */
  async function load(db: Transaction, hash: Hash) {
    await db.$executeRaw`
      SELECT 1 FROM sessions s JOIN refresh_tokens t ON t.session_id = s.id WHERE t.hash = ${hash} FOR UPDATE OF s`;
    const token = await db.refreshToken.findUnique({
      where: { hash },
      select: { hash: true, usedAt: true, parent: true, session: { include: { user: { select: { role: true } } } } },
    });
    const alive = token && !token.session.revokedAt && token.session.expiresAt.getTime() > now();
    return alive ? token : undefined;
  }

  /**
   * Decides what a token may be exchanged for. Two lines never live side by side: of the children of one token the one that is
   * used first ends the others. Using one of those is a second use of their parent.
   */
  async function judge(db: Transaction, { hash, parent, usedAt }: Pick<RefreshToken, 'hash' | 'parent' | 'usedAt'>) {
    const usedSibling = { parent, hash: { not: hash }, usedAt: { not: null } };
    if (parent && (await db.refreshToken.count({ where: usedSibling }))) return 'reused';
    if (!usedAt) return 'first';
    const children = await db.refreshToken.findMany({ where: { parent: hash }, select: { usedAt: true } });
    const inGrace = now() - usedAt.getTime() <= GRACE && children.every((child) => child.usedAt === null);
    if (!inGrace) return 'reused';
    return children.length < SIBLINGS ? 'sibling' : 'enough';
  }

  /** Returns the session and its next token, or undefined for a token that is no longer valid. */
  async function exchange(db: Transaction, call: Call, hash: Hash) {
    const found = await load(db, hash);
    if (!found) return undefined;
    const { session } = found;
    const verdict = await judge(db, found);
    // Two parties have the token, and one of them is a thief: the session ends for both.
    if (verdict === 'reused') await end(db, call, 'refresh.reused', { id: session.id });
    if (verdict === 'reused' || verdict === 'enough') return undefined;
    await call.enforce();
    const next = newToken(names.tokenPrefixes.refresh);
    const at = new Date(now());
    const { count } = await db.refreshToken.updateMany({ where: { hash, usedAt: null }, data: { usedAt: at } });
    if (count === 0 && verdict === 'first') return undefined;
    await db.refreshToken.create({ data: { hash: next.hash, sessionId: session.id, parent: hash, createdAt: at } });
    return { session, refreshToken: next.token };
  }

  /**
   * Exchanges a refresh token for an access token and the next refresh token. The end of the session does not move.
   * @throws Failure UNAUTHENTICATED for a token that is unknown, expired, revoked, or used; the last ends its session
   */
  return async (call: Call, refreshToken: string): Promise<JwtTokens> => {
    const hash = hashToken(refreshToken);
    const done = await inTurn(Buffer.from(hash).toString('hex'), () =>
      client.$transaction((db) => exchange(db, call, hash)),
    );
    if (!done) {
      const challenge = 'invalid_token';
      throw new Failure('UNAUTHENTICATED', 'The refresh token is invalid, used or expired.', { challenge });
    }
    const { id: sessionId, userId, expiresAt, user } = done.session;
    return jwtTokens(tokens, { sessionId, userId, role: user.role, expiresAt }, done.refreshToken, now());
  };
}
