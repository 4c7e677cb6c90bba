import { isIPv6, SocketAddress } from 'node:net';
import { Prisma, type PrismaClient } from '../database/client.js';
import type { Macs } from '../secrets.js';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Returns the network of an address: an IPv6 host owns its /64 (RFC 4291 §2.5.4). A mapped IPv4 address is IPv4. */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip;
  const mapped = MAPPED.exec(ip)?.[1];
  if (mapped || !isIPv6(ip)) return mapped ?? ip;
  // The form of RFC 5952, in which only mapped and compatible addresses contain dots.
  const { address } = new SocketAddress({ address: ip.split('%')[0] as string, family: 'ipv6' });
  const [head = '', tail] = address.split('::');
  const groups = (text = '') => (text === '' ? [] : text.split(':'));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const network = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)].slice(0, 4).join(':');
  return MAPPED.exec(address)?.[1] ?? network;
}

/** Returns the prefixes by which networks take turns: /48, /56 and /64, or /24 and the IPv4 address. */
export function prefixesOf(network: string): string[] {
  const [a, b, c, last = '0'] = network.split(':');
  if (c === undefined) return [network.replace(/\.\d+$/, ''), network];
  return [`${a}:${b}:${c}`, `${a}:${b}:${c}:${last.padStart(4, '0').slice(0, 2)}`, network];
}

const DAY_MS = 24 * 60 * 60_000;
/** Milliseconds after the last login for which an account knows a network. */
export const KNOWN_NETWORK_AGE_MS = 90 * DAY_MS;
/** Networks that an account knows. */
const MAX_KNOWN_NETWORKS = 20;
/** No account has this id. */
const NOBODY = 0;

/** The networks from which an account has logged in lately. */
export function knownNetworks({ client, codes, now }: { client: PrismaClient; codes: Macs; now: () => number }) {
  // Contains the user, so that the rows do not show that two users share a network.
  const textOf = (userId: number, network: string) => `${userId}\n${network}`;

  /** Returns the SQL condition that the account knows the network. An unknown account costs the same. */
  function knowsSql(account: number | undefined, network: string): Prisma.Sql {
    const userId = account ?? NOBODY;
    const among = Prisma.join(codes.all(textOf(userId, network)));
    return Prisma.sql`EXISTS (
      SELECT FROM known_networks WHERE user_id = ${userId} AND network IN (${among})
        AND last_seen > ${new Date(now() - KNOWN_NETWORK_AGE_MS)}::timestamptz)`;
  }

  return {
    knowsSql,

    async has(account: number | undefined, network: string): Promise<boolean> {
      const [row] = await client.$queryRaw<{ has: boolean }[]>`SELECT ${knowsSql(account, network)} AS has`;
      return row?.has ?? false;
    },

    /** Returns parts of a WITH that store the network of a login, once a day, unless the account was deleted. */
    recordLoginSql(userId: number, network: string): Prisma.Sql {
      const code = codes.make(textOf(userId, network));
      const at = new Date(now());
      return Prisma.sql`noted AS (
        INSERT INTO known_networks AS known (user_id, network, last_seen)
        SELECT id, ${code}, ${at}::timestamptz FROM users WHERE id = ${userId} FOR KEY SHARE
        ON CONFLICT (user_id, network) DO UPDATE SET last_seen = EXCLUDED.last_seen
        WHERE known.last_seen <= EXCLUDED.last_seen - ${DAY_MS}::int * interval '1 ms'
        RETURNING user_id, network
      ), surplus AS (
        DELETE FROM known_networks AS known USING noted
        WHERE known.user_id = noted.user_id AND known.network <> noted.network AND known.network IN (
          SELECT network FROM known_networks WHERE user_id = ${userId} AND network <> ${code}
          ORDER BY last_seen DESC OFFSET ${MAX_KNOWN_NETWORKS - 1}::int)
      )`;
    },
  };
}
