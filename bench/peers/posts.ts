import { prisma } from './prisma.js';

/** The measured part of Accord's GraphQL contract. */
export const typeDefs = `
  type Query { user(id: ID!): User }
  type User { id: ID! name: String! email: String! role: String! posts(limit: Int = 20): [Post!]! }
  type Post { id: ID! title: String! comments(limit: Int = 20): [Comment!]! }
  type Comment { id: ID! text: String! }
`;

export const userById = (id: string) =>
  prisma.user.findUnique({ where: { id: Number(id) }, select: { id: true, name: true, email: true, role: true } });

const grouped = <Row>(ids: readonly number[], rows: Row[], parent: (row: Row) => number): Row[][] => {
  const groups = new Map(ids.map((id): [number, Row[]] => [id, []]));
  for (const row of rows) groups.get(parent(row))?.push(row);
  return ids.map((id) => groups.get(id) as Row[]);
};

/** Returns the posts of users by one statement. */
export async function postsOf(users: readonly number[]) {
  const where = { authorId: { in: [...users] } };
  const select = { id: true, title: true, authorId: true };
  const posts = await prisma.post.findMany({ where, select, orderBy: { id: 'asc' } });
  return grouped(users, posts, ({ authorId }) => authorId);
}

/** Returns the comments on posts by one statement. */
export async function commentsOn(posts: readonly number[]) {
  const where = { postId: { in: [...posts] } };
  const select = { id: true, text: true, postId: true };
  const comments = await prisma.comment.findMany({ where, select, orderBy: { id: 'asc' } });
  return grouped(posts, comments, ({ postId }) => postId);
}
