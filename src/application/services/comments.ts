import {
  authenticated,
  authorise,
  columnsOf,
  effectStatement,
  existing,
  grouped,
  inOneStatement,
  isReferenceViolation,
  type OffsetPage,
  type Statements,
  statement,
  storableOffset,
  storedRows,
  type Transaction,
} from 'accord';
import type { Comment as CommentRow, PrismaClient } from '../../../generated/prisma/client.js';
import type { Call } from '../calls.js';
import { COMMENT, POST } from './models.js';

export type Comment = CommentRow;

const postExists = statement<[id: number], { id: number }>('id of a post', 'SELECT id FROM posts WHERE id = $1');

/** Comments on posts: who may write and change them. */
export function commentsService({ client, statements }: { client: PrismaClient; statements: Statements }) {
  const columns = columnsOf(client, 'Comment', {});
  const onPosts = statement<[posts: readonly number[], limit: number, offset: number], Comment>(
    'comments on posts',
    `SELECT comment.* FROM unnest($1::int[]) AS post (post)
    CROSS JOIN LATERAL (SELECT ${columns.sql} FROM comments WHERE post_id = post ORDER BY id LIMIT $2 OFFSET $3) AS comment
    ORDER BY comment.id`,
  );
  const comments = storedRows<Comment, Transaction>(statements, {
    ...COMMENT,
    table: 'comments',
    columns,
    ownerOf: ({ authorId }) => authorId,
  });

  const written = effectStatement<[postId: number, authorId: number, text: string], Comment>(
    'comment written',
    `INSERT INTO comments (post_id, author_id, text) SELECT $1, $2, $3 FROM permitted RETURNING ${columns.sql}`,
  );
  const changed = statement<[id: number, text: string], Comment>(
    'comment changed',
    `UPDATE comments SET text = $2 WHERE id = $1 RETURNING ${columns.sql}`,
  );

  async function refuseAbsentPost(postId: number): Promise<void> {
    await existing(client, POST, postId, async () => (await statements.read(postExists, postId))[0]);
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
      const deed = { action: 'comments.create' } as const;
      return inOneStatement(statements, call, deed, written, postId, authorId, text).catch(async (error: unknown) => {
        // The post may have been deleted since it was looked at.
        if (isReferenceViolation(error)) await refuseAbsentPost(postId);
        throw error;
      });
    },

    /** @throws Failure NOT_FOUND, GONE */
    update: (call: Call, id: number, text: string): Promise<Comment> =>
      comments.change(call, 'comments.update', id, async (db, comment) => {
        const [updated = comment] = await db.run(changed, id, text);
        return updated;
      }),

    /** @throws Failure NOT_FOUND, also when it was deleted before */
    delete: (call: Call, id: number): Promise<Comment> => comments.delete(call, 'comments.delete', id),
  };
}
