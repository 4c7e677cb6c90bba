import {
  authenticated,
  authorise,
  columnsOf,
  effectStatement,
  existing,
  grouped,
  inOneStatement,
  type OffsetPage,
  type Reads,
  type Statements,
  statement,
  storableOffset,
  storedRows,
  type Transaction,
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

type Changes = [id: number, title: string | null, isContentChanged: boolean, content: string | null];

/** The statements that read posts, with their content and without, and those that write them. */
function postStatements(client: PrismaClient) {
  const reading = (what: string, columns: string) => ({
    all: statement<[limit: number, offset: number], Post>(
      what,
      `SELECT ${columns} FROM posts ORDER BY id LIMIT $1 OFFSET $2`,
    ),
    ofAuthors: statement<[authors: readonly number[], limit: number, offset: number], Post>(
      `${what} of authors`,
      `SELECT post.* FROM unnest($1::int[]) AS author (author)
      CROSS JOIN LATERAL (SELECT ${columns} FROM posts WHERE author_id = author ORDER BY id LIMIT $2 OFFSET $3) AS post
      ORDER BY post.id`,
    ),
  });
  const columns = columnsOf(client, 'Post', {}).sql;
  const withoutContent = columnsOf(client, 'Post', { content: true }).sql;
  return {
    byId: statement<[id: number], Post>('post by id', `SELECT ${columns} FROM posts WHERE id = $1`),
    whole: reading('posts', columns),
    short: reading('posts without content', `${withoutContent}, NULL AS content`),
    written: effectStatement<[authorId: number, title: string, content: string | null], Post>(
      'post written',
      `INSERT INTO posts (author_id, title, content) SELECT $1, $2, $3 FROM permitted RETURNING ${columns}`,
    ),
    changed: statement<Changes, Post>(
      'post changed',
      `UPDATE posts SET title = COALESCE($2, title), content = CASE WHEN $3 THEN $4 ELSE content END
      WHERE id = $1 RETURNING ${columns}`,
    ),
  };
}

/** Posts: who may write and change them, and what a deletion takes along. */
export function postsService({ client, statements }: { client: PrismaClient; statements: Statements }) {
  const { byId, whole, short, written, changed } = postStatements(client);

  const posts = storedRows<Post, Transaction>(statements, {
    ...POST,
    table: 'posts',
    columns: columnsOf(client, 'Post', {}),
    ownerOf: ({ authorId }) => authorId,
    takesAlong: (id) => [
      { model: COMMENT, ids: Prisma.sql`SELECT id FROM comments WHERE post_id = ${id} ORDER BY id FOR UPDATE` },
    ],
  });

  return {
    /**
     * @param by what it is read by, where more comes along with it
     * @throws Failure NOT_FOUND, or GONE for a deleted post
     */
    async get(call: Call, id: number, by: Reads = statements): Promise<Post> {
      authorise(call, 'posts.read');
      const post = await existing(client, POST, id, async () => (await by.read(byId, id))[0]);
      await call.checkpoint();
      return post;
    },

    /** A page of all posts by ascending id. @param by see `get` */
    async list(
      call: Call,
      { limit, offset }: OffsetPage,
      { content }: { content: boolean },
      by: Reads = statements,
    ): Promise<Post[]> {
      authorise(call, 'posts.read');
      await call.checkpoint();
      return by.run((content ? whole : short).all, limit, storableOffset(offset));
    },

    /** A page of the posts of each of several users, in one statement. */
    async byAuthors(
      call: Call,
      authorIds: readonly number[],
      { limit, offset }: OffsetPage,
      { content }: { content: boolean },
    ): Promise<Map<number, Post[]>> {
      authorise(call, 'posts.read');
      const { ofAuthors } = content ? whole : short;
      const rows = await statements.read(ofAuthors, authorIds, limit, storableOffset(offset));
      return grouped(rows, ({ authorId }) => authorId);
    },

    async create(call: Call, { title, content }: PostFields): Promise<Post> {
      const { id: authorId } = authenticated(call);
      authorise(call, 'posts.create', authorId);
      await call.checkpoint();
      return inOneStatement(statements, call, { action: 'posts.create' }, written, authorId, title, content);
    },

    /**
     * Changes the members given and leaves the others.
     * @throws Failure NOT_FOUND, GONE
     */
    update: (call: Call, id: number, { title, content }: Partial<PostFields>): Promise<Post> =>
      posts.change(call, 'posts.update', id, async (db, post) => {
        const [updated = post] = await db.run(changed, id, title ?? null, content !== undefined, content ?? null);
        return updated;
      }),

    /**
     * Deletes a post with the comments on it, and leaves tombstones.
     * @throws Failure NOT_FOUND, also when it was deleted before
     */
    delete: (call: Call, id: number): Promise<Post> => posts.delete(call, 'posts.delete', id),
  };
}
