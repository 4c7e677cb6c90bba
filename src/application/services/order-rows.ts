import { isStorableId, type Page, type PageRequest, refuseAbsent, storableOffset } from 'accord';
import type { Prisma, PrismaClient } from '../../../generated/prisma/client.js';

type Transaction = Prisma.TransactionClient;

/** What the service knows of an order. */
export const orderColumns = {
  id: true,
  userId: true,
  status: true,
  amount: true,
  currency: true,
  createdAt: true,
  version: true,
} as const;
export type Order = Prisma.OrderGetPayload<{ select: typeof orderColumns }>;

/** @throws Failure NOT_FOUND, or GONE for one that was deleted with its user */
export async function loadOrder(db: Transaction, id: number): Promise<Order> {
  return (await findOrder(db, id)) ?? refuseAbsent(db, 'ORDER', id, 'order');
}

export const findOrder = async (db: Transaction, id: number): Promise<Order | null> =>
  isStorableId(id) ? db.order.findUnique({ where: { id }, select: orderColumns }) : null;

/** Loads nothing of the user, only whether there is one. @throws Failure NOT_FOUND, GONE */
export async function requireUser(db: Transaction, id: number): Promise<void> {
  const user = isStorableId(id) ? await db.user.findUnique({ where: { id }, select: { id: true } }) : null;
  if (!user) await refuseAbsent(db, 'USER', id, 'user');
}

/** A page of a user's orders by ascending id. */
export async function pageOfOrders(client: PrismaClient, userId: number, page: PageRequest): Promise<Page<Order>> {
  const [rows, total] = await Promise.all([
    client.order.findMany({
      where: { userId, ...('after' in page && { id: { gt: page.after } }) },
      select: orderColumns,
      orderBy: { id: 'asc' },
      take: page.limit + 1,
      ...('offset' in page && { skip: storableOffset(page.offset) }),
    }),
    'offset' in page ? client.order.count({ where: { userId } }) : undefined,
  ]);
  return {
    items: rows.slice(0, page.limit),
    hasMore: rows.length > page.limit,
    ...(total !== undefined && { total }),
  };
}
