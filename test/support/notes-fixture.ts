import { request } from 'node:http';
import type { Test } from 'tap';
import type { Policy } from '../../src/platform/core/calls/access.js';
import { platformCodes } from '../../src/platform/core/contract/codes.js';
import { passwordHasher } from '../../src/platform/core/hasher.js';
import { namesOf } from '../../src/platform/core/names.js';
import type { Database } from '../../src/platform/database/open.js';
import {
  type Context,
  defineApplication,
  Failure,
  type HandlerServices,
  list,
  type PageRequest,
  representPage,
  routeFor,
  type SessionTokens,
  User,
} from '../../src/platform/index.js';
import { type AppOptions, buildApp } from '../../src/platform/server/app.js';
import { readConfig } from '../../src/platform/server/config.js';
import { contractsFrom } from './contracts.js';
import { memoryDatabase } from './databases.js';
import { policy } from './own-application.js';

/**
 * A contract with two versions. In `/api/v2` one operation is replaced, one is removed, and one is new; the others are inherited.
 * @param name the application, which gives the media type and the cookies their names
 */
export const notesContract = (name: string): string => `openapi: 3.1.0
info: { title: Notes, version: 2.0.0 }
tags:
  - { name: notes, description: What people wrote down. }
  - { name: auth, description: Coming and going. }
security: [{ basicAuth: [] }, { jwt: [] }, { opaqueToken: [] }, { cookieAuth: [] }]
paths:
  /about:
    get:
      operationId: getAbout
      tags: [notes]
      security: []
      x-permission: public
      responses:
        '200': { $ref: '#/components/responses/Any' }
  /api/v1/notes:
    get:
      operationId: listNotes
      tags: [notes]
      x-permission: { action: users.read, viewer: any, developer: any, admin: any }
      parameters:
        - { name: limit, in: query, schema: { type: integer } }
        - { name: offset, in: query, schema: { type: integer } }
        - { name: page, in: query, schema: { type: integer } }
        - { name: per_page, in: query, schema: { type: integer } }
        - { name: after, in: query, schema: { type: string } }
      responses:
        '200':
          description: Notes.
          headers: { Link: { schema: { type: string } }, X-Total-Count: { schema: { type: integer } } }
          content: &content
            application/json: { schema: {} }
            application/vnd.${name}+json: { schema: {} }
        '406': &problem
          description: A problem.
          content: { application/problem+json: { schema: {} } }
        '503': *problem
    post:
      operationId: createNote
      tags: [notes]
      x-permission: { action: users.read, viewer: any, developer: any, admin: any }
      parameters:
        - { name: Idempotency-Key, in: header, schema: { type: string } }
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [text], properties: { text: { type: string, minLength: 1 } } } } }
      responses:
        '201':
          description: The note.
          headers: { Location: { schema: { type: string } } }
          content: *content
  /api/v1/notes/{note_id}:
    parameters: [{ name: note_id, in: path, required: true, schema: { type: integer, minimum: 1 } }]
    get: { operationId: getNote, tags: [notes], x-permission: &read { action: users.read, viewer: any, developer: any, admin: any }, responses: { '200': { $ref: '#/components/responses/Any' }, '406': *problem } }
    delete: { operationId: deleteNote, tags: [notes], x-permission: *read, responses: { '204': { description: Gone. } } }
  /api/v1/statistics:
    get: { operationId: getStatistics, tags: [notes], x-last-version: 1, x-permission: *read, responses: { '200': { $ref: '#/components/responses/Any' } } }
  /api/v2/notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, minimum: 1 } }]
    get: { operationId: getNoteV2, tags: [notes], x-permission: *read, responses: { '200': { $ref: '#/components/responses/Any' }, '406': *problem } }
  /api/v2/labels:
    get: { operationId: listLabels, tags: [notes], x-permission: *read, responses: { '200': { $ref: '#/components/responses/Any' } } }
  /api/v1/auth/login:
    post:
      operationId: login
      tags: [auth]
      security: []
      x-permission: public
      x-credentials-in-body: true
      requestBody:
        required: true
        content: { application/json: { schema: { type: object } } }
      responses:
        '200': { $ref: '#/components/responses/Login' }
  /api/v1/auth/refresh:
    post:
      operationId: refreshSession
      tags: [auth]
      security: []
      x-permission: public
      x-credentials-in-body: true
      parameters: [{ $ref: '#/components/parameters/RefreshCookie' }]
      responses:
        '200': { $ref: '#/components/responses/Login' }
  /api/v1/auth/logout:
    post:
      operationId: logout
      tags: [auth]
      security: [{}, { jwt: [] }, { cookieAuth: [] }]
      x-permission: public
      parameters: [{ $ref: '#/components/parameters/RefreshCookie' }]
      responses:
        '204':
          description: Gone.
          headers: { Set-Cookie: { schema: { type: array, items: { type: string } } } }
components:
  securitySchemes:
    basicAuth: { type: http, scheme: basic }
    jwt: { type: http, scheme: bearer }
    opaqueToken: { type: http, scheme: bearer }
    cookieAuth: { type: apiKey, in: cookie, name: ${namesOf(name).accessCookie} }
  parameters:
    RefreshCookie: { name: ${namesOf(name).refreshCookie}, in: cookie, schema: { type: string } }
  responses:
    Any: { description: An answer., content: { application/json: { schema: {} }, application/vnd.${name}+json: { schema: {} } } }
    Login:
      description: A session.
      headers: { Set-Cookie: { schema: { type: array, items: { type: string } } } }
      content: { application/json: { schema: {} } }
  schemas: {}
`;

