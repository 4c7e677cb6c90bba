import {
  authenticated,
  authorise,
  existing,
  grouped,
  type OffsetPage,
  storableOffset,
  storedRows,
  writing,
} from 'accord';
import { type Post as PostRow, Prisma, type PrismaClient } from '../../../generated/prisma/client.js';
import type { Call } from '../calls.js';
import { COMMENT, POST } from './models.js';

/** `content` is null also where it was not asked for: it can be twenty thousand characters. */
export type Post = PostRow;

export interface PostFields {
  title: string;
  /** Null for none. */
  content: string | null;
}

/** Posts: who may write and change them, and what a deletion takes along. */
export function postsService({ client }: { client: PrismaClient }) {
  const columns = (content: boolean) => Prisma.sql`
    id, author_id AS "authorId", title, ${content ? Prisma.sql`content` : Prisma.sql`NULL AS content`}, created_at AS "createdAt"`;

  const posts = storedRows<Post>(client, {
    ...POST,
    table: 'posts',
    columns: columns(true),
    ownerOf: ({ authorId }) => authorId,
    takesAlong: (id) => [
      { model: COMMENT, ids: Prisma.sql`SELECT id FROM comments WHERE post_id = ${id} ORDER BY id FOR UPDATE` },
    ],
  });

  return {
    /** @throws Failure NOT_FOUND, or GONE for a deleted post */
    async get(call: Call, id: number): Promise<Post> {
      authorise(call, 'posts.read');
      const post = await existing(client, POST, id, () => client.post.findUnique({ where: { id } }));
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
    update: (call: Call, id: number, changes: Partial<PostFields>): Promise<Post> =>
      posts.change(call, 'posts.update', id, (db) => db.post.update({ where: { id }, data: changes })),

    /**
     * Deletes a post with the comments on it, and leaves tombstones.
     * @throws Failure NOT_FOUND, also when it was deleted before
     */
    delete: (call: Call, id: number): Promise<Post> => posts.delete(call, 'posts.delete', id),
  };
}
