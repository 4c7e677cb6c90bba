/** Counts attempts at passwords, and decides which ones are permitted. @module */

import { hash } from 'node:crypto';
import { emailKey } from '../../../core/accounts.js';
import { Failure } from '../../../core/calls/errors.js';
import { networkOf } from '../../../core/calls/networks.js';
import { macs, type Secrets } from '../../../core/secrets.js';
import { Prisma, type PrismaClient } from '../../../database/client.js';
import { knownNetworks } from './known-networks.js';

const MINUTE_MS = 60_000;
const WINDOW_MS = 15 * MINUTE_MS;
/** The kind of rows that permit one attempt after a wait. */
const RESERVATION = 'reservation';

/** The attempts of a window, and the wait after them. Times in milliseconds. */
interface Limit {
  name: string;
  attempts: number;
  window: number;
  /** Doubles with each further attempt. Without it the wait lasts until the end of the window. */
  wait?: { first: number; longest: number };
}

interface AttemptCounter {
  limit: Limit;
  /** An account or a network. */
  subject: string;
  /** The condition for counting, in SQL. */
  when?: Prisma.Sql;
}

/** `count`: a permitted attempt, included in the count. `until`: the attempt is refused until then. Neither: it was not counted. */
type CountResult = { count: number; until?: never } | { until: Date; count?: never } | { count?: never; until?: never };

/**
 * Counts attempts in the database, for all instances. An attempt is counted before it is made, so that simultaneous
 * attempts cannot exceed the limit. A successful one is subtracted.
 */
function throttle({ client, now }: { client: PrismaClient; now: () => number }) {
  /** Returns SQL that subtracts attempts and ends their wait. Locks rows in the order of counting. */
  const subtractSql = (counted: readonly AttemptCounter[]): Prisma.Sql => Prisma.sql`
    UPDATE throttles SET count = throttles.count - 1, blocked_until = NULL
    FROM (
      SELECT key FROM throttles JOIN unnest(${keysOf(counted)}::bytea[]) WITH ORDINALITY AS counted (key, place) USING (key)
      WHERE count > 0 ORDER BY place FOR UPDATE OF throttles
    ) AS taken WHERE throttles.key = taken.key`;

  return {
    /** Counts one attempt for each limit, in a fixed order, up to the first that is exceeded. */
    async count(wanted: readonly AttemptCounter[]): Promise<CountResult[]> {
      const at = new Date(now());
      const each = (of: (limit: Limit) => number) => wanted.map(({ limit }) => of(limit));
      const [attempts, windows] = [each((limit) => limit.attempts), each((limit) => limit.window)];
      const [firsts, longests] = [each(({ wait }) => wait?.first ?? 0), each(({ wait }) => wait?.longest ?? 0)];
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
      return rows.map(({ count, until, isDue }): CountResult => {
        if (count !== null) return { count };
        // The rows of a concurrent statement are not visible yet.
        return isDue ? { until: until && until > at ? until : at } : {};
      });
    },

    /** Returns the number of attempts, in SQL. */
    countOf: (limit: Limit, subject: string): Prisma.Sql => Prisma.sql`
      COALESCE((SELECT count FROM throttles WHERE key = ${keyOf(limit.name, subject)} AND resets_at > ${new Date(now())}::timestamptz), 0)`,

    async blockedUntil(limit: Limit, subject: string): Promise<Date | undefined> {
      const [row] = await client.$queryRaw<{ until: Date }[]>`
        SELECT blocked_until AS until FROM throttles
        WHERE key = ${keyOf(limit.name, subject)} AND blocked_until > ${new Date(now())}::timestamptz`;
      return row?.until;
    },

    subtractSql,

    async subtract(counted: readonly AttemptCounter[]): Promise<void> {
      if (counted.length > 0) await client.$executeRaw(subtractSql(counted));
    },

    /** Deletes the reservation of a subject. @returns true if it was due */
    async useReservation(subject: string): Promise<boolean> {
      const at = new Date(now());
      const where = { key: keyOf(RESERVATION, subject), blockedUntil: { lte: at }, resetsAt: { gt: at } };
      return (await client.throttle.deleteMany({ where })).count > 0;
    },

    /** Reserves an attempt from a time on, even if others use the free attempts. Keeps an earlier reservation. */
    async reserve(subject: string, time: Date): Promise<Date> {
      const key = keyOf(RESERVATION, subject);
      const kept = await client.throttle.findFirst({ where: { key, resetsAt: { gt: new Date(now()) } } });
      if (kept?.blockedUntil) return kept.blockedUntil;
      const place = { count: 0, resetsAt: new Date(time.getTime() + WINDOW_MS), blockedUntil: time };
      await client.throttle.upsert({ where: { key }, create: { key, ...place }, update: place });
      return time;
    },
  };
}

