import { type OffsetPage, selects, type User } from 'accord';
import type { GraphQLResolveInfo } from 'graphql';
import { Failure } from '../calls.js';
import type { GraphQLContext } from '../context.js';
import type { Comment } from '../services/comments.js';
import type { Post } from '../services/posts.js';

// What stands below many parents, in one statement for each field, its arguments and the level it stands on.

/** @throws Failure GONE for a user who was deleted since the parent was read */
export function userBelow({ call, batch, services: { users } }: GraphQLContext, id: number): Promise<User> {
  return batch<User>(call, 'users', id, (one, ids) => users.byIds(one, ids)).then(present);
}

function present(user: User | undefined): User {
  if (user) return user;
  throw new Failure('GONE', 'This user was deleted.');
}

/** A user's posts; their content is read where it is asked for. */
export async function postsOf(
  { call, batch, services: { posts } }: GraphQLContext,
  userId: number,
  page: OffsetPage,
  info: GraphQLResolveInfo,
): Promise<Post[]> {
  const content = selects(info, 'content');
  const name = `posts ${page.limit} ${page.offset} ${content}`;
  return (await batch<Post[]>(call, name, userId, (one, ids) => posts.byAuthors(one, ids, page, { content }))) ?? [];
}

/** The comments on a post. */
export async function commentsOn(
  { call, batch, services: { comments } }: GraphQLContext,
  postId: number,
  page: OffsetPage,
): Promise<Comment[]> {
  const name = `comments ${page.limit} ${page.offset}`;
  return (await batch<Comment[]>(call, name, postId, (one, ids) => comments.byPosts(one, ids, page))) ?? [];
}
