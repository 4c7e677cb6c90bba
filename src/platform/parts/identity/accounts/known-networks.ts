import type { Macs } from '../../../core/secrets.js';
import { Prisma, type PrismaClient } from '../../../database/client.js';

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
