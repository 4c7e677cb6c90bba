import { User as Account, model, type Row } from '@accord-api/platform';

// The models that operations use, with the owner of a row and the action that permits reading it.

/** The platform's model of accounts. */
export const User = Account;
export const Post = model('Post', { read: 'posts.read', owner: (caller) => ({ authorId: caller.id }) });
export const Comment = model('Comment', { read: 'posts.read', owner: (caller) => ({ authorId: caller.id }) });
export const Order = model('Order', { read: 'orders.read', owner: (caller) => ({ userId: caller.id }) });
export const Payment = model('Payment', { read: 'orders.read', owner: (caller) => ({ order: { userId: caller.id } }) });
export const Message = model('Message', {
  read: 'messages.read',
  owner: (caller) => ({ authorId: caller.id }),
  stream: { key: 'channelId', include: { author: true } },
});

export const models = [User, Post, Comment, Order, Payment, Message];

export type User = Row<'User'>;
export type Post = Row<'Post'>;
export type Comment = Row<'Comment'>;
export type Order = Row<'Order'>;
export type Message = Row<'Message'>;