const keyOf = (name: string, subject: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(hash('sha256', `${name}\n${subject}`, 'buffer'));

/** Returns the keys in PostgreSQL's text format of `bytea`. */
const keysOf = (wanted: readonly AttemptCounter[]): string[] =>
  wanted.map(({ limit, subject }) => `\\x${Buffer.from(keyOf(limit.name, subject)).toString('hex')}`);

/** Wrong passwords cause a wait, never a lock (docs/decisions.md, "Login throttling"). */
const GROWING_WAIT = { attempts: 10, window: WINDOW_MS, wait: { first: MINUTE_MS / 2, longest: WINDOW_MS } };

/** Attempts of one network at one account. */
const NETWORK: Limit = { name: 'account and network', ...GROWING_WAIT };
/** Attempts at one account of all networks that it does not know. */
const UNKNOWN_NETWORKS: Limit = { name: 'strangers', ...GROWING_WAIT };
/** Failures of one network that count for all unknown networks. A single network cannot cause the wait of others. */
const MAX_SHARED_FAILURES = 5;
/** Further attempts of unknown networks after `UNKNOWN_NETWORKS` is used up, or with a reservation. */
const EXTRA_ATTEMPTS: Limit = { name: 'beside strangers', attempts: 100, window: WINDOW_MS };
/** Attempts at the current password, by a logged-in account. */
const CHANGE: Limit = { name: 'change', ...GROWING_WAIT };
/** Attempts of one network at many accounts. */
const ADDRESS: Limit = { name: 'address', attempts: 100, window: WINDOW_MS };

/** Milliseconds after a failure, during which a counter may refuse attempts at its account. */
export const ATTEMPT_AGE_MS = 2 * WINDOW_MS;

/** Ends the waits for an account. @param addresses of the failures within `ATTEMPT_AGE_MS` */
export async function forgetAttempts(
  db: Prisma.TransactionClient,
  email: string,
  addresses: readonly string[],
): Promise<void> {
  const account = emailKey(email);
  const ofAccount = [UNKNOWN_NETWORKS, EXTRA_ATTEMPTS, CHANGE].map(({ name }) => keyOf(name, account));
  const ofNetworks = addresses.map((ip) => keyOf(NETWORK.name, `${account}\n${networkOf(ip)}`));
  await db.throttle.deleteMany({ where: { key: { in: [...ofAccount, ...ofNetworks] } } });
}

/** The use of a password: to log in, with each request, or for a change. */
export type PasswordUse = 'login' | 'basic' | 'change';

interface LoginAttemptsDependencies {
  client: PrismaClient;
  /** Hides the networks that an account knows. */
  secrets: Secrets;
  now: () => number;
  /** Attempts a minute for a network (LOGIN_LIMIT). Only wrong passwords of Basic count. */
  perMinute: number;
}

export type LoginAttempts = ReturnType<typeof loginAttempts>;

/**
 * Permits or refuses an attempt at a password, so that attackers cannot lock the owner out:
 * - A network that the account knows from a login waits for its own failures only.
 * - All other networks share a limit. A single network can use half of it, and then waits alone.
 * - A network that waits because of others gets a reservation of one attempt, within fifteen minutes. So the owner can
 * log in from a new network unless a hundred networks attack; then `EXTRA_ATTEMPTS` bounds their guesses.
 * - A change of password comes from a logged-in caller.
 * - An unknown account is counted like any other.
 */
export function loginAttempts({ client, secrets, now, perMinute }: LoginAttemptsDependencies) {
  const counters = throttle({ client, now });
  const networks = knownNetworks({ client, codes: macs(secrets, 'accord networks'), now });
  const login: Limit = { name: 'login', attempts: perMinute, window: MINUTE_MS };

  function tooMany(until: Date): Failure {
    const retryAfter = Math.max(1, Math.ceil((until.getTime() - now()) / 1000));
    return new Failure('RATE_LIMITED', 'Too many attempts to log in.', { retryAfter });
  }

  /** @param userId undefined for an unknown account @throws Failure RATE_LIMITED, before anything is hashed */
  async function admit(occasion: PasswordUse, ip: string, email: string, userId: number | undefined) {
    const network = networkOf(ip);
    const account = emailKey(email);
    const subject = `${account}\n${network}`;
    const ofNetwork = { limit: NETWORK, subject };
    const share = Prisma.sql`${counters.countOf(NETWORK, subject)} < ${MAX_SHARED_FAILURES}::int`;
    const when = Prisma.sql`${share} AND NOT ${networks.knowsSql(userId, network)}`;
    const ofAddress = { limit: ADDRESS, subject: network };
    const atAccount = { limit: UNKNOWN_NETWORKS, subject: account, when };
    const wanted: AttemptCounter[] =
      occasion === 'change'
        ? [ofAddress, { limit: CHANGE, subject: account }]
        : [{ limit: login, subject: network }, ofAddress, ofNetwork, atAccount];
    const results = await counters.count(wanted);
    const counted = wanted.filter((_one, place) => results[place]?.count !== undefined);
    /** @param failures of the network, with this one @param shared the count of all unknown networks */
    async function admitUnknownNetwork(failures: number, shared: CountResult): Promise<void> {
      const mayShare = failures <= MAX_SHARED_FAILURES;
      if (mayShare && shared.until === undefined) return;
      if (!mayShare) {
        if (await networks.has(userId, network)) return;
        // Two simultaneous attempts on two instances may both have counted.
        if (shared.count !== undefined) await counters.subtract(counted.splice(-1));
      }
      const until = shared.until ?? (await counters.blockedUntil(UNKNOWN_NETWORKS, account));
      if (until && !(await counters.useReservation(subject))) throw tooMany(await counters.reserve(subject, until));
      const beside = { limit: EXTRA_ATTEMPTS, subject: account };
      const [result] = await counters.count([beside]);
      if (result?.until) throw tooMany(await counters.reserve(subject, result.until));
      counted.push(beside);
    }

    try {
      for (const { until } of results.slice(0, occasion === 'change' ? 2 : 3)) if (until) throw tooMany(until);
      const [, , failures, shared] = results;
      if (failures && shared) await admitUnknownNetwork(failures.count ?? 0, shared);
    } catch (error) {
      // No password was verified, so none has failed. The attempt counts for LOGIN_LIMIT.
      await counters.subtract(counted.filter(({ limit }) => limit !== login));
      throw error;
    }
    return {
      /** The password is right: the attempt does not count, and the account knows the network from now on. */
      right: async (id: number): Promise<void> => {
        const failed = counted.filter(({ limit }) => occasion === 'basic' || limit !== login);
        await client.$executeRaw`WITH taken AS (${counters.subtractSql(failed)}), ${networks.recordLoginSql(id, network)} SELECT 1`;
      },
      /** The password could not be verified: the attempt does not count. */
      void: () => counters.subtract(counted),
    };
  }

  return {
    admit,
    /** Returns true if the account knows the network of the address. */
    knows: (userId: number | undefined, ip: string): Promise<boolean> => networks.has(userId, networkOf(ip)),
  };
}
