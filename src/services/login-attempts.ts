import { isIPv6 } from 'node:net';
import type { Limit, Throttle } from './throttle.js';
import { emailKey } from './user-rules.js';

const MINUTE = 60_000;

/** What wrong passwords cost (security.md, "Login throttling"): a wait for the account, never a lock. */
const ACCOUNT: Limit = {
  name: 'account',
  attempts: 10,
  window: 15 * MINUTE,
  wait: { first: MINUTE / 2, longest: 15 * MINUTE },
};
/** One address that tries many accounts. */
const ADDRESS: Limit = { name: 'address', attempts: 100, window: 15 * MINUTE };

/** How a password is presented: to log in, with each request, or as the present one when it is changed. */
export type Occasion = 'login' | 'basic' | 'change';

/** An attempt that was let through. */
export interface Attempt {
  /** The password was right: it does not count as a failure. */
  right: () => Promise<void>;
  /** The password could not be judged: nothing counts. */
  void: () => Promise<void>;
}

export type LoginAttempts = ReturnType<typeof loginAttempts>;

/**
 * Lets an attempt at a password through, or not. An unknown account is counted like any other.
 * @param perMinute attempts a minute for an address (LOGIN_LIMIT); Basic uses them up by wrong passwords only
 */
export function loginAttempts({ throttle, perMinute }: { throttle: Throttle; perMinute: number }) {
  const login: Limit = { name: 'login', attempts: perMinute, window: MINUTE };

  /**
   * @throws Failure RATE_LIMITED, before anything is hashed
   */
  return async (occasion: Occasion, ip: string, email: string): Promise<Attempt> => {
    const network = networkOf(ip);
    const counted: [Limit, string][] = [];
    const takeBack = async (which: (limit: Limit) => boolean) => {
      for (const [limit, subject] of counted) if (which(limit)) await throttle.takeBack(limit, subject);
    };
    const wanted: [Limit, string][] = [
      ...(occasion === 'change' ? [] : [[login, network] satisfies [Limit, string]]),
      [ADDRESS, network],
      [ACCOUNT, emailKey(email)],
    ];
    for (const [limit, subject] of wanted) {
      await throttle.count(limit, subject);
      counted.push([limit, subject]);
    }
    return {
      right: () => takeBack((limit) => occasion === 'basic' || limit !== login),
      void: () => takeBack(() => true),
    };
  };
}

/** An IPv6 host owns its whole /64 (RFC 4291 §2.5.4), so that is what counts as one address. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped || !isIPv6(ip)) return mapped ?? ip;
  const [head = '', tail] = (ip.split('%')[0] as string).toLowerCase().split('::');
  const groups = (text = '') => (text === '' ? [] : text.split(':').map((group) => group.replace(/^0+(?=.)/, '')));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(Math.max(0, missing)).fill('0'), ...groups(tail)].slice(0, 4).join(':');
}
