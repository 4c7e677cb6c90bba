import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Test } from 'tap';
import { type Own, withoutRow } from './own-application.js';

/** A contract with two own operations. An upstream handles the others. */

const string = { type: 'string' };
const header = { schema: string };
const KEY = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 100 } };
const SAID = ['X-Forwarded-User', 'X-Forwarded-Groups', 'Host', 'Transfer-Encoding', 'Range', 'X-Plain'];
const TASK_ID = { name: 'task_id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } };
const NAME = { name: 'name', in: 'path', required: true, schema: string };
const task = {
  type: 'object',
  required: ['id', 'title'],
  properties: { id: { type: 'integer' }, title: string },
  additionalProperties: false,
};
const json = (schema: object) => ({ 'application/json': { schema } });
const newTask = {
  required: true,
  content: json({ type: 'object', required: ['title'], properties: { title: { type: 'string', maxLength: 20 } } }),
};

const open = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer' }, of: { allOf: [] as object[] } },
};
open.properties.of.allOf = [
  { type: 'object', properties: { a: string } },
  { type: 'object', properties: { b: string } },
];

const anybody = { action: 'documents.read', viewer: 'any', developer: 'any', admin: 'any' };
const administrators = { action: 'users.set-role', viewer: 'none', developer: 'none', admin: 'any' };

interface More {
  parameters?: object[];
  requestBody?: object;
  'x-permission'?: object | 'public';
  security?: object[];
  'x-forward'?: unknown;
}
const operation = (operationId: string, responses: Record<number, object>, more: More = {}) => ({
  operationId,
  tags: ['tasks'],
  parameters: [],
  security: [{ jwt: [] }],
  'x-permission': anybody,
  responses: { ...responses, 500: { description: 'It failed.' } },
  ...more,
});
const at = (path: string) => ({ to: 'old', path });
const ok = (content?: object, headers: object = {}) => ({
  description: 'It was done.',
  headers,
  ...(content && { content }),
});

export const paths = {
  '/api/v1/tasks': {
    get: operation(
      'listTasks',
      { 200: ok(json({ type: 'array', items: task }), { 'X-Total-Count': header }) },
      {
        parameters: [{ name: 'q', in: 'query', schema: { type: 'string', maxLength: 10 } }],
        'x-forward': at('/tasks'),
      },
    ),
    post: operation(
      'createTask',
      { 201: ok(json(task), { Location: header }), 409: ok() },
      {
        parameters: [KEY],
        requestBody: newTask,
        'x-forward': at('/tasks'),
      },
    ),
  },
  '/api/v1/tasks/{task_id}': {
    get: operation(
      'getTask',
      { 200: ok(json(task), { ETag: header }), 404: ok(), 410: ok() },
      {
        parameters: [TASK_ID],
        'x-forward': at('/tasks/{task_id}'),
      },
    ),
    delete: operation(
      'deleteTask',
      { 204: ok() },
      {
        parameters: [TASK_ID],
        'x-permission': administrators,
        'x-forward': at('/tasks/{task_id}'),
      },
    ),
    patch: operation(
      'changeTask',
      { 200: ok(json(task)) },
      {
        parameters: [TASK_ID],
        requestBody: { required: true, content: { 'application/merge-patch+json': { schema: { type: 'object' } } } },
        'x-forward': at('/tasks/{task_id}'),
      },
    ),
  },
  '/api/v1/folders/{name}/files': {
    get: operation(
      'listFiles',
      { 200: ok(json({ type: 'array' })) },
      { parameters: [NAME], 'x-forward': at('/folders/{name}/files') },
    ),
  },
  '/api/v1/headers': {
    get: operation(
      'getHeaders',
      {
        200: ok(json({ type: 'object' }), {
          'Set-Cookie': { schema: { type: 'array' } },
          'Content-Length': header,
          'Content-Encoding': header,
          'Transfer-Encoding': header,
          'X-Hop': header,
          Link: header,
        }),
      },
      {
        parameters: SAID.map((name) => ({ name, in: 'header', schema: string })),
        'x-permission': 'public',
        security: [],
        'x-forward': 'old',
      },
    ),
  },
  '/api/v1/open': {
    get: operation(
      'getOpen',
      { 200: ok(json(open)) },
      { parameters: [{ name: 'how', in: 'query', schema: string }], 'x-forward': 'old' },
    ),
  },
  '/api/v1/late': { get: operation('getLate', { 200: ok(json({})), 504: ok() }, { 'x-forward': 'old' }) },
  '/api/v1/pages': {
    get: operation(
      'getPage',
      { 200: ok(json({})) },
      { parameters: [{ name: 'number', in: 'query', schema: { type: 'integer' } }], 'x-forward': 'old' },
    ),
  },
  '/api/v2/tasks': {
    get: operation('listTasksAnew', { 200: ok(json({ type: 'array' })) }, { 'x-forward': at('/new/tasks') }),
  },
  '/api/v1/pictures/{name}': {
    get: operation(
      'getPicture',
      { 200: ok({ 'image/png': {} }), 404: ok() },
      { parameters: [NAME], 'x-forward': at('/pictures/{name}') },
    ),
    put: operation(
      'putPicture',
      { 204: ok(), 408: ok(), 413: ok() },
      {
        parameters: [NAME],
        requestBody: { required: true, content: { 'image/png': {} } },
        'x-forward': at('/pictures/{name}'),
      },
    ),
  },
  '/api/v1/news': {
    get: operation(
      'getNews',
      { 200: ok(json({ type: 'object' })) },
      { 'x-permission': 'public', security: [], 'x-forward': 'old' },
    ),
  },
  '/api/v1/hanging': { get: operation('getHanging', { 200: ok(json({})) }, { 'x-forward': 'old' }) },
  '/api/v1/slow': { get: operation('getSlow', { 200: ok(json({})) }, { 'x-forward': 'old' }) },
  '/api/v1/broken': {
    get: operation(
      'getBroken',
      { 200: ok(json(task)) },
      {
        parameters: [{ name: 'how', in: 'query', schema: string }],
        'x-forward': 'old',
      },
    ),
  },
  '/api/v1/greeting': { get: operation('greet', { 200: ok(json({ type: 'object' })) }) },
  '/api/v1/farewell': { get: operation('leave', { 200: ok(json({ type: 'object' })) }) },
};

