import {
  type Counting,
  columnsOf,
  countedRows,
  effectStatement,
  existing,
  isStorableId,
  listedRows,
  type Page,
  type PageRequest,
  pageOf,
  refuseAbsent,
  type Sql,
  statement,
  USER,
} from 'accord';
import type { OrderStatus, Prisma, PrismaClient } from '../../../generated/prisma/client.js';
import { ORDER } from './models.js';

/** What the service knows of an order. */
export type Order = Prisma.OrderGetPayload<object>;

const userExists = statement<[id: number], { id: number }>('id of a user', 'SELECT id FROM users WHERE id = $1');

export interface OrderRowsDependencies extends Counting {
  client: PrismaClient;
}

/** Orders as they are stored. */
export function orderRows({ client, statements, now }: OrderRowsDependencies) {
  const inSql = columnsOf(client, 'Order', {});
  const columns = inSql.sql;
  const byId = statement<[id: number], Order>('order by id', `SELECT ${columns} FROM orders WHERE id = $1`);
  const placed = effectStatement<[userId: number, amount: number, currency: string], Order>(
    'order placed',
    `INSERT INTO orders (user_id, amount, currency) SELECT $1, $2, $3 FROM permitted RETURNING ${columns}`,
  );
  const rowsOf = listedRows<Order>('orders', columns, 'user_id');
  const counted = countedRows({ statements, now }, 'orders', 'user_id');

  const find = async (id: number): Promise<Order | undefined> =>
    isStorableId(id) ? (await statements.read(byId, id))[0] : undefined;

  return {
    find,

    /** How one is placed. */
    placed,

    /** @throws Failure NOT_FOUND, or GONE for one that was deleted with its user */
    load: async (id: number): Promise<Order> => (await find(id)) ?? refuseAbsent(client, ORDER, id),

    /** As a transaction sees it. @throws Failure NOT_FOUND, GONE */
    loadIn: (db: Sql, id: number): Promise<Order> =>
      existing(db, ORDER, id, async () => {
        const [order] = await db.$queryRaw<Order[]>`SELECT ${inSql} FROM orders WHERE id = ${id}`;
        return order;
      }),

    /** Moves an order that is pending on. @returns undefined for another one */
    async moveIn(db: Sql, id: number, status: OrderStatus): Promise<Order | undefined> {
      const [moved] = await db.$queryRaw<Order[]>`
        UPDATE orders SET status = ${status}::order_status, version = version + 1
        WHERE id = ${id} AND status = 'PENDING' RETURNING ${inSql}`;
      return moved;
    },

    /** Loads nothing of the user, only whether there is one. @throws Failure NOT_FOUND, GONE */
    async requireUser(id: number): Promise<void> {
      await existing(client, USER, id, async () => (await statements.read(userExists, id))[0]);
    },

    /** A page of a user's orders by ascending id. */
    page: (userId: number, page: PageRequest): Promise<Page<Order>> =>
      pageOf(page, { rows: rowsOf(statements, userId), count: counted(userId) }),
  };
}
