import { Failure } from '../calls/errors.js';
import { networkOf } from '../calls/networks.js';
import { Prisma, type PrismaClient } from '../database/client.js';
import { macs, type Secrets } from '../secrets.js';
import { knownNetworks } from './networks.js';
import { type AttemptCounter, type CountResult, type Limit, throttle } from './throttle.js';
import { emailKey } from './users.js';

const MINUTE_MS = 60_000;
const WINDOW_MS = 15 * MINUTE_MS;
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

/** The use of a password: to log in, with each request, or for a change. */
export type PasswordUse = 'login' | 'basic' | 'change';

interface Attempt {
  /** The password is right: the attempt does not count, and the account knows the network from now on. */
  right: (userId: number) => Promise<void>;
  /** The password could not be verified: the attempt does not count. */
  void: () => Promise<void>;
}

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
 *
 * An unknown account is counted like any other.
 */
export function loginAttempts({ client, secrets, now, perMinute }: LoginAttemptsDependencies) {
  const counters = throttle({ client, now });
  const networks = knownNetworks({ client, codes: macs(secrets, 'accord networks'), now });
  const login: Limit = { name: 'login', attempts: perMinute, window: MINUTE_MS };

  function tooMany(until: Date): Failure {
    const retryAfter = Math.max(1, Math.ceil((until.getTime() - now()) / 1000));
    return new Failure('RATE_LIMITED', 'Too many attempts to log in.', { retryAfter });
  }

  /** @param failures of the network, with this one @param shared the count of all unknown networks */
  async function admitUnknownNetwork(
    counted: AttemptCounter[],
    { account, network, userId }: { account: string; network: string; userId: number | undefined },
    failures: number,
    shared: CountResult,
  ): Promise<void> {
    const mayShare = failures <= MAX_SHARED_FAILURES;
    if (mayShare && shared.until === undefined) return;
    if (!mayShare) {
      if (await networks.has(userId, network)) return;
      // Two simultaneous attempts on two instances may both have counted.
      if (shared.count !== undefined) await counters.subtract(counted.splice(-1));
    }
    const place = `${account}\n${network}`;
    const until = shared.until ?? (await counters.blockedUntil(UNKNOWN_NETWORKS, account));
    if (until && !(await counters.useReservation(place))) throw tooMany(await counters.reserve(place, until));
    const beside = { limit: EXTRA_ATTEMPTS, subject: account };
    const [result] = await counters.count([beside]);
    if (result?.until) throw tooMany(await counters.reserve(place, result.until));
    counted.push(beside);
  }

  /** @param userId undefined for an unknown account @throws Failure RATE_LIMITED, before anything is hashed */
  async function admit(occasion: PasswordUse, ip: string, email: string, userId: number | undefined): Promise<Attempt> {
    const network = networkOf(ip);
    const account = emailKey(email);
    const ofNetwork = { limit: NETWORK, subject: `${account}\n${network}` };
    const share = Prisma.sql`${counters.countOf(ofNetwork.limit, ofNetwork.subject)} < ${MAX_SHARED_FAILURES}::int`;
    const when = Prisma.sql`${share} AND NOT ${networks.knowsSql(userId, network)}`;
    const wanted: AttemptCounter[] =
      occasion === 'change'
        ? [
            { limit: ADDRESS, subject: network },
            { limit: CHANGE, subject: account },
          ]
        : [
            { limit: login, subject: network },
            { limit: ADDRESS, subject: network },
            ofNetwork,
            { limit: UNKNOWN_NETWORKS, subject: account, when },
          ];
    const results = await counters.count(wanted);
    const counted = wanted.filter((_one, place) => results[place]?.count !== undefined);
    try {
      const ofItsOwn = results.slice(0, occasion === 'change' ? 2 : 3);
      for (const { until } of ofItsOwn) if (until) throw tooMany(until);
      const [, , failures, shared] = results;
      if (failures && shared)
        await admitUnknownNetwork(counted, { account, network, userId }, failures.count ?? 0, shared);
    } catch (error) {
      // No password was verified, so none has failed. The attempt counts for LOGIN_LIMIT.
      await counters.subtract(counted.filter(({ limit }) => limit !== login));
      throw error;
    }
    return {
      right: async (id) => {
        const failed = counted.filter(({ limit }) => occasion === 'basic' || limit !== login);
        await client.$executeRaw`WITH taken AS (${counters.subtractSql(failed)}), ${networks.recordLoginSql(id, network)} SELECT 1`;
      },
      void: () => counters.subtract(counted),
    };
  }

  return {
    admit,
    /** Returns true if the account knows the network of the address. */
    knows: (userId: number | undefined, ip: string): Promise<boolean> => networks.has(userId, networkOf(ip)),
  };
}
