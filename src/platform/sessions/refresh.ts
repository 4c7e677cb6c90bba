import { turns } from '../accounts/turns.js';
import type { Call } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { Prisma, PrismaClient, RefreshToken } from '../database/client.js';
import type { Names } from '../names.js';
import type { AccessTokens } from './access-tokens.js';
import { hashToken } from './opaque-tokens.js';
import type { SessionEnds } from './session-ends.js';
import { type JwtTokens, jwtTokens, newRefreshToken } from './session-tokens.js';

/** Milliseconds after its first use in which a refresh token may come again: a lost answer, a second tab. */
const GRACE = 10_000;
/** Tokens that one refresh token is exchanged for at most, the first one included. */
const SIBLINGS = 5;

type Transaction = Prisma.TransactionClient;

interface RefreshDependencies {
  client: PrismaClient;
  tokens: AccessTokens;
  /** Ends sessions. */
  end: SessionEnds['end'];
  names: Names;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Exchanges refresh tokens, each for the next of its family (RFC 9700 §4.14.2). */
export function refreshService({ client, tokens, end, names, now }: RefreshDependencies) {
  const inTurn = turns();

  /** Locks the family (Prisma has no word for row locks), so that whatever else becomes of it waits, and reads the token as it is then. */
  async function load(db: Transaction, hash: Uint8Array<ArrayBuffer>) {
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
   * What a token may be exchanged for. Two lines never live side by side: of the children of one token the one that is
   * used first ends the others, and using one of those is a second use of what they all stand for.
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

  /** @returns the session and its next token, or undefined for a token that is good for nothing any more */
  async function exchange(db: Transaction, call: Call, hash: Uint8Array<ArrayBuffer>) {
    const found = await load(db, hash);
    if (!found) return undefined;
    const { session } = found;
    const verdict = await judge(db, found);
    // Two parties have the token, and nobody can tell which is the thief: neither goes on.
    if (verdict === 'reused') await end(db, call, 'refresh.reused', { id: session.id });
    if (verdict === 'reused' || verdict === 'enough') return undefined;
    await call.checkpoint();
    const next = newRefreshToken(names);
    const at = new Date(now());
    const { count } = await db.refreshToken.updateMany({ where: { hash, usedAt: null }, data: { usedAt: at } });
    if (count === 0 && verdict === 'first') return undefined;
    await db.refreshToken.create({ data: { hash: next.hash, sessionId: session.id, parent: hash, createdAt: at } });
    return { session, refreshToken: next.token };
  }

  /**
   * Exchanges a refresh token for an access token and the next refresh token; the session ends when it did before.
   * @throws Failure UNAUTHENTICATED for one that is unknown, expired, revoked, or used; the last ends its session
   */
  return async (call: Call, refreshToken: string): Promise<JwtTokens> => {
    const hash = hashToken(refreshToken);
    const done = await inTurn(Buffer.from(hash).toString('hex'), () =>
      client.$transaction((db) => exchange(db, call, hash)),
    );
    if (!done) {
      throw new Failure('UNAUTHENTICATED', 'The refresh token is invalid, used or expired.', {
        challenge: 'invalid_token',
      });
    }
    const { id: sessionId, userId, expiresAt, user } = done.session;
    return jwtTokens(tokens, { sessionId, userId, role: user.role, expiresAt }, done.refreshToken, now());
  };
}
