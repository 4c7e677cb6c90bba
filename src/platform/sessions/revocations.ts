import { listeners } from '../calls/listeners.js';
import type { Prisma, PrismaClient } from '../database/client.js';
import { notify } from '../database/notify.js';
import type { Database } from '../database/open.js';
import { patiently } from '../database/patience.js';
import type { Names } from '../names.js';
import { ACCESS_TOKEN_LIFETIME, type AccessClaims, CLOCK_TOLERANCE } from './access-tokens.js';
import { refresher } from './refresher.js';

/** Milliseconds that a mark is kept: as long as a token from before it could live, and a minute for the commit. */
const KEPT = (ACCESS_TOKEN_LIFETIME + CLOCK_TOLERANCE + 60) * 1000;

/** From when on which role holds: null for a deleted user. */
interface Mark {
  at: number;
  role: string | null;
}

interface RevocationsOptions {
  client: PrismaClient;
  /** Hears the other instances; left out where there is nobody to hear. */
  listen?: Database['listen'] | undefined;
  names: Names;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Told when the marks could not be read; reading goes on until they can. */
  onFault?: (error: unknown) => void;
}

export type Revocations = Awaited<ReturnType<typeof revocations>>;

/**
 * Prompt revocation of tokens that are verified without a lookup (docs/decisions.md, "Prompt revocation"): who is
 * deleted, or changes role or password, leaves a mark in a table, and every instance has the marks in memory. They are told
 * by NOTIFY, and read at the start and whenever the connection that hears it comes back.
 */
export async function revocations({ client, listen, names, now, onFault = () => {} }: RevocationsOptions) {
  const marks = new Map<number, Mark>();
  const revoked = listeners<number>();

  function set(userId: number, mark: Mark): void {
    if ((marks.get(userId)?.at ?? 0) >= mark.at) return;
    marks.set(userId, mark);
    revoked.tell(userId);
  }

  async function read(): Promise<void> {
    const oldest = now() - KEPT;
    for (const [userId, { at }] of marks) if (at < oldest) marks.delete(userId);
    const rows = await client.revocation.findMany({ where: { revokedAt: { gte: new Date(oldest) } } });
    for (const { userId, revokedAt, role } of rows) set(userId, { at: revokedAt.getTime(), role });
  }

  /** The mark is in the signal: a lookup for each could fail, and a burst of changes would be one of lookups. */
  function hear(payload: string): void {
    const [userId, at, role] = payload.split(' ');
    set(Number(userId), { at: Number(at), role: role || null });
  }

  await patiently(read);
  const refresh = refresher(read, onFault);
  await listen?.(names.signals.revocations, hear, refresh.request);

  return {
    /**
     * Ends every access token that the user has now, once the transaction commits, on all instances within a second.
     * Called after the change, in its transaction: after the role was set, the password changed, the row deleted.
     */
    async revoke(tx: Prisma.TransactionClient, userId: number): Promise<void> {
      const where = { userId };
      await tx.revocation.deleteMany({ where: { revokedAt: { lt: new Date(now() - KEPT) }, userId: { not: userId } } });
      const last = await tx.revocation.findUnique({ where });
      const user = await tx.user.findUnique({ where: { id: userId }, select: { role: true } });
      const role = user?.role ?? null;
      // Later than the last mark, though that may be by the clock of an instance that is ahead.
      const revokedAt = new Date(Math.max(now(), (last?.revokedAt.getTime() ?? 0) + 1));
      await tx.revocation.upsert({ where, create: { userId, revokedAt, role }, update: { revokedAt, role } });
      await notify(tx, names.signals.revocations, `${userId} ${revokedAt.getTime()} ${role ?? ''}`);
    },

    /**
     * Whether a verified token was revoked: issued before the mark, or, by an instance that had not heard yet, with a
     * role that no longer holds. Looks into memory only.
     */
    refuses({ subject, role, issuedAt }: Pick<AccessClaims, 'subject' | 'role' | 'issuedAt'>): boolean {
      const mark = marks.get(Number(subject));
      if (!mark || mark.at < now() - KEPT) return false;
      return issuedAt <= mark.at || role !== mark.role;
    },

    /**
     * Tells of every user whose credentials have just changed, on whichever instance: for what is remembered of them.
     * @returns ends the telling
     */
    onRevoked: revoked.add,

    /** Reads the marks anew. */
    read: refresh.read,
    close: refresh.close,
  };
}
