import { create, list, model, notWritten, type Row, record, removal, User } from '../../../src/platform/index.js';
import { type Own, route } from '../../support/own-application.js';
import type { Json } from '../../support/people.js';

const owner = (caller: { id: number }) => ({ authorId: caller.id });
const Folder = model('Post', { read: 'documents.read', noun: 'folder', owner });
const Remark = model('Comment', { read: 'documents.read', noun: 'remark', owner });
const Bill = model('Order', { read: 'documents.read', noun: 'bill' });
const Payment = model('Payment', { read: 'documents.read', noun: 'payment' });

/** Runs between the read and the write of `addCheckedRemark`. */
export const between: { run: () => Promise<unknown> } = { run: async () => {} };

const made = () => ({ status: 204 });
const done = () => true;
const text = 'Why?';

const handlers = {
  remarks: {
    addRemark: route({
      target: create(Remark),
      handler: ({ body }: Json, { db, actor }) =>
        db.comment.create({ data: { postId: body.folder_id, authorId: body.authorId ?? actor.id, text } }),
      reply: made,
    }),
    addRemarks: route({
      target: create(Remark),
      handler: ({ body }: Json, { db, actor }) =>
        db.comment.createMany({
          data: body.folders.map(({ id }: { id: number }) => ({ postId: id, authorId: actor.id, text })),
        }),
      reply: made,
    }),
    moveRemark: route({
      target: record(Remark, 'id'),
      handler: ({ body, query }: Json, { db, record: { id } }) =>
        db.comment.update({ where: { id }, data: { postId: body?.to.folder ?? query.folder } }),
      reply: made,
    }),
    addCheckedRemark: route({
      target: create(Remark),
      async handler({ body }: Json, { db, actor }) {
        await db.post.findUniqueOrThrow({ where: { id: body.folder_id }, select: { title: true } });
        await between.run();
        return db.comment.create({ data: { postId: body.folder_id, authorId: actor.id, text } });
      },
      reply: made,
    }),
    addMadeUp: route({
      target: create(Remark),
      handler: (_request: Json, { db, actor }) =>
        db.comment.create({ data: { postId: 999_999, authorId: actor.id, text } }),
      reply: made,
    }),
    addPayment: route({
      target: list(User),
      handler: ({ body }: Json, { db }) => db.payment.findMany({ where: { id: body.payment } }),
      reply: (rows: Row<'Payment'>[]) => ({ status: rows.length === 0 ? 204 : 200 }),
    }),
    removeFolder: route({ target: removal(Folder, 'id'), reply: made }),
    removeFolders: route({
      target: list(Folder),
      handler: ({ body }: Json, { db }) =>
        db.post.deleteMany({ where: { id: { in: body.folders.map(({ id }: { id: number }) => id) } } }),
      reply: made,
    }),
  },
};

const permission = { action: 'documents.read', viewer: 'any', developer: 'any', admin: 'any' };
const integer = { type: 'integer' };
const id = { name: 'id', in: 'path', required: true, schema: integer };
const object = (properties: object, required: string[] = []) => ({ type: 'object', required, properties });
const folders = object({ folders: { type: 'array', items: object({ id: integer }, ['id']) } }, ['folders']);
const operation = (operationId: string, schema?: object, parameters: object[] = []) => ({
  operationId,
  tags: ['remarks'],
  summary: operationId,
  security: [{ jwt: [] }],
  'x-permission': permission,
  parameters,
  ...(schema && { requestBody: { content: { 'application/json': { schema } } } }),
  responses: { 200: { description: 'some' }, 204: { description: 'It was done.' } },
});
const remark = object({ folder_id: integer, authorId: integer });
const query = { name: 'folder', in: 'query', schema: integer };

const openapi = {
  openapi: '3.1.0',
  info: { title: 'Remarks', version: '1.0.0' },
  paths: {
    '/api/v1/remarks': { post: operation('addRemark', remark) },
    '/api/v1/many-remarks': { post: operation('addRemarks', folders) },
    '/api/v1/checked-remarks': { post: operation('addCheckedRemark', remark) },
    '/api/v1/made-up-remarks': { post: operation('addMadeUp', object({ text: { type: 'string' } })) },
    '/api/v1/payments': { post: operation('addPayment', object({ payment: { type: 'string' } })) },
    '/api/v1/remarks/{id}': {
      put: operation('moveRemark', object({ to: object({ folder: integer }) }), [id, query]),
    },
    '/api/v1/folders/{id}': { delete: operation('removeFolder', undefined, [id]) },
    '/api/v1/removals': { post: operation('removeFolders', folders) },
  },
  components: { securitySchemes: { jwt: { type: 'http', scheme: 'bearer' } } },
};

const PERMISSION = '@permission(action: "documents.read", viewer: ANY, developer: ANY, admin: ANY)';
const sdl = `
directive @constraint(min: Int, maxLength: Int, format: String) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION
input Place { folder: ID!, page: ID, room: ID @constraint(maxLength: 9), least: ID @constraint(min: 0), within: Place }
type Query { nothing: String @permission(action: "users.read", viewer: ANY, developer: ANY, admin: ANY) }
type Mutation {
  remark(folderId: ID!): Boolean ${PERMISSION}
  remarkIn(place: Place!): Boolean ${PERMISSION}
  remarkInEach(folders: [ID!]!, places: [[Place!]!]): Boolean ${PERMISSION}
}`;

const remarkIn = (id: (args: Json) => unknown) =>
  route({
    target: create(Remark),
    handler: (args: Json, { db, actor }) =>
      db.comment.create({ data: { postId: Number(id(args)), authorId: actor.id, text } }),
    reply: done,
  });
const resolvers = {
  Query: { nothing: notWritten },
  Mutation: {
    remark: remarkIn((args) => args.folderId),
    remarkIn: remarkIn(({ place }) => (place.within ?? place).folder),
    remarkInEach: route({
      target: create(Remark),
      async handler({ folders }: Json, { db, actor }) {
        for (const id of folders) await db.comment.create({ data: { postId: Number(id), authorId: actor.id, text } });
      },
      reply: done,
    }),
  },
};

/** An application whose requests contain foreign keys. */
export const remarksApplication: Own = {
  openapi,
  sdl,
  handlers,
  resolvers,
  models: [Folder, Remark, Bill, Payment],
};
