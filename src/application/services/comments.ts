import {
  authenticated,
  authorise,
  columnsOf,
  existing,
  grouped,
  isReferenceViolation,
  type OffsetPage,
  type Statements,
  statement,
  storableOffset,
  storedRows,
  writing,
} from 'accord';
import type { Comment as CommentRow, PrismaClient } from '../../../generated/prisma/client.js';
import type { Call } from '../calls.js';
import { COMMENT, POST } from './models.js';

export type Comment = CommentRow;

/** Comments on posts: who may write and change them. */
export function commentsService({ client, statements }: { client: PrismaClient; statements: Statements }) {
  const columns = columnsOf(client, 'Comment', {});
  const onPosts = statement<[posts: readonly number[], limit: number, offset: number], Comment>(
    'comments on posts',
    `SELECT comment.* FROM unnest($1::int[]) AS post (post)
    CROSS JOIN LATERAL (SELECT ${columns.sql} FROM comments WHERE post_id = post ORDER BY id LIMIT $2 OFFSET $3) AS comment
    ORDER BY comment.id`,
  );
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
      const rows = await statements.read(onPosts, postIds, limit, storableOffset(offset));
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
