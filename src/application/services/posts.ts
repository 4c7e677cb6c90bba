import type { Db } from '@accord-api/platform';
import type { Post } from '../models.js';

interface PostFields {
  title: string;
  /** Null if the post has no content. */
  content: string | null;
}

export const posts = {
  create: (db: Db, authorId: number, { title, content }: PostFields) =>
    db.post.create({ data: { authorId, title, content } }),

  update: (db: Db, { id }: Post, changes: Partial<PostFields>) => db.post.update({ where: { id }, data: changes }),
};
