import { Failure } from '../calls/errors.js';
import { Prisma, type PrismaClient } from '../database/client.js';
import { macs, type Secrets } from '../secrets.js';
import { knownNetworks, networkOf } from './networks.js';
import { reservations } from './reservations.js';
import { type Counted, type Limit, throttle, type Wanted } from './throttle.js';
import { emailKey } from './user-model.js';

const MINUTE = 60_000;
/** Milliseconds. */
const WINDOW = 15 * MINUTE;
/** What wrong passwords cost (docs/decisions.md, "Login throttling"): a wait, never a lock. */
const GROWING = { attempts: 10, window: WINDOW, wait: { first: MINUTE / 2, longest: WINDOW } };

/** One network at one account, whether the account knows it or not. */
const NETWORK: Limit = { name: 'account and network', ...GROWING };
/** All networks together that the account does not know. */
const STRANGERS: Limit = { name: 'strangers', ...GROWING };
/** So many of a stranger's failures count for all strangers: one network alone makes no other wait. */
const SHARE = 5;
/** What strangers do beside that: of a network past its share, or one for which a place was kept. */
const BESIDE: Limit = { name: 'beside strangers', attempts: 100, window: WINDOW };
/** Who changes a password is logged in. */
const CHANGE: Limit = { name: 'change', ...GROWING };
/** One address that tries many accounts. */
const ADDRESS: Limit = { name: 'address', attempts: 100, window: WINDOW };

/** How a password is presented: to log in, with each request, or as the present one when it is changed. */
export type Occasion = 'login' | 'basic' | 'change';

/** An attempt that was let through. */
interface Attempt {
  /** The password was right: it does not count as a failure, and the account knows the network from now on. */
  right: (userId: number) => Promise<void>;
  /** The password could not be judged: nothing counts. */
  void: () => Promise<void>;
}

interface LoginAttemptsDependencies {
  client: PrismaClient;
  /** Hide which networks an account knows. */
  secrets: Secrets;
  now: () => number;
  /** Attempts a minute for an address (LOGIN_LIMIT); Basic uses them up by wrong passwords only. */
  perMinute: number;
}

export type LoginAttempts = ReturnType<typeof loginAttempts>;

/**
 * Lets an attempt at a password through, or not. Strangers spend an allowance of their own, so that nobody can lock an
 * owner out:
 * - Where the account has logged in lately (`networks`), only failures from that very network make anyone wait.
 * - All other networks share an allowance. One of them uses up half of it at most and then waits alone; it takes two to
 *   make the others wait.
 * - Who has to wait because of others gets a place (`reservations`): after the time that it was told, fifteen minutes at
 *   most, it is let through, though an attacker take each attempt that becomes free. So the owner comes in from a new
 *   network as well, while fewer than a hundred networks attack within fifteen minutes; with more, `BESIDE` bounds what
 *   they can guess, and a network that the account knows is the sure way in.
 * - Who changes a password is logged in already, and no stranger.
 *
 * An unknown account is counted like any other; it knows no network.
 */
export function loginAttempts({ client, secrets, now, perMinute }: LoginAttemptsDependencies) {
  const counters = throttle({ client, now });
  const places = reservations({ client, now });
  const networks = knownNetworks({ client, codes: macs(secrets, 'accord networks'), now });
  const login: Limit = { name: 'login', attempts: perMinute, window: MINUTE };

  function tooMany(until: Date): Failure {
    const retryAfter = Math.max(1, Math.ceil((until.getTime() - now()) / 1000));
    return new Failure('RATE_LIMITED', 'Too many attempts to log in.', { retryAfter });
  }

  /** @param failures how many the network has made, this one included; @param shared what it counted for among strangers */
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
      // Two at once on two instances, of which each saw the other's place free.
      if (shared.count !== undefined) await counters.takeBack(counted.splice(-1));
    }
    const place = `${account}\n${network}`;
    const until = shared.until ?? (await counters.blockedUntil(STRANGERS, account));
    if (until && !(await places.use(place))) throw tooMany(await places.keep(place, until));
    const beside = { limit: BESIDE, subject: account };
    const [result] = await counters.count([beside]);
    if (result?.until) throw tooMany(await places.keep(place, result.until));
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
      // Refused: no password was judged, so none has failed. That somebody asked still counts.
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
