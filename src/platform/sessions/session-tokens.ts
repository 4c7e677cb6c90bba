import { createHash, randomBytes } from 'node:crypto';
import type { Call } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { serialByKey } from '../calls/schedulers.js';
import type { Prisma, PrismaClient, RefreshToken } from '../database/client.js';
import type { Names } from '../names.js';
import { ACCESS_TOKEN_LIFETIME_S, type AccessTokens } from './access-tokens.js';
import type { Revocations } from './revocations.js';

/** Milliseconds for which a used refresh token stays valid, because responses get lost and tabs refresh at once. */
const GRACE_MS = 10_000;
/** The maximum number of tokens that one refresh token is exchanged for. */
const MAX_SIBLINGS = 5;

/** The tokens of the JWT flow. Times in seconds from now. */
export interface JwtTokens {
  flow: 'jwt';
  accessToken: string;
  expiresIn: number;
  refreshToken: string;
  /** Until the end of the session. */
  refreshExpiresIn: number;
}

interface OpaqueToken {
  flow: 'opaque';
  token: string;
  expiresIn: number;
}

/**
 * The tokens of a login, by `flow`.
 * @example
 * const represent = (tokens: SessionTokens) => (tokens.flow === 'jwt' ? tokens.accessToken : tokens.token);
 */
export type SessionTokens = JwtTokens | OpaqueToken;

type Hash = Uint8Array<ArrayBuffer>;

/** SHA-256 without salt is enough for 256 random bits. */
export const hashToken = (token: string): Hash => new Uint8Array(createHash('sha256').update(token).digest());

/** Returns a random token with a prefix (`Names.tokenPrefixes`), and its stored form. */
export function newToken(prefix: string): { token: string; hash: Hash } {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

/** Returns true if a text has the format of a token, valid or not. */
export const isToken = (prefix: string, text: string): boolean =>
  text.startsWith(prefix) && /^[\w-]{43}$/.test(text.slice(prefix.length));

interface JwtSession {
  sessionId: string;
  userId: number;
  role: string;
  expiresAt: Date;
}

/** Issues an access token for a refresh token. @param now milliseconds since the epoch */
export async function jwtTokens(
  tokens: AccessTokens,
  { sessionId, userId, role, expiresAt }: JwtSession,
  refreshToken: string,
  now: number,
): Promise<JwtTokens> {
  const accessToken = await tokens.issue({ subject: String(userId), role, sessionId });
  const refreshExpiresIn = Math.floor((expiresAt.getTime() - now) / 1000);
  return { flow: 'jwt', accessToken, expiresIn: ACCESS_TOKEN_LIFETIME_S, refreshToken, refreshExpiresIn };
}

type Transaction = Prisma.TransactionClient;

interface RefreshDependencies {
  client: PrismaClient;
  tokens: AccessTokens;
  end: Revocations['end'];
  names: Names;
  now: () => number;
}

/** Returns a function that rotates refresh tokens and detects their reuse (RFC 9700 §4.14.2). */
export function refreshService({ client, tokens, end, names, now }: RefreshDependencies) {
  const inTurn = serialByKey();

  /** Locks the session before the token is read. Prisma has no row locks. */
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

  /** The first used child of a token invalidates its siblings: using one is a reuse of the parent. */
  async function classifyUse(
    db: Transaction,
    { hash, parent, usedAt }: Pick<RefreshToken, 'hash' | 'parent' | 'usedAt'>,
  ) {
    const usedSibling = { parent, hash: { not: hash }, usedAt: { not: null } };
    if (parent && (await db.refreshToken.count({ where: usedSibling }))) return 'reused';
    if (!usedAt) return 'first';
    const children = await db.refreshToken.findMany({ where: { parent: hash }, select: { usedAt: true } });
    const inGrace = now() - usedAt.getTime() <= GRACE_MS && children.every((child) => child.usedAt === null);
    if (!inGrace) return 'reused';
    return children.length < MAX_SIBLINGS ? 'sibling' : 'exhausted';
  }

  /** Returns the session and its next token, or undefined for an invalid token. */
  async function exchange(db: Transaction, call: Call, hash: Hash) {
    const found = await load(db, hash);
    if (!found) return undefined;
    const { session } = found;
    const use = await classifyUse(db, found);
    // Two parties have the token, and one of them is a thief.
    if (use === 'reused') await end(db, call, 'refresh.reused', { id: session.id });
    if (use === 'reused' || use === 'exhausted') return undefined;
    await call.enforce();
    const next = newToken(names.tokenPrefixes.refresh);
    const at = new Date(now());
    const { count } = await db.refreshToken.updateMany({ where: { hash, usedAt: null }, data: { usedAt: at } });
    if (count === 0 && use === 'first') return undefined;
    await db.refreshToken.create({ data: { hash: next.hash, sessionId: session.id, parent: hash, createdAt: at } });
    return { session, refreshToken: next.token };
  }

  /** @throws Failure UNAUTHENTICATED for an invalid token; a reused one ends its session */
  return async (call: Call, refreshToken: string): Promise<JwtTokens> => {
    const hash = hashToken(refreshToken);
    const exchanged = await inTurn(Buffer.from(hash).toString('hex'), () =>
      client.$transaction((db) => exchange(db, call, hash)),
    );
    if (!exchanged) {
      const challenge = 'invalid_token';
      throw new Failure('UNAUTHENTICATED', 'The refresh token is invalid, used or expired.', { challenge });
    }
    const { id: sessionId, userId, expiresAt, user } = exchanged.session;
    return jwtTokens(tokens, { sessionId, userId, role: user.role, expiresAt }, exchanged.refreshToken, now());
  };
}
