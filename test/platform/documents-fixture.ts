import { Prisma, type PrismaClient } from '../../src/platform/database/client.js';
import {
  authorise,
  type Call,
  type ConnectionArgs,
  type Context,
  connection,
  type Departure,
  entomb,
  existing,
  type GraphQLContext,
  ifMatch,
  type Listing,
  type Model,
  type PageRequest,
  type PlatformServices,
  pageOf,
  representPage,
  resourceTag,
  storedRows,
  type Window,
  type WindowPage,
  windowOf,
} from '../../src/platform/index.js';
import { Failure, type Own } from './own-application.js';

export const TABLES = [
  `CREATE TABLE documents (
    id SERIAL PRIMARY KEY, owner_id INT NOT NULL REFERENCES users ON DELETE CASCADE, title TEXT NOT NULL,
    sealed BOOLEAN NOT NULL DEFAULT false, version INT NOT NULL DEFAULT 1)`,
  'CREATE TABLE remarks (id SERIAL PRIMARY KEY, document_id INT NOT NULL REFERENCES documents ON DELETE CASCADE)',
];

interface Document {
  id: number;
  ownerId: number;
  title: string;
  /** A sealed one is neither changed nor deleted. */
  sealed: boolean;
  version: number;
}

const DOCUMENT: Model = { kind: 'a document', noun: 'document' };
const REMARK: Model = { kind: 'a remark', noun: 'remark' };
const columns = Prisma.sql`id, owner_id AS "ownerId", title, sealed, version`;

const documentsIn =
  (client: PrismaClient): Listing<Document>['rows'] =>
  ({ ids: { gt = 0, gte = 0, lt = 1000, lte = 1000 }, order, skip, take }) =>
    client.$queryRaw<Document[]>`
      SELECT ${columns} FROM documents WHERE id > ${gt} AND id >= ${gte} AND id < ${lt} AND id <= ${lte}
      ORDER BY id ${Prisma.raw(order)} LIMIT ${take} OFFSET ${skip}`;

const remarksOn = (documents: Prisma.Sql): Departure => ({
  model: REMARK,
  ids: Prisma.sql`SELECT id FROM remarks WHERE document_id IN (${documents}) ORDER BY id FOR UPDATE`,
});

function services({ client, ownedByAccounts }: PlatformServices) {
  const stored = storedRows<Document>(client, {
    ...DOCUMENT,
    table: 'documents',
    columns,
    ownerOf: ({ ownerId }) => ownerId,
    takesAlong: (id) => [remarksOn(Prisma.sql`${id}`)],
  });
  const refuse = async (_db: unknown, { sealed }: Document) => {
    if (sealed) throw new Failure('CONFLICT', 'The document is sealed.');
  };
  const remarks = storedRows(client, { ...REMARK, table: 'remarks', columns: Prisma.sql`id` });
  ownedByAccounts({
    async entomb(db, userId) {
      const documents = Prisma.sql`SELECT id FROM documents WHERE owner_id = ${userId} ORDER BY id FOR UPDATE`;
      await entomb(db, [{ model: DOCUMENT, ids: documents }]);
    },
  });
  return {
    documents: {
      async list(call: Call, page: PageRequest) {
        authorise(call, 'documents.read');
        await call.checkpoint();
        const count = async () => {
          const [row] = await client.$queryRaw<[{ count: bigint }]>`SELECT count(*) AS count FROM documents`;
          return Number(row.count);
        };
        return pageOf(page, { rows: documentsIn(client), count });
      },
      async window(call: Call, window: Window) {
        authorise(call, 'documents.read');
        await call.checkpoint();
        return windowOf(window, documentsIn(client));
      },
      async get(call: Call, id: number): Promise<Document> {
        authorise(call, 'documents.read');
        const document = await existing(client, DOCUMENT, id, async () => {
          const [row] = await client.$queryRaw<Document[]>`SELECT ${columns} FROM documents WHERE id = ${id}`;
          return row ?? null;
        });
        await call.checkpoint();
        return document;
      },
      rename: (call: Call, id: number, title: string, matches: ReturnType<typeof ifMatch>): Promise<Document> =>
        stored.change(
          call,
          'documents.change',
          id,
          async (db) => {
            const [row] = await db.$queryRaw<Document[]>`
              UPDATE documents SET title = ${title}, version = version + 1 WHERE id = ${id} RETURNING ${columns}`;
            return row as Document;
          },
          { matches, refuse },
        ),
      delete: (call: Call, id: number, matches: ReturnType<typeof ifMatch>): Promise<Document> =>
        stored.delete(call, 'documents.change', id, { matches, refuse }),
      /** A remark belongs to nobody. */
      deleteRemark: (call: Call, id: number) => remarks.delete(call, 'documents.change', id),
    },
  };
}