const SCHEMA = `directive @permission(action: String!, viewer: Access!, developer: Access!, admin: Access!) repeatable on FIELD_DEFINITION
enum Access { NONE OWN ANY }
type Query { note: String @permission(action: "users.read", viewer: ANY, developer: ANY, admin: ANY) }
`;

interface Note {
  id: number;
  text: string;
}

function notesService() {
  const notes: Note[] = [];
  return {
    read(id: number): Note {
      const found = notes.find((note) => note.id === id);
      if (!found) throw new Failure('NOT_FOUND', 'There is no such note.');
      return found;
    },
    list(page: PageRequest) {
      const rest = 'after' in page ? notes.filter(({ id }) => id > page.after) : notes.slice(page.offset);
      return { items: rest.slice(0, page.limit), hasMore: rest.length > page.limit, total: notes.length };
    },
    create(text: string): Note {
      const note = { id: notes.length + 1, text };
      notes.push(note);
      return note;
    },
  };
}

type Services = HandlerServices & { notes: ReturnType<typeof notesService> };
// biome-ignore lint/suspicious/noExplicitAny: the contract of a test has no generated types
type Handler = (request: any, context: Context<Services>) => Promise<object>;

const represent = ({ id, text }: Note, prefix: string) => ({ id, text, self: `${prefix}/notes/${id}` });

const route = routeFor<Services>();
/** Notes are in memory, so only the role decides. */
const target = list(User);
// biome-ignore lint/suspicious/noExplicitAny: as above
type Asked = any;

const notes = {
  getAbout: async (_request: Asked, { prefix }: Context<Services>) => ({
    status: 200,
    body: { notes: `${prefix}/notes` },
  }),
  listNotes: route({
    target,
    handler: (_request: Asked, { services, page }) => services.notes.list(page),
    reply(found, { page, pathname, query, cursors, prefix }) {
      const place = { pathname, query: query as never, cursors, represent: (note: Note) => represent(note, prefix) };
      return { status: 200, ...representPage(page, found, place) };
    },
  }),
  createNote: route({
    target,
    async handler({ body }: Asked, { enforce, services, prefix }) {
      await enforce();
      const note = represent(services.notes.create(body.text), prefix);
      return { status: 201, headers: { location: note.self }, body: note };
    },
  }),
  getNote: route({
    target,
    handler: ({ path }: Asked, { services, prefix }) => ({
      status: 200,
      body: represent(services.notes.read(path.note_id), prefix),
    }),
  }),
  getNoteV2: route({
    target,
    handler({ path }: Asked, { services, prefix }) {
      const { text, ...note } = represent(services.notes.read(path.id), prefix);
      return { status: 200, body: { ...note, content: { text } } };
    },
  }),
  deleteNote: route({ target, handler: (_request: Asked) => ({ status: 204 }) }),
  getStatistics: route({ target, handler: (_request: Asked) => ({ status: 200, body: { notes: 1 } }) }),
  listLabels: route({ target, handler: (_request: Asked) => ({ status: 200, body: [] }) }),
};