const openapi = {
  openapi: '3.1.0',
  info: { title: 'Moving', version: '1.0.0' },
  paths,
  components: { securitySchemes: { jwt: { type: 'http', scheme: 'bearer' } } },
};

export const moving: Own = {
  openapi,
  upstreams: { old: 'OLD_URL' },
  handlers: {
    tasks: {
      greet: withoutRow(() => ({ status: 200, body: { says: 'hello' } })),
      leave: withoutRow(() => ({ status: 200, body: { says: 'farewell' } })),
    },
  },
};

export interface Asked {
  request: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** The handlers of the upstream, by method and path. */
const ANSWERS: Record<string, (response: ServerResponse, url: URL) => void> = {
  'GET /tasks': (response) => {
    response.setHeader('x-total-count', '1').setHeader('x-powered-by', 'the past');
    send(response, 200, [{ id: 1, title: 'one' }]);
  },
  'POST /tasks': (response) => {
    response.setHeader('location', `http://${response.req.headers.host}/tasks/2`);
    send(response, 201, { id: 2, title: 'two' });
  },
  'GET /tasks/1': (response) => send(response, 200, { id: 1, title: 'one' }),
  'PATCH /tasks/1': (response) => send(response, 200, { id: 1, title: 'one' }),
  'GET /folders//files': (response) => send(response, 200, ['of everybody']),
  'GET /api/v1/headers': (response) => {
    const { host } = response.req.headers;
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      connection: 'x-hop',
      'x-hop': 'one',
      'set-cookie': ['a=1; Expires=Sun, 06 Nov 2044 08:49:37 GMT', 'b=2'],
      link: `<http://${host}/next>; rel="next", <http://${host}.example.com/other>`,
    });
    response.end(gzipSync('{}'));
  },
  'GET /api/v1/open': (response, { searchParams }) => {
    const { hidden, ...told } = OPEN;
    const how = searchParams.get('how') ?? '';
    response.setHeader('content-type', 'application/json').end(how in hidden ? hidden[how as 'twice'] : told.sound);
  },
  'GET /api/v1/hanging': () => {},
  'GET /api/v1/late': (response) => void response.writeHead(504).end(),
  'GET /tasks/2': (response) => send(response, 404, { message: 'No task 2.' }),
  'GET /tasks/3': (response) => send(response, 410, { code: 'NOT_FOUND', detail: 'Task 3 is gone.' }),
  'DELETE /tasks/1': (response) => void response.writeHead(204).end(),
  'GET /pictures/1': (response) =>
    void response.setHeader('content-type', 'image/png').end(Buffer.from([137, 80, 0, 255])),
  'PUT /pictures/1': (response) => void response.writeHead(204).end(),
  'GET /api/v1/news': (response) => send(response, 200, { news: 'none' }),
  'GET /api/v1/slow': (response) => void response.writeHead(503, { 'retry-after': '7' }).end(),
  'GET /api/v1/broken': (response, { searchParams }) => BROKEN[searchParams.get('how') ?? '']?.(response),
};
const OPEN = {
  sound: '{"id":9007199254740992,"of":{"a":"1","b":"2"}}',
  hidden: {
    surplus: '{"id":1,"passwordHash":"argon"}',
    below: '{"id":1,"of":{"a":"1","b":"2","c":"3"}}',
    twice: '{"id":1,"id":2}',
    digits: '{"id":9007199254740993}',
  },
};
const BROKEN: Record<string, (response: ServerResponse) => void> = {
  member: (response) => send(response, 200, { id: 1, title: 'one', secret: 'of ours' }),
  type: (response) => send(response, 200, { id: 'one', title: 'one' }),
  text: (response) => void response.setHeader('content-type', 'application/json').end('{'),
  html: (response) => void response.setHeader('content-type', 'text/html').end('<p>'),
  status: (response) => send(response, 418, { detail: 'a teapot' }),
  moved: (response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
  credentials: (response) => send(response, 401, {}),
  fault: (response) => send(response, 500, { detail: 'select * from tasks' }),
  cut: (response) => response.socket?.destroy(),
  half: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"id":');
    setImmediate(() => response.socket?.destroy());
  },
  endless: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(Buffer.alloc(9 * 1024 * 1024, ' '));
  },
};

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

/** Starts the upstream. Returns its address with credentials, and the received requests. */
export async function oldService(t: Test) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The body is incomplete.
      return;
    }
    const url = new URL(request.url ?? '/', 'http://old');
    asked.push({
      request: `${request.method} ${request.url}`,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    const answer = ANSWERS[`${request.method} ${url.pathname}`];
    if (answer) answer(response, url);
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  t.teardown(stop);
  return { OLD_URL: `http://accord:secret@127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}`, asked, stop };
}
