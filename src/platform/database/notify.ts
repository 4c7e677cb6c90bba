import type { Prisma } from './client.js';

/**
 * Signals all instances that listen to the channel, this one too, when the transaction commits (PostgreSQL's NOTIFY).
 * @param payload at most 8,000 bytes: an id, never the thing itself
 */
export async function notify(db: Prisma.TransactionClient, channel: string, payload: string): Promise<void> {
  await db.$executeRaw`SELECT pg_notify(${channel}, ${payload})`;
}
