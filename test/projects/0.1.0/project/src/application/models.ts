import { User as Account, model, type Row } from '@accord-api/platform';

// The models that operations use: the owner of a row, and the action that reading a row requires.

/** The platform's model of accounts. */
export const User = Account;
export const Book = model('Book', { read: 'books.read', owner: (caller) => ({ ownerId: caller.id }), stream: {} });

export type User = Row<'User'>;
export type Book = Row<'Book'>;

export const Loan = model('Loan', {
  read: 'loans.read',
  owner: (caller) => ({ borrowerId: caller.id }),
  stream: {},
});
export type Loan = Row<'Loan'>;

export const models = [User, Book, Loan];
