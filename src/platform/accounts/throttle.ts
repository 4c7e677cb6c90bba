import { createHash } from 'node:crypto';
import type { PrismaClient } from '../database/client.js';

/** How many attempts a window takes, and what comes then. All times in milliseconds. */
export interface Limit {
  /** Keeps the counters of one limit apart from those of another. */
  name: string;
  attempts: number;
  window: number;
  /** A wait that doubles with each further attempt; without it one waits until the window is over. */
  wait?: { first: number; longest: number };
}

/** How many attempts were counted with this one; or until when the subject has to wait, and nothing was counted. */
export type Counted = { count: number; until?: never } | { until: Date; count?: never };

export type Throttle = ReturnType<typeof throttle>;

/**
 * Counters of attempts in the database: they survive a restart, and all instances share them. An attempt is counted
 * before it is made, by one statement, so that no number of simultaneous ones slips through; one that turns out to be
 * right is taken back. A row is 100 bytes, a few for each attempt that is let through, deleted when its window is over
 * (`expiry`), so their number is bounded by the attempts that the limits themselves let through.
 */
export function throttle({ client, now }: { client: PrismaClient; now: () => number }) {
  async function blockedUntil(limit: Limit, subject: string): Promise<Date | undefined> {
    const where = { key: keyOf(limit.name, subject), blockedUntil: { gt: new Date(now()) } };
    return (await client.throttle.findFirst({ where, select: { blockedUntil: true } }))?.blockedUntil ?? undefined;
  }

  return {
    /**
     * Counts an attempt.
     * @param subject whose: an account, an address
     */
    async count(limit: Limit, subject: string): Promise<Counted> {
      const { attempts, window, wait } = limit;
      const at = new Date(now());
      const end = new Date(now() + window);
      const [counted] = await client.$queryRaw<{ count: number }[]>`
        INSERT INTO throttles AS t (key, count, resets_at, blocked_until)
        VALUES (${keyOf(limit.name, subject)}, 1, ${end}::timestamptz, CASE WHEN ${attempts}::int = 1 THEN ${end}::timestamptz END)
        ON CONFLICT (key) DO UPDATE SET (count, resets_at, blocked_until) = (
          SELECT count,
            CASE WHEN ${wait !== undefined} AND count >= ${attempts}::int THEN until + ${window}::int * interval '1 ms' ELSE ends END,
            CASE WHEN count >= ${attempts}::int THEN until END
          FROM (
            SELECT count, ends, CASE WHEN ${wait === undefined} THEN ends ELSE ${at}::timestamptz + interval '1 ms' *
              LEAST(${wait?.longest ?? 0}::int, ${wait?.first ?? 0}::int * 2 ^ LEAST(count - ${attempts}::int, 30)) END AS until
            FROM (
              SELECT CASE WHEN t.resets_at <= ${at}::timestamptz THEN 1 ELSE t.count + 1 END AS count,
                CASE WHEN t.resets_at <= ${at}::timestamptz THEN ${end}::timestamptz ELSE t.resets_at END AS ends
            ) AS counted
          ) AS judged
        )
        WHERE t.blocked_until IS NULL OR t.blocked_until <= ${at}::timestamptz
        RETURNING t.count`;
      return counted ?? { until: (await blockedUntil(limit, subject)) ?? at };
    },

    blockedUntil,

    /** Takes an attempt back that was right after all, or that was never made; whoever waited because of it is free. */
    async takeBack(limit: Limit, subject: string): Promise<void> {
      await client.throttle.updateMany({
        where: { key: keyOf(limit.name, subject), count: { gt: 0 } },
        data: { count: { decrement: 1 }, blockedUntil: null },
      });
    },
  };
}

export const keyOf = (name: string, subject: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(`${name}\n${subject}`).digest());
