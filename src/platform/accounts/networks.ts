import { isIPv6 } from 'node:net';
import { Prisma, type PrismaClient } from '../database/client.js';
import type { Macs } from '../secrets.js';

/** Returns what counts as one address: an IPv6 host owns its whole /64 (RFC 4291 §2.5.4). */
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
/** Networks that an account knows at once; the latest ones. */
const KEPT = 20;
/** No account has this id. */
const NOBODY = 0;

/** The networks from which an account has logged in lately. */
export function knownNetworks({ client, codes, now }: { client: PrismaClient; codes: Macs; now: () => number }) {
  // Contains the user, so that the rows of two users with the same network do not show it.
  const textOf = (userId: number, network: string) => `${userId}\n${network}`;

  /**
   * Returns a condition in SQL: the account knows the network.
   * @param account undefined for an unknown account, which costs the same and knows none
   */
  function having(account: number | undefined, network: string): Prisma.Sql {
    const userId = account ?? NOBODY;
    const among = Prisma.join(codes.all(textOf(userId, network)));
    return Prisma.sql`EXISTS (
      SELECT FROM known_networks WHERE user_id = ${userId} AND network IN (${among})
        AND last_seen > ${new Date(now() - KNOWN_FOR)}::timestamptz)`;
  }

  return {
    having,

    async has(account: number | undefined, network: string): Promise<boolean> {
      const [row] = await client.$queryRaw<{ has: boolean }[]>`SELECT ${having(account, network)} AS has`;
      return row?.has ?? false;
    },

    /**
     * Returns parts of a WITH in SQL that store the network of a login, once a day. They do nothing for an account that was
     * deleted meanwhile.
     */
    noting(userId: number, network: string): Prisma.Sql {
      const code = codes.make(textOf(userId, network));
      const at = new Date(now());
      return Prisma.sql`noted AS (
        INSERT INTO known_networks AS known (user_id, network, last_seen)
        SELECT id, ${code}, ${at}::timestamptz FROM users WHERE id = ${userId} FOR KEY SHARE
        ON CONFLICT (user_id, network) DO UPDATE SET last_seen = EXCLUDED.last_seen
        WHERE known.last_seen <= EXCLUDED.last_seen - ${DAY}::int * interval '1 ms'
        RETURNING user_id, network
      ), surplus AS (
        DELETE FROM known_networks AS known USING noted
        WHERE known.user_id = noted.user_id AND known.network <> noted.network AND known.network IN (
          SELECT network FROM known_networks WHERE user_id = ${userId} AND network <> ${code}
          ORDER BY last_seen DESC OFFSET ${KEPT - 1}::int)
      )`;
    },
  };
}