const shown = (tokens: SessionTokens) => (tokens.flow === 'opaque' ? { token: tokens.token } : tokens);

const authOf = (refreshCookie: string): Record<string, Handler> => ({
  async login({ body: { cookie, ...body } }, { call, services, sessionCookies }) {
    const tokens = await services.sessions.login(call, body);
    return cookie
      ? { status: 200, headers: { 'set-cookie': sessionCookies.holding(tokens) }, body: {} }
      : { status: 200, body: shown(tokens) };
  },
  async refreshSession({ cookies }, { call, services, sessionCookies }) {
    const tokens = await services.sessions.refresh(call, cookies[refreshCookie] ?? '');
    return { status: 200, headers: { 'set-cookie': sessionCookies.holding(tokens) }, body: {} };
  },
  async logout({ cookies }, { call, services, sessionCookies }) {
    await services.sessions.logout(call, cookies[refreshCookie]);
    return { status: 204, headers: { 'set-cookie': sessionCookies.cleared() } };
  },
});

export const notesApplication = (name: string, title?: string) =>
  defineApplication({
    name,
    policy: policy as Policy,
    errors: platformCodes,
    ...(title !== undefined && { title }),
    handlers: { notes, auth: authOf(namesOf(name).refreshCookie) },
    resolvers: { Query: { note: route({ target, handler: () => 'a note' }) } },
    services: () => ({ notes: notesService() }),
  });

export const contractsOf = (contract: string) => contractsFrom(contract, SCHEMA);

export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  cookies: string[];
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a body has any type
  body: any;
}

interface Sent {
  headers?: Record<string, string>;
  body?: unknown;
}

export const EMAIL = 'ada@example.com';
export const PASSWORD = 'a password for the notes';

/** Starts an instance with the account `EMAIL`. */
export async function startNotes(
  t: Test,
  {
    name = 'accord',
    title,
    contract = notesContract(name),
    database: given,
    environment = {},
    options = {},
  }: {
    name?: string;
    title?: string;
    contract?: string;
    database?: Database;
    environment?: Record<string, string>;
    options?: Partial<AppOptions>;
  } = {},
) {
  const database = given ?? (await memoryDatabase(t));
  const config = readConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent', ...environment });
  const contracts = await contractsOf(contract);
  const app = await buildApp(notesApplication(name, title), config, {
    database,
    logger: { level: 'silent' },
    contracts,
    ...options,
  });
  t.teardown(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  if ((await database.client.user.count()) === 0) {
    const passwordHash = await passwordHasher().hash(PASSWORD);
    const data = { name: 'Ada', email: EMAIL, emailKey: EMAIL, role: 'ADMIN' as const, passwordHash };
    await database.client.user.create({ data });
  }

  /** Sends a request with any headers, including `Host`. */
  const ask = (method: string, path: string, { headers = {}, body }: Sent = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const sent = { ...(payload !== undefined && { 'content-type': 'application/json' }), ...headers };
      const asking = request(url + path, { method, headers: sent }, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        const { 'set-cookie': cookies = [], ...rest } = response.headers;
        const isJson = text !== '' && response.headers['content-type']?.includes('json');
        const answered = isJson ? JSON.parse(text) : undefined;
        resolve({
          status: response.statusCode ?? 0,
          headers: rest as Answer['headers'],
          cookies,
          text,
          body: answered,
        });
      });
      asking.on('error', reject).end(payload);
    });

  const { body: login } = await ask('POST', '/auth/login', { body: { email: EMAIL, password: PASSWORD } });
  return { app, url, database, ask, bearer: { authorization: `Bearer ${login?.accessToken}` } };
}
