import { authorise, type Call } from '../calls/access.js';
import type { Page } from '../calls/pages.js';
import type { PrismaClient } from '../database/client.js';
import type { AccountRules } from './account-rules.js';
import { shown, type User, userColumns } from './user-reads.js';

/** A page of users by cursor, as the Relay connection shows it. */
export interface UserPage extends Page<User> {
  hasPrevious: boolean;
}

/** Which users: those between two ids, and of them `limit` from the start, or from the end. */
export interface Window {
  limit: number;
  fromEnd: boolean;
  after?: number | undefined;
  before?: number | undefined;
}

/** Reading many users at once. */
export function userPages({ client, rules: { actions } }: { client: PrismaClient; rules: AccountRules }) {
  const isThereOne = async (where: { id: { lte: number } | { gte: number } }): Promise<boolean> =>
    (await client.user.findFirst({ where, select: { id: true } })) !== null;

  return {
    /** Several users in one statement, whose text is the same for any number of them. One that is not there is left out. */
    async byIds(call: Call, ids: readonly number[]): Promise<Map<number, User>> {
      authorise(call, actions.read);
      const rows = await client.$queryRaw<User[]>`
        SELECT ${userColumns} FROM users WHERE id = ANY(${ids}::int[])`;
      return new Map(rows.map((row) => [row.id, row]));
    },

    /**
     * A page of all users by ascending id. Whether more lies beyond it is found by one row too many on the side where the
     * page was cut off, and by looking behind the cursor on the other.
     */
    async connection(call: Call, { limit, fromEnd, after, before }: Window): Promise<UserPage> {
      authorise(call, actions.list);
      await call.checkpoint();
      const [rows, someUpToAfter, someFromBefore] = await Promise.all([
        client.user.findMany({
          where: { id: { ...(after !== undefined && { gt: after }), ...(before !== undefined && { lt: before }) } },
          select: shown,
          orderBy: { id: fromEnd ? 'desc' : 'asc' },
          take: limit + 1,
        }),
        after !== undefined && isThereOne({ id: { lte: after } }),
        before !== undefined && isThereOne({ id: { gte: before } }),
      ]);
      const isCutOff = rows.length > limit;
      const items = rows.slice(0, limit);
      return {
        items: fromEnd ? items.reverse() : items,
        hasMore: (!fromEnd && isCutOff) || someFromBefore,
        hasPrevious: (fromEnd && isCutOff) || someUpToAfter,
      };
    },
  };
}