type AllServices = PlatformServices & ReturnType<typeof services>;
type FieldContext = GraphQLContext<AllServices>;
interface Asked {
  path: { id: number };
  headers: { 'if-match'?: string };
  query: object;
  body: { title: string };
}

const represent = ({ id, title }: Document) => ({ id, title });
const answered = (document: Document) => ({
  status: 200,
  headers: { etag: resourceTag(document) },
  body: represent(document),
});

const handlers = {
  documents: {
    listDocuments: async ({ query }: Asked, { call, services: all, page, pathname }: Context<AllServices>) => {
      const documents = await all.documents.list(call, page);
      return { status: 200, ...representPage(page, documents, { pathname, query, cursors: all.cursors, represent }) };
    },
    getDocument: async ({ path }: Asked, { call, services: { documents } }: Context<AllServices>) =>
      answered(await documents.get(call, path.id)),
    renameDocument: async ({ path, headers, body }: Asked, { call, services: all }: Context<AllServices>) =>
      answered(await all.documents.rename(call, path.id, body.title, ifMatch(headers['if-match']))),
    deleteDocument: async ({ path, headers }: Asked, { call, services: all }: Context<AllServices>) => {
      await all.documents.delete(call, path.id, ifMatch(headers['if-match']));
      return { status: 204 };
    },
    deleteRemark: async ({ path }: Asked, { call, services: { documents } }: Context<AllServices>) => {
      await documents.deleteRemark(call, path.id);
      return { status: 204 };
    },
    removePerson: async ({ path }: Asked, { call, services: { users } }: Context<AllServices>) => {
      await users.delete(call, path.id);
      return { status: 204 };
    },
  },
};

const READ = { action: 'documents.read', viewer: 'any', developer: 'any', admin: 'any' };
const CHANGE = { action: 'documents.change', viewer: 'none', developer: 'own', admin: 'any' };
const REMOVE = { action: 'users.delete', viewer: 'own', developer: 'own', admin: 'any' };

const header = { schema: {} };
const json = { 'application/json': { schema: {} } };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const match = { name: 'If-Match', in: 'header', schema: { type: 'string' } };
const inQuery = (name: string, type: string) => ({ name, in: 'query', schema: { type } });
const title = { type: 'string', maxLength: 20 };
const body = { type: 'object', required: ['title'], properties: { title } };

const operation = (operationId: string, permission: object, parameters: object[], status: number) => ({
  operationId,
  tags: ['documents'],
  summary: operationId,
  security: [{ jwt: [] }],
  'x-permission': permission,
  parameters,
  responses: {
    [status]: {
      description: 'It was done.',
      ...(status === 200 && { headers: { ETag: header, Link: header, 'X-Total-Count': header }, content: json }),
    },
  },
});

const openapi = {
  openapi: '3.1.0',
  info: { title: 'Documents', version: '1.0.0' },
  paths: {
    '/api/v1/documents': {
      get: operation(
        'listDocuments',
        READ,
        [
          ...['limit', 'offset', 'page', 'per_page'].map((name) => inQuery(name, 'integer')),
          inQuery('after', 'string'),
        ],
        200,
      ),
    },
    '/api/v1/documents/{id}': {
      get: operation('getDocument', READ, [id], 200),
      put: {
        ...operation('renameDocument', CHANGE, [id, match], 200),
        requestBody: { required: true, content: { 'application/json': { schema: body } } },
      },
      delete: operation('deleteDocument', CHANGE, [id, match], 204),
    },
    '/api/v1/remarks/{id}': { delete: operation('deleteRemark', CHANGE, [id], 204) },
    '/api/v1/people/{id}': { delete: operation('removePerson', REMOVE, [id], 204) },
  },
  components: { securitySchemes: { jwt: { type: 'http', scheme: 'bearer' } } },
};

const sdl = `
type Document { id: ID! }
type Edge { cursor: String!, node: Document! }
type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }
type Documents { edges: [Edge!]!, pageInfo: PageInfo! }
type Query {
  documents(first: Int, after: String, last: Int, before: String): Documents
    @permission(action: "documents.read", viewer: ANY, developer: ANY, admin: ANY)
}`;

const all = connection('documents');
const resolvers = {
  Query: {
    documents: (_: unknown, args: ConnectionArgs, { call, services: { documents, cursors } }: FieldContext) =>
      documents.window(call, all.window(args, cursors)),
  },
  Documents: {
    edges: (page: WindowPage<Document>, _args: object, { services: { cursors } }: FieldContext) =>
      all.edges(page, cursors),
    pageInfo: (page: WindowPage<Document>, _args: object, { services: { cursors } }: FieldContext) =>
      all.pageInfo(page, cursors),
  },
};

/** An archive: a model with versions, whose rows belong to users and have others below them; none is the platform's. */
export const documentsApplication: Own = { openapi, sdl, handlers, resolvers, services };
