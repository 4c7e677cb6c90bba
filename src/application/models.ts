import { model, one, type Row } from 'accord';

// The models of prisma/schema.prisma that the contracts show: whose a row is, and which action reading one takes.

export const User = model('User', {
  read: 'users.read',
  owner: (caller) => ({ id: caller.id }),
  protect: { role: 'users.set-role' },
});
export const Post = model('Post', {
  read: 'posts.read',
  owner: (caller) => ({ authorId: caller.id }),
  lazy: 'content',
});
export const Comment = model('Comment', { read: 'posts.read', owner: (caller) => ({ authorId: caller.id }) });
export const Order = model('Order', { read: 'orders.read', owner: (caller) => ({ userId: caller.id }) });
export const Message = model('Message', {
  read: 'messages.read',
  owner: (caller) => ({ authorId: caller.id }),
  stream: 'channelId',
  along: { author: one(User, 'authorId') },
});

export const models = [User, Post, Comment, Order, Message];

export type User = Row<'User'>;
export type Post = Row<'Post'>;
export type Comment = Row<'Comment'>;
export type Order = Row<'Order'>;
export type Message = Row<'Message'>;
