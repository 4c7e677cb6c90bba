import { type AuditedEvent, audit } from '../audit/audit.js';
import type { Call } from '../calls/access.js';
import { listeners } from '../calls/listeners.js';
import type { Prisma } from '../database/client.js';
import { notify } from '../database/notify.js';
import type { Database } from '../database/open.js';
import type { Names } from '../names.js';
import type { Revocations } from './revocations.js';

/** Ids in one signal, which holds fewer than 8,000 bytes; each is 36 characters and a space. */
const TOLD_AT_ONCE = 200;

interface SessionEndsDependencies {
  /** Hears the other instances; left out where there is nobody to hear. */
  listen?: Database['listen'] | undefined;
  names: Names;
  /** Ends what a user holds that names no session, in the transaction of the change. */
  revoke: Revocations['revoke'];
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** The sessions that neither have ended nor have expired. @param now milliseconds since the epoch */
export const liveAt = (now: number) =>
  ({ revokedAt: null, expiresAt: { gt: new Date(now) } }) satisfies Prisma.SessionWhereInput;

export type SessionEnds = Awaited<ReturnType<typeof sessionEnds>>;

/**
 * The end of a session before its time, whatever brings it about, and the news of it on every instance. The signal is sent
 * if and only if the transaction commits, and may be lost; what outlives a request asks the tables as well (`standing`).
 */
export async function sessionEnds({ listen, revoke, names, now }: SessionEndsDependencies) {
  const ended = listeners<ReadonlySet<string>>();
  const hear = (payload: string) => ended.tell(new Set(payload.split(' ')));
  await listen?.(names.signals.sessions, hear, () => {});

  const mark = () => ({ revokedAt: new Date(now()) });

  return {
    /** Ends the sessions that still hold among those asked for, writes each of them down, and signals it. */
    async end(
      db: Prisma.TransactionClient,
      call: Call,
      event: Extract<AuditedEvent, 'logout' | 'session.revoked' | 'refresh.reused'>,
      where: Prisma.SessionWhereInput,
    ): Promise<void> {
      const which = { ...where, revokedAt: null };
      const select = { id: true, userId: true } as const;
      const rows = await db.session.updateManyAndReturn({ where: which, data: mark(), select });
      for (const { id, userId } of rows) await audit(db, { ...call, actor: { id: userId } }, event, `session:${id}`);
      for (let told = 0; told < rows.length; told += TOLD_AT_ONCE) {
        const ids = rows.slice(told, told + TOLD_AT_ONCE).map(({ id }) => id);
        await notify(db, names.signals.sessions, ids.join(' '));
      }
    },

    /**
     * Ends all sessions of a user, and the access tokens with them: one signal says so. Called after the change that is
     * the cause, in its transaction, and written down as that change.
     */
    async endAll(db: Prisma.TransactionClient, userId: number): Promise<void> {
      await db.session.updateMany({ where: { userId, revokedAt: null }, data: mark() });
      await revoke(db, userId);
    },

    /**
     * Tells of sessions that have just ended, on whichever instance.
     * @returns ends the telling
     */
    onEnded: ended.add,
  };
}
