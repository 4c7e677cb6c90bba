import {
  type ApplicationPlatform,
  create,
  type Db,
  model,
  type Operation,
  type Row,
} from '../../../src/platform/index.js';
import { Failure, type Own, route } from '../../support/own-application.js';

/** A meeting is a row of posts. While the booking of a room continues, the content is its work id. */
const Meeting = model('Post', { read: 'orders.create', owner: (caller) => ({ authorId: caller.id }) });
type Meeting = Row<'Post'>;

const IDEMPOTENCY_KEY = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 100 } };
const header = { schema: { type: 'string' } };

const operation = (operationId: string, status: number, type: string, headers: string[]) => ({
  operationId,
  tags: ['meetings'],
  summary: operationId,
  security: [{ jwt: [] }],
  'x-permission': { action: 'orders.create', viewer: 'own', developer: 'own', admin: 'own' },
  parameters: [IDEMPOTENCY_KEY],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['title', 'startsAt'],
          properties: { title: { type: 'string' }, startsAt: { type: 'string', format: 'date-time' } },
        },
      },
    },
  },
  responses: {
    [status]: {
      description: 'It was done.',
      headers: Object.fromEntries(headers.map((name) => [name, header])),
      content: { [type]: { schema: {} } },
    },
  },
});

const openapi = {
  openapi: '3.1.0',
  info: { title: 'Meetings', version: '1.0.0' },
  paths: {
    '/api/v1/meetings': { post: operation('createMeeting', 201, 'application/json', ['ETag', 'Location']) },
    '/api/v1/tickets': { post: operation('createTicket', 201, 'application/octet-stream', ['ETag']) },
    '/api/v1/rooms': { post: operation('bookRoom', 201, 'application/json', ['ETag', 'Location']) },
  },
  components: { securitySchemes: { jwt: { type: 'http', scheme: 'bearer' } } },
};

export interface Planned {
  title: string;
  startsAt: string;
}

/** The order of members is neither alphabetical nor by length. */
const represent = ({ title, id, createdAt, content }: Meeting) => ({
  title,
  id,
  startsAt: createdAt.toISOString(),
  until: content,
  '10': 'a member that objects put first',
});

/** The title of a meeting with a failing response. */
export const UNANSWERABLE = 'unanswerable';

const created = (meeting: Meeting) => {
  if (meeting.title === UNANSWERABLE) throw new Error('There is no answer to this.');
  return {
    status: 201,
    headers: { location: `/api/v1/meetings/${meeting.id}`, etag: `"${meeting.createdAt.getTime()}"` },
    body: represent(meeting),
  };
};

interface Asked {
  body: Planned;
}

const plan = ({ db, actor }: Operation, { title, startsAt }: Planned, content: string | null = null) =>
  db.post.create({ data: { authorId: actor.id, title, createdAt: new Date(startsAt), content } });

const handlers = {
  meetings: {
    createMeeting: route({
      target: create(Meeting),
      handler: ({ body }: Asked, operation) => plan(operation as never, body),
      reply: created,
    }),
    createTicket: route({
      target: create(Meeting),
      handler: ({ body }: Asked, operation) => plan(operation as never, body),
      reply: ({ id }: Meeting) => ({
        status: 201,
        headers: { etag: `"${id}"` },
        body: Buffer.from([0, 255, id % 256, 128]),
      }),
    }),
    bookRoom: route({
      target: create(Meeting),
      async handler({ body }: Asked, operation) {
        await plan(operation as never, body, operation.workId);
        return operation.afterCommit(async () => {
          throw new Failure('GATEWAY_TIMEOUT', 'Nobody has said yet whether there is a room.');
        });
      },
    }),
  },
};

/** An application with immediate meetings and with room bookings that continue after the response. */
export function meetingsApplication(): Own & { booked: () => Promise<void>; refused: () => Promise<void> } {
  let platform: ApplicationPlatform | undefined;

  /** Completes a continued operation without a request, as a job does. */
  const end = (how: (db: Db, workId: string, meeting: Meeting) => Promise<void>) =>
    (platform as ApplicationPlatform).transact(async (db) => {
      for (const { id, content } of await db.post.findMany({ where: { content: { not: null } } })) {
        const meeting = await db.post.update({ where: { id }, data: { content: null } });
        await how(db, content as string, meeting);
      }
    });

  return {
    openapi,
    handlers,
    models: [Meeting],
    services(given) {
      platform = given;
      return {};
    },
    booked: () =>
      end((db, workId, meeting) =>
        (platform as ApplicationPlatform).continuation.finish(db, workId, created(meeting), meeting.authorId),
      ),
    refused: () => end((db, workId) => (platform as ApplicationPlatform).continuation.abandon(db, workId)),
  };
}
