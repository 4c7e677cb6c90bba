import { authenticated, authorise, type Call } from '../calls/access.js';
import { countedRows } from '../calls/counting.js';
import { listedRows, pageOf } from '../calls/listing.js';
import type { Page, PageRequest } from '../calls/pages.js';
import { existing, type Model } from '../calls/tombstones.js';
import type { Prisma, PrismaClient } from '../database/client.js';
import { columnsOf } from '../database/columns.js';
import { type Reads, type Statements, statement } from '../database/statement.js';
import type { AccountRules } from './account-rules.js';

export const USER: Model = { kind: 'USER', noun: 'user' };

/** What no representation shows of a user. The password hash never leaves this folder. */
const hidden = { emailKey: true, passwordHash: true } as const;
/** A user with all its other members: also those that an application adds to the model. */
export type User = Prisma.UserGetPayload<{ omit: typeof hidden }>;
let columns: Prisma.Sql | undefined;
/** The same in SQL. There is one schema in a process: what one client has said of it holds for statements beside it, too. */
export const userColumns = (db: object): Prisma.Sql => (columns ??= columnsOf(db, 'User', hidden));

type UserRows = ReturnType<typeof userRows>;

/** Users as they are stored, by prepared statements: outside of transactions, and whoever asks. */
export function userRows({ client, statements }: { client: PrismaClient; statements: Statements }) {
  const columns = userColumns(client).sql;
  const byId = statement<[id: number], User>('user by id', `SELECT ${columns} FROM users WHERE id = $1`);
  const byIds = statement<[ids: readonly number[]], User>(
    'users by ids',
    `SELECT ${columns} FROM users WHERE id = ANY($1::int[])`,
  );
  const listed = listedRows<User>('users', columns);
  return {
    byId: async (id: number, by: Reads = statements): Promise<User | undefined> => (await by.read(byId, id))[0],
    /** One that is not there is left out. */
    byIds: async (ids: readonly number[]): Promise<Map<number, User>> =>
      new Map((await statements.read(byIds, ids)).map((user) => [user.id, user])),
    /** All, for a list. */
    listed: (by: Reads = statements) => listed(by),
  };
}

export interface UserReadsDependencies {
  client: PrismaClient;
  statements: Statements;
  /** Milliseconds since the epoch. */
  now: () => number;
  rows: UserRows;
  rules: AccountRules;
}

/** What reads accounts. Every method takes the call first, and last what rows are read by, where more comes along with them (`below`). */
export function userReads({ client, statements, now, rows, rules: { actions } }: UserReadsDependencies) {
  const counted = countedRows({ statements, now }, 'users');
  const load = (id: number, by?: Reads): Promise<User> => existing(client, USER, id, () => rows.byId(id, by));

  return {
    /** A page of all users by ascending id. */
    async list(call: Call, page: PageRequest, by?: Reads): Promise<Page<User>> {
      authorise(call, actions.list);
      await call.checkpoint();
      return pageOf(page, { rows: rows.listed(by), count: counted() });
    },

    /** @throws Failure NOT_FOUND, or GONE for a deleted user */
    async get(call: Call, id: number, by?: Reads): Promise<User> {
      authorise(call, actions.read, id);
      const user = await load(id, by);
      await call.checkpoint();
      return user;
    },

    /** The caller's own account. */
    async me(call: Call, by?: Reads): Promise<User> {
      const { id } = authenticated(call);
      authorise(call, actions.read, id);
      const user = await load(id, by);
      await call.checkpoint();
      return user;
    },
  };
}
