import { authenticated, authorise, type Call } from '../calls/access.js';
import { type Listing, pageOf } from '../calls/listing.js';
import type { Page, PageRequest } from '../calls/pages.js';
import { existing, type Model } from '../calls/tombstones.js';
import { Prisma, type PrismaClient } from '../database/client.js';
import type { AccountRules } from './account-rules.js';

export const USER: Model = { kind: 'USER', noun: 'user' };

/** What a representation shows of a user. The password hash never leaves this folder. */
export const shown = { id: true, name: true, email: true, role: true, createdAt: true, version: true } as const;
export type User = Prisma.UserGetPayload<{ select: typeof shown }>;
/** The same in SQL. */
export const userColumns = Prisma.sql`id, name, email, role, created_at AS "createdAt", version`;

/** @throws Failure NOT_FOUND, or GONE for a deleted user */
export const loadUser = (db: Prisma.TransactionClient, id: number): Promise<User> =>
  existing(db, USER, id, () => db.user.findUnique({ where: { id }, select: shown }));

/** The list of all users. */
export const usersIn =
  (client: PrismaClient): Listing<User>['rows'] =>
  ({ ids: id, order, ...part }) =>
    client.user.findMany({ where: { id }, select: shown, orderBy: { id: order }, ...part });

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
