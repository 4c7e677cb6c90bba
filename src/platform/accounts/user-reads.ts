import { authenticated, authorise, type Call } from '../calls/access.js';
import { type Listing, pageOf } from '../calls/listing.js';
import type { Page, PageRequest } from '../calls/pages.js';
import { existing, type Model } from '../calls/tombstones.js';
import type { Prisma, PrismaClient } from '../database/client.js';
import { columnsOf } from '../database/columns.js';
import type { AccountRules } from './account-rules.js';

export const USER: Model = { kind: 'USER', noun: 'user' };

/** What no representation shows of a user. The password hash never leaves this folder. */
export const hidden = { emailKey: true, passwordHash: true } as const;
/** A user with all its other members: also those that an application adds to the model. */
export type User = Prisma.UserGetPayload<{ omit: typeof hidden }>;
/** The same in SQL. */
export const userColumns = (db: Prisma.TransactionClient): Prisma.Sql => columnsOf(db, 'User', hidden);

/** @throws Failure NOT_FOUND, or GONE for a deleted user */
export const loadUser = (db: Prisma.TransactionClient, id: number): Promise<User> =>
  existing(db, USER, id, () => db.user.findUnique({ where: { id }, omit: hidden }));

/** The list of all users. */
export const usersIn =
  (client: PrismaClient): Listing<User>['rows'] =>
  ({ ids: id, order, ...part }) =>
    client.user.findMany({ where: { id }, omit: hidden, orderBy: { id: order }, ...part });

/** What reads accounts. Every method takes the call first. */
export function userReads({ client, rules: { actions } }: { client: PrismaClient; rules: AccountRules }) {
  return {
    /** A page of all users by ascending id. */
    async list(call: Call, page: PageRequest): Promise<Page<User>> {
      authorise(call, actions.list);
      await call.checkpoint();
      return pageOf(page, { rows: usersIn(client), count: () => client.user.count() });
    },

    /** @throws Failure NOT_FOUND, or GONE for a deleted user */
    async get(call: Call, id: number): Promise<User> {
      authorise(call, actions.read, id);
      const user = await loadUser(client, id);
      await call.checkpoint();
      return user;
    },

    /** The caller's own account. */
    async me(call: Call): Promise<User> {
      const { id } = authenticated(call);
      authorise(call, actions.read, id);
      const user = await loadUser(client, id);
      await call.checkpoint();
      return user;
    },
  };
}
