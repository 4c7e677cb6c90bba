import { connection, list, model, type Row, record, removal, replies, User } from '../../../src/platform/index.js';
import { Failure, type Own, route } from '../../support/own-application.js';

/** A document is a row of orders with a version; the amount is its number of pages. A paid document is immutable. */
const Document = model('Order', {
  read: 'documents.read',
  noun: 'document',
  owner: (caller) => ({ userId: caller.id }),
});
type Document = Row<'Order'>;
/** A folder contains remarks. The owner of the folder owns them. */
const Folder = model('Post', { read: 'documents.read', noun: 'folder', owner: (caller) => ({ authorId: caller.id }) });
const Remark = model('Comment', {
  read: 'documents.read',
  noun: 'remark',
  owner: (caller) => ({ post: { authorId: caller.id } }),
});

function requireUnsealed({ status }: Document): void {
  if (status === 'PAID') throw new Failure('CONFLICT', 'The document is sealed.');
}

interface Asked {
  body: { pages: number };
}

const { ok, listed } = replies({
  represent: ({ id, amount }: Document) => ({ id, pages: amount }),
  href: (id, prefix) => `${prefix}/documents/${id}`,
});
const gone = () => ({ status: 204 });
const document = record(Document, 'id');

const handlers = {
  documents: {
    listDocuments: route({ target: list(Document), reply: listed }),
    getDocument: route({ target: document, reply: ok }),
    changeDocument: route({
      target: document,
      handler({ body }: Asked, { db, record: found }) {
        requireUnsealed(found);
        return db.order.update({ where: { id: found.id }, data: { amount: body.pages } });
      },
      reply: ok,
    }),
    deleteDocument: route({
      target: removal(Document, 'id'),
      handler(_request: Asked, { db, record: found }) {
        requireUnsealed(found);
        return db.order.delete({ where: { id: found.id } });
      },
      reply: gone,
    }),
    deleteFolder: route({ target: removal(Folder, 'id'), reply: gone }),
    deleteRemark: route({ target: removal(Remark, 'id'), reply: gone }),
    removePerson: route({ target: removal(User, 'id'), reply: gone }),
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
const pages = { type: 'integer', maximum: 20 };
const body = { type: 'object', required: ['pages'], properties: { pages } };

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
        ...operation('changeDocument', CHANGE, [id, match], 200),
        requestBody: { required: true, content: { 'application/json': { schema: body } } },
      },
      delete: operation('deleteDocument', CHANGE, [id, match], 204),
    },
    '/api/v1/folders/{id}': { delete: operation('deleteFolder', CHANGE, [id], 204) },
    '/api/v1/remarks/{id}': { delete: operation('deleteRemark', CHANGE, [id], 204) },
    '/api/v1/people/{id}': { delete: operation('removePerson', REMOVE, [id], 204) },
  },
  components: { securitySchemes: { jwt: { type: 'http', scheme: 'bearer' } } },
};

const sdl = `
type Order { id: ID! }
type Edge { cursor: String!, node: Order! }
type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }
type Documents { edges: [Edge!]!, pageInfo: PageInfo! }
type Query {
  documents(first: Int, after: String, last: Int, before: String): Documents
    @permission(action: "documents.read", viewer: ANY, developer: ANY, admin: ANY)
}`;

const resolvers = { Query: { documents: route({ target: connection(Document) }) } };

/** An application with a versioned model and with nested rows. */
export const documentsApplication: Own = { openapi, sdl, handlers, resolvers, models: [Document, Folder, Remark] };
