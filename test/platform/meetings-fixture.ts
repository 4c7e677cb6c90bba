import type { Policy } from '../../src/platform/calls/access.js';
import type { Call, PlatformServices } from '../../src/platform/index.js';
import { Failure, type Own } from './own-application.js';

/** A row with dates of its own, in a table of its own; it has no `createdAt`. */
interface Meeting {
  id: number;
  title: string;
  startsAt: Date;
  endsAt: Date | null;
}

export const TABLE = `CREATE TABLE meetings (
  id SERIAL PRIMARY KEY, owner_id INT NOT NULL, title TEXT NOT NULL, starts_at TIMESTAMPTZ(3) NOT NULL,
  ends_at TIMESTAMPTZ(3), work_id UUID)`;

const IDEMPOTENCY_KEY = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 100 } };
const header = { schema: { type: 'string' } };

const operation = (operationId: string, status: number, type: string, headers: string[]) => ({
  operationId,
  tags: ['meetings'],
  summary: operationId,
  security: [{ jwt: [] }],
  'x-permission': { action: 'orders.create', viewer: 'own', developer: 'own', admin: 'any' },
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

export type Planned = Pick<Meeting, 'title'> & { startsAt: string };

/** In an order of members that is neither that of the alphabet nor of their lengths. */
const represent = ({ title, id, startsAt, endsAt }: Meeting) => ({
  title,
  id,
  startsAt: startsAt.toISOString(),
  until: endsAt,
  '10': 'a member that objects put first',
});

/** The title of a meeting whose answer fails. */
export const UNANSWERABLE = 'unanswerable';

const created = (meeting: Meeting) => {
  if (meeting.title === UNANSWERABLE) throw new Error('There is no answer to this.');
  return {
    status: 201,
    headers: { location: `/api/v1/meetings/${meeting.id}`, etag: `"${meeting.startsAt.getTime()}"` },
    body: represent(meeting),
  };
};

/** Calendars: a meeting is there at once, a room is booked by somebody who may take long. */
export function meetingsApplication(): Own & { booked: () => Promise<void>; refused: () => Promise<void> } {
  let platform: PlatformServices | undefined;
  const columns = 'id, title, starts_at AS "startsAt", ends_at AS "endsAt"';

  const insert = async (db: Db, ownerId: number, { title, startsAt }: Planned, workId: string | null) => {
    const [meeting] = await db.$queryRawUnsafe<Meeting[]>(
      `INSERT INTO meetings (owner_id, title, starts_at, work_id) VALUES ($1, $2, $3::timestamptz, $4::uuid)
        RETURNING ${columns}`,
      ownerId,
      title,
      startsAt,
      workId,
    );
    return meeting as Meeting;
  };

  const services = (given: PlatformServices) => {
    platform = given;
    const { idempotency } = given;
    const ownerOf = (call: Call) => () => call.actor?.id as number;
    const deed = { action: 'orders.create' } as const;
    return {
      meetings: {
        plan: <Answer extends object>(call: Call, planned: Planned, answer: (made: Meeting) => Answer) =>
          idempotency.once(call, { answer, ownerOf: ownerOf(call) }, async ({ effect }) => {
            await call.checkpoint();
            return effect(deed, (db) => insert(db, ownerOf(call)(), planned, null));
          }),
        book: <Answer extends object>(call: Call, planned: Planned, answer: (made: Meeting) => Answer) =>
          idempotency.once<Meeting, Answer, Policy>(call, { answer, ownerOf: ownerOf(call) }, async ({ begin }) => {
            await call.checkpoint();
            await begin(deed, (db, workId) => insert(db, ownerOf(call)(), planned, workId));
            throw new Failure('GATEWAY_TIMEOUT', 'Nobody has said yet whether there is a room.');
          }),
      },
    };
  };

  type Context = { call: Call; services: ReturnType<typeof services> };
  const handlers = {
    meetings: {
      createMeeting: ({ body }: { body: Planned }, { call, services: { meetings } }: Context) =>
        meetings.plan(call, body, created),
      createTicket: ({ body }: { body: Planned }, { call, services: { meetings } }: Context) =>
        meetings.plan(call, body, ({ id }) => ({
          status: 201,
          headers: { etag: `"${id}"` },
          body: Buffer.from([0, 255, id % 256, 128]),
        })),
      bookRoom: ({ body }: { body: Planned }, { call, services: { meetings } }: Context) =>
        meetings.book(call, body, created),
    },
  };

  /** Ends what is under way, as a job would that has no request at hand. */
  const end = (how: (db: Db, one: Meeting & { workId: string; ownerId: number }) => Promise<void>) =>
    (platform as PlatformServices).client.$transaction(async (db) => {
      const open = await db.$queryRawUnsafe<(Meeting & { workId: string; ownerId: number })[]>(
        `SELECT ${columns}, work_id::text AS "workId", owner_id AS "ownerId" FROM meetings WHERE work_id IS NOT NULL`,
      );
      for (const one of open) await how(db, one);
      await db.$executeRawUnsafe('UPDATE meetings SET work_id = NULL');
    });

  return {
    openapi,
    handlers,
    services,
    booked: () =>
      end((db, one) => (platform as PlatformServices).idempotency.finish(db, one.workId, created(one), one.ownerId)),
    refused: () => end((db, { workId }) => (platform as PlatformServices).idempotency.abandon(db, workId)),
  };
}

type Db = Parameters<Parameters<PlatformServices['client']['$transaction']>[0]>[0];
