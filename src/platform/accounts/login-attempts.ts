import { Failure } from '../calls/errors.js';
import { Prisma, type PrismaClient } from '../database/client.js';
import { macs, type Secrets } from '../secrets.js';
import { knownNetworks, networkOf } from './networks.js';
import { type Counted, type Limit, throttle, type Wanted } from './throttle.js';
import { emailKey } from './users.js';

const MINUTE = 60_000;
/** Milliseconds. */
const WINDOW = 15 * MINUTE;
/** Wrong passwords cause a wait, never a lock (docs/decisions.md, "Login throttling"). */
const GROWING = { attempts: 10, window: WINDOW, wait: { first: MINUTE / 2, longest: WINDOW } };

/** Attempts of one network at one account, whether the account knows the network or not. */
const NETWORK: Limit = { name: 'account and network', ...GROWING };
/** Attempts of all networks together that the account does not know. */
const STRANGERS: Limit = { name: 'strangers', ...GROWING };
/** The number of failures of one stranger that count for all strangers: one network alone makes no other wait. */
const SHARE = 5;
/** Other attempts of strangers: of a network that has used up its share, or with a reservation. */
const BESIDE: Limit = { name: 'beside strangers', attempts: 100, window: WINDOW };
/** Attempts at the current password for a change, by an account that is logged in. */
const CHANGE: Limit = { name: 'change', ...GROWING };
/** Attempts of one address at many accounts. */
const ADDRESS: Limit = { name: 'address', attempts: 100, window: WINDOW };

/** The use of a password: to log in, with each request, or as the current one for a change. */
export type Occasion = 'login' | 'basic' | 'change';

/** An attempt that was permitted. */
interface Attempt {
  /** Records that the password was right: the attempt does not count, and the account knows the network from now on. */
  right: (userId: number) => Promise<void>;
  /** Records that the password could not be verified: the attempt does not count. */
  void: () => Promise<void>;
}

interface LoginAttemptsDependencies {
  client: PrismaClient;
  /** Hide the networks that an account knows. */
  secrets: Secrets;
  now: () => number;
  /** Attempts a minute for an address (LOGIN_LIMIT); Basic spends them on wrong passwords only. */
  perMinute: number;
}

export type LoginAttempts = ReturnType<typeof loginAttempts>;

/**
 * Permits or refuses an attempt at a password. Strangers have an allowance of their own, so that nobody can lock an owner out:
 * - A network from which the account has logged in lately (`networks`) waits for its own failures only.
 * - All other networks share an allowance. One of them can use up half of it and then waits alone; it takes two to make the
 *   others wait.
 * - A network that waits because of others gets a reservation: after the time that it was told, at most fifteen minutes, it is
 *   permitted one attempt, even if attackers use each attempt that becomes free. So the owner can log in from a new network while
 *   fewer than a hundred networks attack within fifteen minutes. With more, `BESIDE` bounds their guesses, and the owner needs a
 *   network that the account knows.
 * - A caller who changes a password is logged in, and no stranger.
 *
 * An unknown account is counted like any other; it knows no network.
 */
export function loginAttempts({ client, secrets, now, perMinute }: LoginAttemptsDependencies) {
  const counters = throttle({ client, now });
  const networks = knownNetworks({ client, codes: macs(secrets, 'accord networks'), now });
  const login: Limit = { name: 'login', attempts: perMinute, window: MINUTE };

  function tooMany(until: Date): Failure {
    const retryAfter = Math.max(1, Math.ceil((until.getTime() - now()) / 1000));
    return new Failure('RATE_LIMITED', 'Too many attempts to log in.', { retryAfter });
  }

  /** @param failures those of the network, with this one; @param shared the result of the count for strangers */
  async function judgeStranger(
    counted: Wanted[],
    { account, network, userId }: { account: string; network: string; userId: number | undefined },
    failures: number,
    shared: Counted,
  ): Promise<void> {
    const mayShare = failures <= SHARE;
    if (mayShare && shared.until === undefined) return;
    if (!mayShare) {
      if (await networks.has(userId, network)) return;
      // Two attempts at once on two instances may both have counted.
      if (shared.count !== undefined) await counters.takeBack(counted.splice(-1));
    }
    const place = `${account}\n${network}`;
    const until = shared.until ?? (await counters.blockedUntil(STRANGERS, account));
    if (until && !(await counters.useReservation(place))) throw tooMany(await counters.reserve(place, until));
    const beside = { limit: BESIDE, subject: account };
    const [result] = await counters.count([beside]);
    if (result?.until) throw tooMany(await counters.reserve(place, result.until));
    counted.push(beside);
  }

  /**
   * @param userId undefined for an unknown account
   * @throws Failure RATE_LIMITED, before anything is hashed
   */
  return async (occasion: Occasion, ip: string, email: string, userId: number | undefined): Promise<Attempt> => {
    const network = networkOf(ip);
    const account = emailKey(email);
    const ofNetwork = { limit: NETWORK, subject: `${account}\n${network}` };
    const share = Prisma.sql`${counters.countOf(ofNetwork.limit, ofNetwork.subject)} < ${SHARE}::int`;
    const when = Prisma.sql`${share} AND NOT ${networks.having(userId, network)}`;
    const wanted: Wanted[] =
      occasion === 'change'
        ? [
            { limit: ADDRESS, subject: network },
            { limit: CHANGE, subject: account },
          ]
        : [
            { limit: login, subject: network },
            { limit: ADDRESS, subject: network },
            ofNetwork,
            { limit: STRANGERS, subject: account, when },
          ];
    const results = await counters.count(wanted);
    const counted = wanted.filter((_one, place) => results[place]?.count !== undefined);
    try {
      const ofItsOwn = results.slice(0, occasion === 'change' ? 2 : 3);
      for (const { until } of ofItsOwn) if (until) throw tooMany(until);
      const [, , failures, shared] = results;
      if (failures && shared) await judgeStranger(counted, { account, network, userId }, failures.count ?? 0, shared);
    } catch (error) {
      // No password was verified, so none has failed. The attempt still counts for LOGIN_LIMIT.
      await counters.takeBack(counted.filter(({ limit }) => limit !== login));
      throw error;
    }
    return {
      right: async (id) => {
        const failed = counted.filter(({ limit }) => occasion === 'basic' || limit !== login);
        await client.$executeRaw`WITH taken AS (${counters.takingBack(failed)}), ${networks.noting(id, network)} SELECT 1`;
      },
      void: () => counters.takeBack(counted),
    };
  };
}
