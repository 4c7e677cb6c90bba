import {
  authorise,
  columnsOf,
  type DurableStream,
  MAX_ID,
  type Statements,
  type StreamOptions,
  statement,
  storedRows,
  type Transaction,
  type User,
  userRows,
  writing,
} from 'accord';
import { type Message as MessageRow, Prisma, type PrismaClient } from '../../../generated/prisma/client.js';
import type { Call } from '../calls.js';
import { MESSAGE } from './models.js';

/** A message with its author, who is read along: one statement more for any number of messages. */
export type Message = MessageRow & { author: User };

/** Names, together with the hash of a channel's id, the advisory lock of that channel. */
const CHANNEL_LOCK = 0x4143_4348;

interface MessagesDependencies {
  client: PrismaClient;
  statements: Statements;
  durableStream: (options: StreamOptions<Message>) => DurableStream;
}

/** Messages in channels. A channel is no more than its id. */
export function messagesService({ client, statements, durableStream }: MessagesDependencies) {
  const columns = columnsOf(client, 'Message', {}).sql;
  const upTo = statement<[channel: string, last: number, limit: number], MessageRow>(
    'messages of a channel up to one',
    `SELECT ${columns} FROM messages WHERE channel_id = $1 AND id <= $2 ORDER BY id DESC LIMIT $3`,
  );
  const after = statement<[channel: string, id: number, limit: number], MessageRow>(
    'messages of a channel after one',
    `SELECT ${columns} FROM messages WHERE channel_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
  );
  const written = statement<[channel: string, authorId: number, text: string], MessageRow>(
    'message written',
    `INSERT INTO messages (channel_id, author_id, text) VALUES ($1, $2, $3) RETURNING ${columns}`,
  );
  const users = userRows({ client, statements });

  const messages = storedRows<{ authorId: number }, Transaction>(statements, {
    ...MESSAGE,
    table: 'messages',
    columns: Prisma.sql`author_id AS "authorId"`,
    ownerOf: ({ authorId }) => authorId,
  });

  /** A message whose author has gone since it was read has gone as well. */
  async function withAuthors(rows: MessageRow[]): Promise<Message[]> {
    const ids = [...new Set(rows.map(({ authorId }) => authorId))];
    const authors = rows.length > 0 ? await users.byIds(ids) : new Map<number, User>();
    return rows.flatMap((row) => {
      const author = authors.get(row.authorId);
      return author ? [{ ...row, author }] : [];
    });
  }

  /** The channels, as those see them who follow one. What was deleted is left out. */
  const channels = durableStream({
    name: 'messages',
    async newest(channelIds) {
      const rows = await client.$queryRaw<{ channel: string; newest: number | null }[]>`
        SELECT channel, (SELECT max(id) FROM messages WHERE channel_id = channel) AS newest
        FROM unnest(${channelIds}::text[]) AS channel`;
      return new Map(rows.map(({ channel, newest }) => [channel, newest ?? 0]));
    },
    async after(channelId, id, limit) {
      const rows = await statements.read(after, channelId, Math.min(id, MAX_ID), limit);
      return { entries: await withAuthors(rows), last: rows.at(-1)?.id ?? id, more: rows.length === limit };
    },
  });

  return {
    /** The newest messages of a channel, by ascending id; only those with an id below `before`, where it is given. */
    async list(
      call: Call,
      { channelId, limit, before }: { channelId: string; limit: number; before?: number },
    ): Promise<Message[]> {
      authorise(call, 'messages.read');
      await call.checkpoint();
      const last = Math.min((before ?? Number.POSITIVE_INFINITY) - 1, MAX_ID);
      const rows = await statements.read(upTo, channelId, last, limit);
      return withAuthors(rows.reverse());
    },

    /**
     * Adds a message in the caller's name. Ids are given out under a lock of the channel, which is released by the
     * commit: so they become visible in their order, and "after id 7" never misses a message that was slower to commit.
     */
    async add(call: Call, { channelId, text }: { channelId: string; text: string }): Promise<Message> {
      const actor = authorise(call, 'messages.create', call.actor?.id);
      await call.checkpoint();
      const message = await writing(statements, call, { action: 'messages.create' }, async (db, { owner: author }) => {
        const [, [row]] = await Promise.all([
          db.$executeRaw`SELECT pg_advisory_xact_lock(${CHANNEL_LOCK}::int, hashtext(${channelId}))`,
          db.run(written, channelId, actor.id, text),
        ]);
        const added = row as MessageRow;
        await channels.announce(db, { id: added.id, key: channelId });
        return { ...added, author };
      });
      channels.committed({ id: message.id, key: channelId });
      return message;
    },

    /**
     * Deletes a message and leaves a tombstone.
     * @throws Failure NOT_FOUND (also when it was deleted before), FORBIDDEN for another's
     */
    async delete(call: Call, id: number): Promise<void> {
      await messages.delete(call, 'messages.delete', id);
    },

    /**
     * What is added to a channel from now on, or all after an id.
     * @throws Failure FORBIDDEN, VALIDATION_FAILED, RATE_LIMITED
     */
    async follow(call: Call, channelId: string, since: number | undefined): Promise<AsyncIterable<never>> {
      authorise(call, 'messages.subscribe');
      await call.checkpoint();
      return channels.from(channelId, since);
    },
  };
}
