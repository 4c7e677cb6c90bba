import type { Db } from '@accord-api/platform';
import type { Comment, Post } from '../models.js';

export const comments = {
  create: (db: Db, authorId: number, { id: postId }: Post, text: string) =>
    db.comment.create({ data: { postId, authorId, text } }),

  update: (db: Db, { id }: Comment, text: string) => db.comment.update({ where: { id }, data: { text } }),
};
