import type { Db } from '@accord-api/platform';

/** A channel has no table, only an id. */
export const messages = {
  create: (db: Db, authorId: number, { channelId, text }: { channelId: string; text: string }) =>
    db.message.create({ data: { channelId, authorId, text } }),

  /** Returns the newest messages of a channel by ascending id, before an id if given. */
  async newest(db: Db, channelId: string, { limit, before }: { limit: number; before: number | undefined }) {
    const where = { channelId, ...(before !== undefined && { id: { lt: before } }) };
    const rows = await db.message.findMany({ where, orderBy: { id: 'desc' }, take: limit });
    return rows.reverse();
  },
};
