import {
  columnsOf,
  existing,
  isStorableId,
  listedRows,
  type Page,
  type PageRequest,
  pageOf,
  refuseAbsent,
  type Statements,
  statement,
  USER,
} from 'accord';
import type { Prisma, PrismaClient } from '../../../generated/prisma/client.js';
import { ORDER } from './models.js';

type Transaction = Prisma.TransactionClient;

/** What the service knows of an order. */
export type Order = Prisma.OrderGetPayload<object>;

const userExists = statement<[id: number], { id: number }>('id of a user', 'SELECT id FROM users WHERE id = $1');

/** What reads orders, outside of transactions. */
export function orderReads({ client, statements }: { client: PrismaClient; statements: Statements }) {
  const columns = columnsOf(client, 'Order', {}).sql;
  const byId = statement<[id: number], Order>('order by id', `SELECT ${columns} FROM orders WHERE id = $1`);
  const rowsOf = listedRows<Order>('orders', columns, 'user_id');

  const find = async (id: number): Promise<Order | undefined> =>
    isStorableId(id) ? (await statements.read(byId, id))[0] : undefined;

  return {
    find,

    /** @throws Failure NOT_FOUND, or GONE for one that was deleted with its user */
    load: async (id: number): Promise<Order> => (await find(id)) ?? refuseAbsent(client, ORDER, id),

    /** Loads nothing of the user, only whether there is one. @throws Failure NOT_FOUND, GONE */
    async requireUser(id: number): Promise<void> {
      await existing(client, USER, id, async () => (await statements.read(userExists, id))[0]);
    },

    /** A page of a user's orders by ascending id. */
    page: (userId: number, page: PageRequest): Promise<Page<Order>> =>
      pageOf(page, {
        rows: rowsOf(statements, userId),
        count: () => client.order.count({ where: { userId } }),
      }),
  };
}

/** The order as a transaction sees it. @throws Failure NOT_FOUND, GONE */
export const loadOrderIn = (db: Transaction, id: number): Promise<Order> =>
  existing(db, ORDER, id, () => db.order.findUnique({ where: { id } }));
