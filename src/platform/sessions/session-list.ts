import { authenticated, type Call } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { pageOf } from '../calls/listing.js';
import type { Page, PageRequest } from '../calls/pages.js';
import type { Prisma, PrismaClient } from '../database/client.js';
import { accessOf } from '../operations/client-access.js';
import type { Db } from '../operations/model.js';
import { hashToken } from './opaque-tokens.js';
import { liveAt, type SessionEnds } from './session-ends.js';

/**
 * A login that still holds, as its owner sees it.
 * @example
 * const represent = ({ id, current }: OwnSession): Contract.Session => ({ id, current, … });
 */
export interface OwnSession {
  /** Its place in the list. */
  position: number;
  id: string;
  flow: 'jwt' | 'opaque';
  /** Whether the call belongs to it. */
  current: boolean;
  createdAt: Date;
  expiresAt: Date;
}

interface OwnSessionsDependencies {
  client: PrismaClient;
  end: SessionEnds['end'];
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** What the owner of sessions does with them. The target of the route is the caller's own account. */
export function ownSessions({ client, end, now }: OwnSessionsDependencies) {
  async function revoke(db: Db, where: Prisma.SessionWhereInput): Promise<void> {
    const { call, transaction } = accessOf(db);
    await call.checkpoint();
    await end(await transaction(), call, 'session.revoked', where);
  }

  return {
    /** Returns a page of the live sessions of the caller, oldest first. */
    async list(db: Db, page: PageRequest): Promise<Page<OwnSession>> {
      const { call } = accessOf(db);
      const { id: userId, sessionId } = authenticated(call);
      await call.checkpoint();
      const where = { userId, ...liveAt(now()) };
      const { items, ...rest } = await pageOf(page, {
        rows: ({ ids: position, order, ...part }) =>
          client.session.findMany({ where: { ...where, position }, orderBy: { position: order }, ...part }),
        count: () => client.session.count({ where }),
      });
      const sessions = items.map(
        ({ position, id, tokenHash, createdAt, expiresAt }): OwnSession => ({
          position: Number(position),
          id,
          flow: tokenHash ? 'opaque' : 'jwt',
          current: id === sessionId,
          createdAt,
          expiresAt,
        }),
      );
      return { ...rest, items: sessions };
    },

    /** Ends all sessions of the caller except the one of the call. */
    async revokeOthers(db: Db): Promise<void> {
      const { id: userId, sessionId } = authenticated(accessOf(db).call);
      await revoke(db, { userId, ...(sessionId !== undefined && { id: { not: sessionId } }) });
    },

    /** Ends a session of the caller. @throws Failure NOT_FOUND when the caller has no live session with this id */
    async revoke(db: Db, id: string): Promise<void> {
      const { call, reader } = accessOf(db);
      const { id: userId } = authenticated(call);
      const found = await (await reader()).session.count({ where: { id, userId, ...liveAt(now()) } });
      if (found === 0) throw new Failure('NOT_FOUND', 'There is no such session.');
      await revoke(db, { id, userId });
    },

    /**
     * Ends the session of a refresh token, or else that of the token the call came with. A token that is good for nothing
     * any more has no session left to end, and that is what was wanted.
     * @throws Failure BAD_REQUEST without any of these; UNAUTHENTICATED when the call came with a credential of another kind
     */
    async logout(call: Call, refreshToken: string | undefined): Promise<void> {
      const { actor } = call;
      const presented = call.presented?.();
      if (refreshToken === undefined && presented === undefined) {
        throw new Failure('BAD_REQUEST', 'There is no token whose session could end.');
      }
      if (refreshToken === undefined && presented === 'other') {
        throw new Failure('UNAUTHENTICATED', 'Only a refresh token or an opaque token can log out.');
      }
      await call.checkpoint();
      // Of the caller nothing is asked: with the account its sessions went.
      const logout = (where: Prisma.SessionWhereInput) => client.$transaction((db) => end(db, call, 'logout', where));
      if (refreshToken !== undefined) await logout({ tokens: { some: { hash: hashToken(refreshToken) } } });
      else if (actor?.sessionId !== undefined) await logout({ id: actor.sessionId });
    },
  };
}
