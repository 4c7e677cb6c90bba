import { isIPv6 } from 'node:net';
import type { PrismaClient } from '../database/client.js';
import type { Macs } from '../secrets.js';

/** An IPv6 host owns its whole /64 (RFC 4291 §2.5.4), so that is what counts as one address. */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped || !isIPv6(ip)) return mapped ?? ip;
  const [head = '', tail] = (ip.split('%')[0] as string).toLowerCase().split('::');
  const groups = (text = '') => (text === '' ? [] : text.split(':').map((group) => group.replace(/^0+(?=.)/, '')));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(Math.max(0, missing)).fill('0'), ...groups(tail)].slice(0, 4).join(':');
}

const DAY = 24 * 60 * 60_000;
/** Milliseconds that a network is known after the last login from it. */
export const KNOWN_FOR = 90 * DAY;
/** Networks that an account knows at once; those seen last. */
const KEPT = 20;
/** No account has this id. */
const NOBODY = 0;

export type KnownNetworks = ReturnType<typeof knownNetworks>;

/** The networks from which an account has logged in lately. */
export function knownNetworks({ client, codes, now }: { client: PrismaClient; codes: Macs; now: () => number }) {
  // With the user in it, rows of two users who share a network have nothing in common.
  const textOf = (userId: number, network: string) => `${userId}\n${network}`;

  return {
    /** @param account undefined for an unknown account, which costs the same and knows none */
    async has(account: number | undefined, network: string): Promise<boolean> {
      const userId = account ?? NOBODY;
      const among = codes.all(textOf(userId, network));
      const lastSeen = { gt: new Date(now() - KNOWN_FOR) };
      return (await client.knownNetwork.count({ where: { userId, network: { in: among }, lastSeen } })) > 0;
    },

    /** Notes that the account was there, once a day. An account that was deleted meanwhile notes nothing. */
    async add(userId: number, network: string): Promise<void> {
      const code = codes.make(textOf(userId, network));
      const at = new Date(now());
      const noted = await client.$executeRaw`
        INSERT INTO known_networks AS known (user_id, network, last_seen)
        SELECT id, ${code}, ${at}::timestamptz FROM users WHERE id = ${userId} FOR KEY SHARE
        ON CONFLICT (user_id, network) DO UPDATE SET last_seen = EXCLUDED.last_seen
        WHERE known.last_seen <= EXCLUDED.last_seen - ${DAY}::int * interval '1 ms'`;
      if (noted === 0) return;
      await client.$executeRaw`
        DELETE FROM known_networks WHERE user_id = ${userId} AND network IN (
          SELECT network FROM known_networks WHERE user_id = ${userId} ORDER BY last_seen DESC OFFSET ${KEPT})`;
    },
  };
}
