// <books>
import { ifMatch, representPage, resourceTag } from 'accord';
import * as Contract from '../../../generated/operations.js';
import type { Book } from '../services/books.js';

export const books = Contract.booksHandlers({
  listBooks: async ({ query }, { call, services, page, pathname }) => {
    const books = await services.books.list(call, page);
    return { status: 200, ...representPage(page, books, { pathname, query, cursors: services.cursors, represent }) };
  },

  getBook: async ({ path }, { call, services }) => found(await services.books.get(call, path.book_id)),

  createBook: async ({ body }, { call, services, prefix }) => {
    const book = await services.books.create(call, { year: null, ...body });
    return {
      ...found(book),
      status: 201,
      headers: { location: `${prefix}/books/${book.id}`, etag: resourceTag(book) },
    };
  },

  updateBook: async ({ path, headers, body }, { call, services }) =>
    found(await services.books.update(call, path.book_id, body, ifMatch(headers['if-match']))),

  deleteBook: async ({ path, headers }, { call, services }) => {
    await services.books.delete(call, path.book_id, ifMatch(headers['if-match']));
    return { status: 204 };
  },
});

const represent = ({ id, ownerId, title, author, year, createdAt }: Book): Contract.Book => ({
  ...{ id, ownerId, title, author, year },
  createdAt: createdAt.toISOString(),
});

const found = (book: Book) => ({ status: 200, headers: { etag: resourceTag(book) }, body: represent(book) }) as const;
// </books>
