import {
  authenticated,
  authorise,
  authoriseRole,
  grouped,
  isReferenceViolation,
  isStorableId,
  type OffsetPage,
  refuseAbsent,
  storableOffset,
  writing,
} from 'accord';
import { type Comment as CommentRow, Prisma, type PrismaClient } from '../../../generated/prisma/client.js';
import { type Call, Failure } from '../calls.js';

export type Comment = CommentRow;

const columns = Prisma.sql`id, post_id AS "postId", author_id AS "authorId", text, created_at AS "createdAt"`;

/** Comments on posts: who may write and change them. */
export function commentsService({ client }: { client: PrismaClient }) {
  type Transaction = Prisma.TransactionClient;

  async function refuseAbsentPost(postId: number): Promise<void> {
    const post = isStorableId(postId)
      ? await client.post.findUnique({ where: { id: postId }, select: { id: true } })
      : null;
    if (!post) await refuseAbsent(client, 'POST', postId, 'post');
  }

  /** The stored comment, locked until the transaction ends. */
  async function locked(db: Transaction, id: number): Promise<Comment | undefined> {
    if (!isStorableId(id)) return undefined;
    const [row] = await db.$queryRaw<Comment[]>`SELECT ${columns} FROM comments WHERE id = ${id} FOR UPDATE`;
    return row;
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
    async update(call: Call, id: number, text: string): Promise<Comment> {
      authoriseRole(call, 'comments.update');
      return writing(client, call, { action: 'comments.update' }, async (db, standing) => {
        const comment = (await locked(db, id)) ?? (await refuseAbsent(db, 'COMMENT', id, 'comment'));
        authorise(standing.call, 'comments.update', comment.authorId);
        await call.checkpoint();
        return db.comment.update({ where: { id }, data: { text } });
      });
    },

    /** @throws Failure NOT_FOUND, also when it was deleted before */
    async delete(call: Call, id: number): Promise<Comment> {
      authoriseRole(call, 'comments.delete');
      return writing(client, call, { action: 'comments.delete' }, async (db, standing) => {
        const comment = await locked(db, id);
        if (!comment) throw new Failure('NOT_FOUND', 'There is no such comment.');
        authorise(standing.call, 'comments.delete', comment.authorId);
        await call.checkpoint();
        await db.tombstone.create({ data: { kind: 'COMMENT', id } });
        await db.comment.delete({ where: { id }, select: { id: true } });
        return comment;
      });
    },
  };
}
