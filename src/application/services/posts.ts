import {
  authenticated,
  authorise,
  authoriseRole,
  grouped,
  isStorableId,
  type OffsetPage,
  refuseAbsent,
  storableOffset,
  writing,
} from 'accord';
import { type Post as PostRow, Prisma, type PrismaClient } from '../../../generated/prisma/client.js';
import { type Call, Failure } from '../calls.js';

/** `content` is null also where it was not asked for: it can be twenty thousand characters. */
export type Post = PostRow;

export interface PostFields {
  title: string;
  /** Null for none. */
  content: string | null;
}

/** Posts: who may write and change them, and what a deletion takes along. */
export function postsService({ client }: { client: PrismaClient }) {
  type Transaction = Prisma.TransactionClient;

  const columns = (content: boolean) => Prisma.sql`
    id, author_id AS "authorId", title, ${content ? Prisma.sql`content` : Prisma.sql`NULL AS content`}, created_at AS "createdAt"`;

  /** The stored post, locked until the transaction ends. */
  async function locked(db: Transaction, id: number): Promise<Post | undefined> {
    if (!isStorableId(id)) return undefined;
    const [row] = await db.$queryRaw<Post[]>`SELECT ${columns(true)} FROM posts WHERE id = ${id} FOR UPDATE`;
    return row;
  }

  return {
    /** @throws Failure NOT_FOUND, or GONE for a deleted post */
    async get(call: Call, id: number): Promise<Post> {
      authorise(call, 'posts.read');
      const post = isStorableId(id) ? await client.post.findUnique({ where: { id } }) : null;
      if (!post) return refuseAbsent(client, 'POST', id, 'post');
      await call.checkpoint();
      return post;
    },

    /** A page of all posts by ascending id. */
    async list(call: Call, { limit, offset }: OffsetPage, { content }: { content: boolean }): Promise<Post[]> {
      authorise(call, 'posts.read');
      await call.checkpoint();
      return client.$queryRaw<Post[]>`
        SELECT ${columns(content)} FROM posts ORDER BY id LIMIT ${limit} OFFSET ${storableOffset(offset)}`;
    },

    /** A page of the posts of each of several users, in one statement. */
    async byAuthors(
      call: Call,
      authorIds: readonly number[],
      { limit, offset }: OffsetPage,
      { content }: { content: boolean },
    ): Promise<Map<number, Post[]>> {
      authorise(call, 'posts.read');
      const rows = await client.$queryRaw<Post[]>`
        SELECT ${columns(content)} FROM unnest(${authorIds}::int[]) AS author (author)
        CROSS JOIN LATERAL (
          SELECT * FROM posts WHERE author_id = author ORDER BY id LIMIT ${limit} OFFSET ${storableOffset(offset)}
        ) AS post ORDER BY id`;
      return grouped(rows, ({ authorId }) => authorId);
    },

    async create(call: Call, fields: PostFields): Promise<Post> {
      const { id: authorId } = authenticated(call);
      authorise(call, 'posts.create', authorId);
      await call.checkpoint();
      return writing(client, call, { action: 'posts.create' }, (db) =>
        db.post.create({ data: { ...fields, authorId } }),
      );
    },

    /**
     * Changes the members given and leaves the others.
     * @throws Failure NOT_FOUND, GONE
     */
    async update(call: Call, id: number, changes: Partial<PostFields>): Promise<Post> {
      authoriseRole(call, 'posts.update');
      return writing(client, call, { action: 'posts.update' }, async (db, standing) => {
        const post = (await locked(db, id)) ?? (await refuseAbsent(db, 'POST', id, 'post'));
        authorise(standing.call, 'posts.update', post.authorId);
        await call.checkpoint();
        return db.post.update({ where: { id }, data: changes });
      });
    },

    /**
     * Deletes a post with the comments on it, and leaves tombstones.
     * @throws Failure NOT_FOUND, also when it was deleted before
     */
    async delete(call: Call, id: number): Promise<Post> {
      authoriseRole(call, 'posts.delete');
      return writing(client, call, { action: 'posts.delete' }, async (db, standing) => {
        const post = await locked(db, id);
        if (!post) throw new Failure('NOT_FOUND', 'There is no such post.');
        authorise(standing.call, 'posts.delete', post.authorId);
        await call.checkpoint();
        await db.$executeRaw`
          WITH comment AS (SELECT id FROM comments WHERE post_id = ${id} ORDER BY id FOR UPDATE)
          INSERT INTO tombstones (kind, id)
          SELECT 'POST'::tombstone_kind, ${id}::int UNION ALL SELECT 'COMMENT', id FROM comment`;
        await db.post.delete({ where: { id }, select: { id: true } });
        return post;
      });
    },
  };
}
