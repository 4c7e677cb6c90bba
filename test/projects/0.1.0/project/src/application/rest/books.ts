import { create, list, record, removal, replies } from '@accord-api/platform';
import * as Contract from '../../../generated/operations.js';
import { Book } from '../models.js';
import { route } from '../routes.js';

const { ok, created, listed, noContent } = replies<Book, Contract.Book>({
  represent: ({ id, ownerId, title, author, year, createdAt }) => ({ id, ownerId, title, author, year, createdAt }),
  href: (id, prefix) => `${prefix}/books/${id}`,
});

export const books = Contract.booksHandlers({
  listBooks: route({ target: list(Book), reply: listed }),
  getBook: route({ target: record(Book, 'book_id'), reply: ok }),
  createBook: route({
    target: create(Book),
    handler: ({ body }, { db, actor }) => db.book.create({ data: { ...body, ownerId: actor.id } }),
    reply: created,
  }),
  updateBook: route({
    target: record(Book, 'book_id'),
    handler: ({ body }, { db, record: { id } }) => db.book.update({ where: { id }, data: body }),
    reply: ok,
  }),
  deleteBook: route({ target: removal(Book, 'book_id'), reply: noContent }),
});
