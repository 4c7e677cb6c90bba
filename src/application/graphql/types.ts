import { many, one } from 'accord';
import { Comment, Message, Post, User } from '../models.js';

/** The types of schema.graphql that are rows, and the rows behind their fields: permitted by the model's `read`, read by one statement. */
export const types = {
  User: { model: User, relations: { posts: many(Post, 'authorId') } },
  Post: { model: Post, relations: { author: one(User, 'authorId'), comments: many(Comment, 'postId') } },
  Comment: { model: Comment, relations: { author: one(User, 'authorId') } },
  Message: { model: Message, relations: { author: one(User, 'authorId') } },
};
