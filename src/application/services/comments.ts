import {
  authenticated,
  authorise,
  existing,
  grouped,
  isReferenceViolation,
  type OffsetPage,
  storableOffset,
  storedRows,
  writing,
} from 'accord';
import { type Comment as CommentRow, Prisma, type PrismaClient } from '../../../generated/prisma/client.js';
import type { Call } from '../calls.js';
import { COMMENT, POST } from './models.js';

export type Comment = CommentRow;

const columns = Prisma.sql`id, post_id AS "postId", author_id AS "authorId", text, created_at AS "createdAt"`;

/** Comments on posts: who may write and change them. */
export function commentsService({ client }: { client: PrismaClient }) {
  const comments = storedRows<Comment>(client, {
    ...COMMENT,
    table: 'comments',
    columns,
    ownerOf: ({ authorId }) => authorId,
  });

  async function refuseAbsentPost(postId: number): Promise<void> {
    await existing(client, POST, postId, () => client.post.findUnique({ where: { id: postId }, select: { id: true } }));
  }

  return {
    /** A page of the comments on each of several posts, in one statement. */
    async byPosts(
      call: Call,
      postIds: readonly number[],
      { limit, offset }: OffsetPage,
    ): Promise<Map<number, Comment[]>> {
      authorise(call, 'posts.read');
      const rows = await client.$queryRaw<Comment[]>`
        SELECT ${columns} FROM unnest(${postIds}::int[]) AS post (post)
        CROSS JOIN LATERAL (
          SELECT * FROM comments WHERE post_id = post ORDER BY id LIMIT ${limit} OFFSET ${storableOffset(offset)}
        ) AS comment ORDER BY id`;
      return grouped(rows, ({ postId }) => postId);
    },

    /** @throws Failure NOT_FOUND, or GONE for a deleted post */
    async create(call: Call, { postId, text }: { postId: number; text: string }): Promise<Comment> {
      const { id: authorId } = authenticated(call);
      authorise(call, 'comments.create', authorId);
      await refuseAbsentPost(postId);
      await call.checkpoint();
      const written = writing(client, call, { action: 'comments.create' }, (db) =>
        db.comment.create({ data: { postId, authorId, text } }),
      );
      return written.catch(async (error: unknown) => {
        // The post may have been deleted since it was looked at.
        if (isReferenceViolation(error)) await refuseAbsentPost(postId);
        throw error;
      });
    },

    /** @throws Failure NOT_FOUND, GONE */
    update: (call: Call, id: number, text: string): Promise<Comment> =>
      comments.change(call, 'comments.update', id, (db) => db.comment.update({ where: { id }, data: { text } })),

    /** @throws Failure NOT_FOUND, also when it was deleted before */
    delete: (call: Call, id: number): Promise<Comment> => comments.delete(call, 'comments.delete', id),
  };
}
