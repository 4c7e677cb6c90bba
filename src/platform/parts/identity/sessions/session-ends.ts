import type { Names } from '../../../core/names.js';
import type { Prisma } from '../../../database/client.js';
import { notify } from '../../../database/signals.js';
import { type AuditCall, type AuditedEvent, audit, COMMAND_LINE } from '../audit/audit.js';

/** A signal holds 8,000 bytes, and an id takes 37. */
const IDS_PER_SIGNAL = 200;

export type SessionEnds = ReturnType<typeof sessionEnds>;

/** Ends sessions and revokes access tokens. All instances are signalled at the commit. */
export function sessionEnds(signals: Pick<Names['signals'], 'revocations' | 'sessions'>, now: () => number) {
  /**
   * Revokes the access tokens of a user. Called in the transaction of the change, after it: the change locks the account,
   * so tokens that are issued before the commit have a lower version.
   */
  async function revoke(tx: Prisma.TransactionClient, userId: number): Promise<void> {
    // Instances of the release before compare times, and ignore a mark that is not later than the last one.
    await tx.$executeRaw`
      WITH mark AS (
        INSERT INTO revocations AS last (user_id, revoked_at, role)
        VALUES (${userId}, ${new Date(now())}::timestamptz, (SELECT role FROM users WHERE id = ${userId}))
        ON CONFLICT (user_id) DO UPDATE SET role = EXCLUDED.role,
          revoked_at = GREATEST(EXCLUDED.revoked_at, last.revoked_at + interval '1 ms')
        RETURNING *
      )
      SELECT pg_notify(${signals.revocations},
        format('%s %s %s %s', user_id, floor(extract(epoch FROM revoked_at) * 1000), role, version)) FROM mark`;
  }

  return {
    revoke,

    /** Ends the selected live sessions, and audits each. @returns their number */
    async end(
      db: Prisma.TransactionClient,
      call: AuditCall,
      event: Extract<AuditedEvent, 'logout' | 'session.revoked' | 'refresh.reused'>,
      where: Prisma.SessionWhereInput,
    ): Promise<number> {
      const select = { id: true, userId: true } as const;
      const data = { revokedAt: new Date(now()) };
      const rows = await db.session.updateManyAndReturn({ where: { ...where, revokedAt: null }, data, select });
      for (const { id, userId } of rows) {
        const actor = call === COMMAND_LINE ? null : { id: userId };
        await audit(db, { ...call, actor }, event, `session:${id}`);
      }
      for (let sent = 0; sent < rows.length; sent += IDS_PER_SIGNAL) {
        const ids = rows.slice(sent, sent + IDS_PER_SIGNAL).map(({ id }) => id);
        await notify(db, signals.sessions, ids.join(' '));
      }
      return rows.length;
    },

    /** Ends all sessions and access tokens of a user, in the transaction of an audited change. @returns the number of sessions */
    async endAll(db: Prisma.TransactionClient, userId: number): Promise<number> {
      const data = { revokedAt: new Date(now()) };
      const { count } = await db.session.updateMany({ where: { userId, revokedAt: null }, data });
      await revoke(db, userId);
      return count;
    },
  };
}
