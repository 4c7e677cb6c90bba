// <books>
import {
  asNextVersion,
  authenticated,
  authorise,
  type Conditions,
  columnsOf,
  type DurableStream,
  entomb,
  existing,
  type Listing,
  listedRows,
  MAX_ID,
  type Model,
  type Page,
  type PageRequest,
  pageOf,
  type Statements,
  type StreamOptions,
  statement,
  storedRows,
  writing,
} from 'accord';
import { type Book, Prisma, type PrismaClient } from '../../../generated/prisma/client.js';
import type { Call } from '../calls.js';

export type { Book };

export interface BookFields {
  title: string;
  author: string;
  /** Null where nobody knows. */
  year: number | null;
}

interface BooksDependencies {
  client: PrismaClient;
  statements: Statements;
  durableStream: (options: StreamOptions<Book>) => DurableStream;
}

/** What a deleted one leaves behind, so that 410 is told from 404. */
const BOOK: Model = { kind: 'BOOK', noun: 'book' };
/** All who follow the books follow the same stream. */
const ALL = 'all';
/** The advisory lock under which ids are given out. */
const STREAM_LOCK = 0x424f_4f4b;

/** Books: everybody reads them, and who added one changes it. Every method takes the call first, and decides access first. */
export function booksService({ client, statements, durableStream }: BooksDependencies) {
  const { sql } = columnsOf(client, 'Book', {});
  const byId = statement<[id: number], Book>('book by id', `SELECT ${sql} FROM books WHERE id = $1`);
  const after = statement<[id: number, limit: number], Book>(
    'books after one',
    `SELECT ${sql} FROM books WHERE id > $1 ORDER BY id LIMIT $2`,
  );
  const listing: Listing<Book> = {
    rows: listedRows<Book>('books', sql)(statements),
    count: () => client.book.count(),
  };
  const stored = storedRows<Book, Prisma.TransactionClient>(client, {
    ...BOOK,
    table: 'books',
    columns: columnsOf(client, 'Book', {}),
    ownerOf: ({ ownerId }) => ownerId,
  });
  const added = durableStream({
    name: 'books',
    async newest(keys) {
      const { _max } = await client.book.aggregate({ _max: { id: true } });
      return new Map(keys.map((key) => [key, _max.id ?? 0]));
    },
    async after(_key, id, limit) {
      const entries = await statements.read(after, Math.min(id, MAX_ID), limit);
      return { entries, last: entries.at(-1)?.id ?? id, more: entries.length === limit };
    },
  });

  return {
    /** A page of all books by ascending id. */
    async list(call: Call, page: PageRequest): Promise<Page<Book>> {
      authorise(call, 'books.read');
      await call.checkpoint();
      return pageOf(page, listing);
    },

    /** @throws Failure NOT_FOUND, or GONE for a deleted book */
    async get(call: Call, id: number): Promise<Book> {
      authorise(call, 'books.read');
      const book = await existing(client, BOOK, id, async () => (await statements.read(byId, id))[0]);
      await call.checkpoint();
      return book;
    },

    /** Adds a book of the caller's. One commit after the other, so that who follows by ids never misses a slower one. */
    async create(call: Call, fields: BookFields): Promise<Book> {
      const { id: ownerId } = authenticated(call);
      authorise(call, 'books.create', ownerId);
      await call.checkpoint();
      const book = await writing(client, call, { action: 'books.create' }, async (db) => {
        await db.$executeRaw`SELECT pg_advisory_xact_lock(${STREAM_LOCK})`;
        const created = await db.book.create({ data: { ...fields, ownerId } });
        await added.announce(db, { id: created.id, key: ALL });
        return created;
      });
      added.committed({ id: book.id, key: ALL });
      return book;
    },

    /**
     * Changes the members that are given.
     * @throws Failure FORBIDDEN, NOT_FOUND, GONE, PRECONDITION_FAILED
     */
    update: (
      call: Call,
      id: number,
      changes: Partial<BookFields>,
      matches: Conditions<Book>['matches'],
    ): Promise<Book> =>
      stored.change(call, 'books.update', id, (db) => db.book.update({ where: { id }, data: asNextVersion(changes) }), {
        matches,
      }),

    /** @throws Failure FORBIDDEN, NOT_FOUND (also when it was deleted before), PRECONDITION_FAILED */
    delete: (call: Call, id: number, matches?: Conditions<Book>['matches']): Promise<Book> =>
      stored.delete(call, 'books.delete', id, { matches }),

    /** What is added from now on, or all after an id. */
    async follow(call: Call, since: number | undefined): Promise<AsyncIterable<never>> {
      authorise(call, 'books.subscribe');
      await call.checkpoint();
      return added.from(ALL, since);
    },

    /** The books of an account go with it. */
    entombThoseOf: (db: Prisma.TransactionClient, ownerId: number): Promise<void> =>
      entomb(db, [
        { model: BOOK, ids: Prisma.sql`SELECT id FROM books WHERE owner_id = ${ownerId} ORDER BY id FOR UPDATE` },
      ]),
  };
}
// </books>
