import { createHash } from 'node:crypto';
import { Prisma, type PrismaClient } from '../database/client.js';

/** How many attempts a window takes, and what comes then. All times in milliseconds. */
export interface Limit {
  /** Keeps the counters of one limit apart from those of another. */
  name: string;
  attempts: number;
  window: number;
  /** A wait that doubles with each further attempt; without it one waits until the window is over. */
  wait?: { first: number; longest: number };
}

/** What an attempt counts for. */
export interface Wanted {
  limit: Limit;
  /** Whose: an account, an address. */
  subject: string;
  /** A condition, in SQL; without one it always does. */
  when?: Prisma.Sql;
}

/**
 * How many attempts were counted with this one; or until when the subject has to wait, and nothing was counted. Neither where
 * the condition did not hold, and behind a limit that has to be waited for.
 */
export type Counted =
  | { count: number; until?: never }
  | { until: Date; count?: never }
  | { count?: never; until?: never };

/**
 * Counters of attempts in the database: they survive a restart, and all instances share them. An attempt is counted
 * before it is made, by one statement, so that no number of simultaneous ones slips through; one that turns out to be
 * right is taken back. A row is 100 bytes, a few for each attempt that is let through, deleted when its window is over
 * (`expiry`), so their number is bounded by the attempts that the limits themselves let through.
 */
export function throttle({ client, now }: { client: PrismaClient; now: () => number }) {
  /** Locks rows in the order in which they were counted, which is the same everywhere: by the kind of limit. */
  const takingBack = (counted: readonly Wanted[]): Prisma.Sql => Prisma.sql`
    UPDATE throttles SET count = throttles.count - 1, blocked_until = NULL
    FROM (
      SELECT key FROM throttles JOIN unnest(${keysOf(counted)}::bytea[]) WITH ORDINALITY AS counted (key, place) USING (key)
      WHERE count > 0 ORDER BY place FOR UPDATE OF throttles
    ) AS taken WHERE throttles.key = taken.key`;

  return {
    /**
     * Counts one attempt for each of several limits, up to the first whose subject has to wait.
     * @param wanted always in the same order of their kinds
     */
    async count(wanted: readonly Wanted[]): Promise<Counted[]> {
      const at = new Date(now());
      const { attempts, windows, firsts, longests } = numbersOf(wanted);
      const due = wanted.flatMap(({ when }, place) => (when ? [Prisma.sql`WHEN ${place + 1}::int THEN ${when}`] : []));
      const isDue = due.length > 0 ? Prisma.sql`CASE place ${Prisma.join(due, ' ')} ELSE true END` : Prisma.sql`true`;
      const rows = await client.$queryRaw<{ count: number | null; until: Date | null; isDue: boolean }[]>`
        WITH wanted AS MATERIALIZED (
          SELECT *, ${isDue} AS due FROM (
            SELECT key, attempts, "window" * interval '1 ms' AS "window", first, longest, place::int FROM unnest(
              ${keysOf(wanted)}::bytea[], ${attempts}::int[], ${windows}::int[], ${firsts}::int[], ${longests}::int[]
            ) WITH ORDINALITY AS listed (key, attempts, "window", first, longest, place)
          ) AS listed
        ), waiting AS (
          SELECT min(place) AS place FROM wanted JOIN throttles USING (key)
          WHERE due AND blocked_until > ${at}::timestamptz
        ), counted AS (
          INSERT INTO throttles AS t (key, count, resets_at, blocked_until)
          SELECT key, 1, ${at}::timestamptz + "window",
            CASE WHEN attempts = 1 THEN ${at}::timestamptz + "window" END
          FROM wanted WHERE due AND place < COALESCE((SELECT place FROM waiting), ${wanted.length + 1}::int) ORDER BY place
          ON CONFLICT (key) DO UPDATE SET (count, resets_at, blocked_until) = (
            SELECT count,
              CASE WHEN longest > 0 AND count >= attempts THEN until + "window" ELSE ends END,
              CASE WHEN count >= attempts THEN until END
            FROM (
              SELECT *, CASE WHEN longest = 0 THEN ends ELSE ${at}::timestamptz + interval '1 ms' *
                LEAST(longest, first * 2 ^ LEAST(count - attempts, 30)) END AS until
              FROM (
                SELECT wanted.attempts, wanted."window", wanted.first, wanted.longest,
                  CASE WHEN t.resets_at <= ${at}::timestamptz THEN 1 ELSE t.count + 1 END AS count,
                  CASE WHEN t.resets_at <= ${at}::timestamptz THEN EXCLUDED.resets_at ELSE t.resets_at END AS ends
                FROM wanted WHERE wanted.key = EXCLUDED.key
              ) AS counted
            ) AS judged
          )
          WHERE t.blocked_until IS NULL OR t.blocked_until <= ${at}::timestamptz
          RETURNING t.key, t.count
        )
        SELECT counted.count, throttles.blocked_until AS until,
          due AND place <= COALESCE((SELECT place FROM waiting), ${wanted.length + 1}::int) AS "isDue"
        FROM wanted LEFT JOIN counted USING (key) LEFT JOIN throttles USING (key) ORDER BY place`;
      return rows.map(({ count, until, isDue }): Counted => {
        if (count !== null) return { count };
        // One that was refused only now has to wait for what is not seen yet.
        return isDue ? { until: until && until > at ? until : at } : {};
      });
    },

    /** How many were counted, in SQL. */
    countOf: (limit: Limit, subject: string): Prisma.Sql => Prisma.sql`
      COALESCE((SELECT count FROM throttles WHERE key = ${keyOf(limit.name, subject)} AND resets_at > ${new Date(now())}::timestamptz), 0)`,

    async blockedUntil(limit: Limit, subject: string): Promise<Date | undefined> {
      const [row] = await client.$queryRaw<{ until: Date }[]>`
        SELECT blocked_until AS until FROM throttles
        WHERE key = ${keyOf(limit.name, subject)} AND blocked_until > ${new Date(now())}::timestamptz`;
      return row?.until;
    },

    /** Takes an attempt back that was right after all, or that was never made; whoever waited because of it is free. In SQL. */
    takingBack,

    async takeBack(counted: readonly Wanted[]): Promise<void> {
      if (counted.length > 0) await client.$executeRaw(takingBack(counted));
    },
  };
}

export const keyOf = (name: string, subject: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(`${name}\n${subject}`).digest());

/** As PostgreSQL reads bytes in a list. */
const keysOf = (wanted: readonly Wanted[]): string[] =>
  wanted.map(({ limit, subject }) => `\\x${Buffer.from(keyOf(limit.name, subject)).toString('hex')}`);

/** Of a limit without a wait. */
const NONE = 0;

const numbersOf = (wanted: readonly Wanted[]) => {
  const each = (of: (limit: Limit) => number | undefined) => wanted.map(({ limit }) => of(limit) ?? NONE);
  return {
    attempts: each(({ attempts }) => attempts),
    windows: each(({ window }) => window),
    firsts: each(({ wait }) => wait?.first),
    longests: each(({ wait }) => wait?.longest),
  };
};
