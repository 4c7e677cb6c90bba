import { existing, isStorableId, type Page, type PageRequest, pageOf, refuseAbsent, USER } from 'accord';
import type { Prisma, PrismaClient } from '../../../generated/prisma/client.js';
import { ORDER } from './models.js';

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
  return (await findOrder(db, id)) ?? refuseAbsent(db, ORDER, id);
}

export const findOrder = async (db: Transaction, id: number): Promise<Order | null> =>
  isStorableId(id) ? db.order.findUnique({ where: { id }, select: orderColumns }) : null;

/** Loads nothing of the user, only whether there is one. @throws Failure NOT_FOUND, GONE */
export async function requireUser(db: Transaction, id: number): Promise<void> {
  await existing(db, USER, id, () => db.user.findUnique({ where: { id }, select: { id: true } }));
}

/** A page of a user's orders by ascending id. */
export const pageOfOrders = (client: PrismaClient, userId: number, page: PageRequest): Promise<Page<Order>> =>
  pageOf(page, {
    rows: ({ ids: id, order, ...part }) =>
      client.order.findMany({ where: { userId, id }, select: orderColumns, orderBy: { id: order }, ...part }),
    count: () => client.order.count({ where: { userId } }),
  });
