import type { Prisma, PrismaClient } from '../database/client.js';
import type { Signals } from '../database/signals.js';

/** Milliseconds after which a signal that got lost is made good by a look into the table. */
const BACKSTOP = 5000;

interface Added {
  id: number;
  channelId: string;
}

export interface ChannelsOptions {
  client: PrismaClient;
  signals: Signals;
  /** Told when the table could not be read; it is tried again. */
  onFault?: (error: unknown) => void;
}

export type Channels = Awaited<ReturnType<typeof channelNews>>;

/**
 * Tells, on every instance, that something was added to a channel. A signal is a hint: it carries the id and never the
 * message, may come twice, and may be lost. Who watches reads the table, after the id that it has.
 */
export async function channelNews({ client, signals, onFault = () => {} }: ChannelsOptions) {
  const watchers = new Map<string, Set<(head: number) => void>>();
  const tell = (channelId: string, head: number) => {
    for (const watcher of watchers.get(channelId) ?? []) watcher(head);
  };

  const hear = (payload: string) => {
    const [id, channelId] = payload.split(' ') as [string, string];
    tell(channelId, Number(id));
  };

  /** What was missed while nothing could be heard. */
  async function look(): Promise<void> {
    if (watchers.size === 0) return;
    const rows = await client.$queryRaw<{ channel: string; head: number | null }[]>`
      SELECT channel, (SELECT max(id) FROM messages WHERE channel_id = channel) AS head
      FROM unnest(${[...watchers.keys()]}::text[]) AS channel`;
    for (const { channel, head } of rows) tell(channel, head ?? 0);
  }
  const lookAgain = () => void look().catch(onFault);

  await signals.listen(hear, lookAgain);
  const backstop = setInterval(lookAgain, BACKSTOP).unref();

  return {
    /** Signals a message when the transaction that adds it commits. */
    announce: (db: Prisma.TransactionClient, { id, channelId }: Added) => signals.announce(db, `${id} ${channelId}`),

    /** To be called after the commit: this instance need not wait for its own signal. */
    committed({ id, channelId }: Added): void {
      signals.committed(`${id} ${channelId}`);
      tell(channelId, id);
    },

    /**
     * @param onNews gets the greatest id known; what is at most that id has been committed
     * @returns ends the watch
     */
    watch(channelId: string, onNews: (head: number) => void): () => void {
      const those = watchers.get(channelId) ?? new Set();
      watchers.set(channelId, those.add(onNews));
      return () => {
        those.delete(onNews);
        if (those.size === 0 && watchers.get(channelId) === those) watchers.delete(channelId);
      };
    },

    /** The id of the newest message of a channel, 0 for none. */
    async head(channelId: string): Promise<number> {
      const { _max } = await client.message.aggregate({ where: { channelId }, _max: { id: true } });
      return _max.id ?? 0;
    },

    async close(): Promise<void> {
      clearInterval(backstop);
      await signals.close();
    },
  };
}
