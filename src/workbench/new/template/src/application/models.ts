// <books>
import { User as Account, model, type Row } from '@accord-api/platform';
// </books>

// The models that operations use: the owner of a row, and the action that reading a row requires.

/** The platform's model of accounts. */
export const User = Account;
// <books>
export const Book = model('Book', { read: 'books.read', owner: (caller) => ({ ownerId: caller.id }), stream: {} });
// </books>

export type User = Row<'User'>;
// <books>
export type Book = Row<'Book'>;
// </books>

// <books>
export const models = [User, Book];
// </books>
