import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { WebSocket } from 'ws';
import { type Code, errors } from '../../../generated/errors.js';
import { application } from '../../../src/application/application.js';
import { variables } from '../../../src/application/variables.js';
import type { Actor } from '../../../src/platform/core/calls/access.js';
import { put } from '../../../src/platform/core/operations/running.js';
import { rows } from '../../../src/platform/core/order.js';
import type { Stages } from '../../../src/platform/core/way.js';
import { sendRaw } from '../../../src/testing/client.js';
import type { Exchange } from '../../../src/testing/coverage/exchange.js';
import { type TestServiceOptions, testService } from '../../../src/testing/index.js';
import { memoryDatabase } from '../../support/databases.js';
import { PASSWORD, type Person } from '../../support/people.js';
import { exchangeOf, open, raw, untilClosed } from '../../support/raw.js';
import { PROTOCOL } from '../../support/socket.js';

/** A status, and the code of a failure. */
type Answer = readonly [status: number, code?: Code];

interface Case {
  row: string;
  title: string;
  ask: (url: string) => Promise<Answer>;
  refused: Answer;
  /** The answer without the row. */
  otherwise: Answer;
  /** Replaces the row by a stage that decides nothing, if later code relies on what the row does besides. */
  undecided?: Stages;
  /** Replaces other rows in both services. */
  besides?: Stages;
  options?: Pick<TestServiceOptions, 'environment' | 'admission' | 'timeouts'>;
}

const database = await memoryDatabase(t);
const { client } = database;
const start = (stages: Stages, options: TestServiceOptions = {}) =>
  testService(application, {
    ...{ variables, people: {}, coverage: false, onBreach: () => {} },
    ...options,
    ...{ database, stages },
  });
const whole = await start({});
t.teardown(whole.close);
const [admin, developer, viewer] = [
  await whole.person('ADMIN'),
  await whole.person('DEVELOPER'),
  await whole.person('VIEWER'),
];
const cookies = (await whole.credentialsOf(viewer)).cookieAuth;

const USERS = '/api/v1/users';
const ORDERS = '/api/v1/orders';
const MISSING = 999_999;
const FOREIGN = 'http://foreign.example';
const PROXIED = { environment: { DEMO: 'on', TRUST_PROXY: 'loopback' } };
const EUR = { amount: 1999, currency: 'EUR' };

function answerOf({ status, text }: Pick<Exchange, 'status' | 'text'>): Answer {
  const body = /^[[{]/.test(text) ? [JSON.parse(text)].flat()[0] : undefined;
  const { statusCode = status, code = body?.code } = body?.errors?.[0]?.extensions ?? {};
  return code === undefined ? [statusCode] : [statusCode, code];
}

interface Sent {
  as?: Pick<Person, 'headers'>;
  headers?: Record<string, string>;
  body?: unknown;
}

const ask =
  (method: string, path: string, { as, headers, body }: Sent = {}) =>
  async (url: string): Promise<Answer> => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const sent = { ...type, ...as?.headers, ...headers };
    return answerOf(await sendRaw(url, { method, url: path, headers: sent, payload }));
  };
const askTwice =
  (...request: Parameters<typeof ask>) =>
  async (url: string) => {
    await ask(...request)(url);
    return ask(...request)(url);
  };
const askGraphql = (body: unknown, as?: Person) => ask('POST', '/graphql', as ? { as, body } : { body });

async function askUpgrade(url: string, headers: Record<string, string>): Promise<Answer> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, [PROTOCOL], { headers });
  socket.on('error', () => {});
  const answer = await Promise.race([
    once(socket, 'open').then((): Answer => [101]),
    once(socket, 'unexpected-response').then(async ([, response]) => {
      const pieces: Buffer[] = await response.toArray();
      return answerOf({ status: response.statusCode, text: Buffer.concat(pieces).toString() });
    }),
  ]);
  socket.terminate();
  return answer;
}

const newOrder = async ({ id: userId }: Person) =>
  (await client.order.create({ data: { userId, ...EUR }, select: { id: true } })).id;
const askAboutOrder = (method: string, noun: string, sent: Sent) => async (url: string) =>
  ask(method, `${ORDERS}/${await newOrder(viewer)}${noun}`, { as: viewer, ...sent })(url);

/** Makes an account a viewer's after its token was issued. */
const takeRole = ({ id }: Person) =>
  client.user.update({ where: { id }, data: { role: 'VIEWER' }, select: { id: true } });

/** Tells when requests arrive and are held, and when they may go on. */
const gate = new EventEmitter();

/** Lets another request take the only place while the body arrives. */
async function askSlowly(url: string): Promise<Answer> {
  const [path, body] = [`${ORDERS}/${await newOrder(viewer)}/payment`, '{}'];
  const headers = { ...viewer.headers, host: 'localhost', 'content-type': 'application/json', connection: 'close' };
  const lines = Object.entries({ ...headers, 'content-length': '2' }).map(([name, value]) => `${name}: ${value}`);
  const [arrived, held] = [once(gate, 'POST'), once(gate, 'held')];
  const socket = open(url);
  const answer = untilClosed(socket);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body.slice(0, 1)}`);
  await arrived;
  const other = askAboutOrder('GET', '', {})(url);
  await Promise.race([held, other]);
  socket.write(body.slice(1));
  const text = await answer;
  gate.emit('release');
  t.same(await other, [200], 'the other request had the place');
  return answerOf(exchangeOf('POST', path, text));
}

const CASES: readonly Case[] = [
  {
    row: 'upgrade',
    title: 'a socket with a cookie from a foreign page',
    ask: (url) => askUpgrade(url, { cookie: 'a=b', origin: FOREIGN }),
    refused: [403, 'FORBIDDEN'],
    otherwise: [101],
  },
  {
    row: 'foreign-host',
    title: 'a browser that uses a foreign name',
    ask: ask('GET', '/livez', { headers: { host: 'foreign.example', origin: FOREIGN } }),
    refused: [403, 'FORBIDDEN'],
    otherwise: [200],
  },
  {
    row: 'ceiling',
    title: 'the second request of an address',
    ask: askTwice('GET', USERS, { as: viewer }),
    refused: [429, 'RATE_LIMITED'],
    otherwise: [200],
    options: { environment: { RATE_CEILING: '1' } },
  },
  {
    row: 'upgrade-admission',
    title: 'a socket without a free place',
    ask: (url) => askUpgrade(url, {}),
    refused: [503, 'UNAVAILABLE'],
    otherwise: [101],
    options: { admission: { underWay: 0 } },
  },
  {
    row: 'second-host',
    title: 'two Host headers',
    ask: async (url) => {
      const text = await raw(url, 'GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: other\r\nConnection: close\r\n\r\n');
      return answerOf(exchangeOf('GET', '/livez', text));
    },
    refused: [400, 'BAD_REQUEST'],
    otherwise: [200],
  },
  {
    row: 'served-version',
    title: 'an unknown version',
    ask: ask('GET', '/users?version=999', { as: viewer }),
    refused: [400, 'BAD_REQUEST'],
    otherwise: [200],
  },
  {
    row: 'trailing-slash',
    title: 'a slash after a path without a resource (`parameters` finds an empty id instead)',
    ask: ask('GET', `${ORDERS}/`, { as: viewer }),
    refused: [404, 'NOT_FOUND'],
    otherwise: [400, 'BAD_REQUEST'],
  },
  {
    row: 'media-types',
    title: 'an unavailable media type',
    ask: ask('GET', USERS, { as: viewer, headers: { accept: 'image/png' } }),
    refused: [406, 'NOT_ACCEPTABLE'],
    otherwise: [200],
    undecided: { 'media-types': () => (request) => void Object.assign(request, { responseType: 'application/json' }) },
  },
  {
    row: 'body',
    title: 'an optional body that is not JSON',
    ask: askAboutOrder('POST', '/payment', { body: '{"' }),
    refused: [400, 'BAD_REQUEST'],
    otherwise: [200],
  },
  {
    row: 'handler-timeout',
    title: 'an answer that takes too long',
    ask: askAboutOrder('GET', '', {}),
    refused: [503, 'UNAVAILABLE'],
    otherwise: [200],
    besides: { 'row-access': () => () => delay(500) },
    options: { timeouts: { handler: 100 } },
  },
  {
    row: 'place-taken',
    title: 'a complete body while another request has the place',
    ask: askSlowly,
    refused: [503, 'UNAVAILABLE'],
    otherwise: [200],
    besides: {
      'trailing-slash': () => (request) => void gate.emit(request.method),
      'row-access': ({ writes }) =>
        writes
          ? undefined
          : async () => {
              const released = once(gate, 'release');
              gate.emit('held');
              await released;
            },
    },
    options: { admission: { underWay: 1, burst: 500, sustained: 500 } },
  },
  {
    row: 'null-body',
    title: 'the body `null` where a body is optional (`content` refuses it instead)',
    ask: askAboutOrder('POST', '/payment', { body: 'null' }),
    refused: [400, 'BAD_REQUEST'],
    otherwise: [422, 'VALIDATION_FAILED'],
  },
  {
    row: 'parameters',
    title: 'an unknown parameter',
    ask: ask('GET', `${USERS}?color=red`, { as: viewer }),
    refused: [400, 'BAD_REQUEST'],
    otherwise: [200],
    undecided: {
      parameters: () => (request) => {
        request.read = { path: {}, query: {}, headers: {}, cookies: {}, body: undefined, mediaType: '' };
      },
    },
  },
  {
    row: 'structure',
    title: 'a member of another type (`content` refuses it instead)',
    ask: ask('POST', USERS, { as: admin, body: { name: 5, email: 'new@example.com', role: 'viewer' } }),
    refused: [400, 'BAD_REQUEST'],
    otherwise: [422, 'VALIDATION_FAILED'],
  },
  {
    row: 'page',
    title: 'a mixture of parameters of pages',
    ask: ask('GET', `${USERS}?limit=5&page=1`, { as: viewer }),
    refused: [400, 'BAD_REQUEST'],
    otherwise: [200],
    undecided: { page: () => (request) => void Object.assign(request, { page: { limit: 5, offset: 0 } }) },
  },
  {
    row: 'authentication',
    title: 'credentials over plain HTTP (`access` then refuses an anonymous caller)',
    ask: ask('GET', USERS, { as: viewer, headers: { 'x-forwarded-proto': 'http' } }),
    refused: [403, 'FORBIDDEN'],
    otherwise: [401, 'UNAUTHENTICATED'],
    options: PROXIED,
  },
  {
    row: 'operation',
    title: 'a message without an operation',
    ask: askGraphql({ query: 5 }, viewer),
    refused: [400, 'BAD_REQUEST'],
    otherwise: [200],
    undecided: {
      operation: () => (message: object) => void Object.assign(message, { operations: [{ query: '{ me { id } }' }] }),
    },
  },
  {
    row: 'weight',
    title: 'two operations of an address in one message',
    ask: askGraphql([{ query: '{ me { id } }' }, { query: '{ me { id } }' }], viewer),
    refused: [429, 'RATE_LIMITED'],
    otherwise: [200],
    options: { environment: { RATE_CEILING: '1' } },
  },
  {
    row: 'document',
    title: 'the hash of an unknown document',
    ask: askGraphql({ documentId: 'unknown' }, viewer),
    refused: [400, 'BAD_REQUEST'],
    otherwise: [200],
    undecided: { document: () => (message: object) => void Object.assign(message, { text: '{ me { id } }' }) },
  },
  {
    row: 'caller',
    title: 'an invalid document of an anonymous caller (its mistakes are told instead)',
    ask: askGraphql({ query: '{ nothing }' }),
    refused: [401, 'UNAUTHENTICATED'],
    otherwise: [400, 'BAD_REQUEST'],
  },
  {
    row: 'document-validity',
    title: 'a deep document',
    ask: askGraphql({ query: `{ me ${'{ posts { author '.repeat(6)}{ id }${' } }'.repeat(6)} }` }, viewer),
    refused: [400, 'BAD_REQUEST'],
    otherwise: [200],
  },
  {
    row: 'https',
    title: 'a login over plain HTTP',
    ask: ask('POST', '/api/v1/auth/login', {
      headers: { 'x-forwarded-proto': 'http' },
      body: { email: viewer.email, password: PASSWORD },
    }),
    refused: [403, 'FORBIDDEN'],
    otherwise: [200],
    options: PROXIED,
  },
  {
    row: 'own-origin',
    title: 'a write with the cookie by a foreign page',
    ask: ask('PATCH', `${USERS}/${viewer.id}`, { headers: { ...cookies, origin: FOREIGN }, body: { name: 'Vera' } }),
    refused: [403, 'FORBIDDEN'],
    otherwise: [200],
  },
  {
    row: 'access',
    title: 'a role that may not comment, on a post that is not there (`existence` tells that instead)',
    ask: askGraphql({ query: `mutation { addComment(postId: ${MISSING}, text: "No") { id } }` }, viewer),
    refused: [403, 'FORBIDDEN'],
    otherwise: [404, 'NOT_FOUND'],
    undecided: { access: () => (running) => put.caller(running, running.given.call.actor as Actor) },
  },
  {
    row: 'own-id',
    title: 'the id of another account, which is not there (`existence` tells that instead)',
    ask: ask('PATCH', `${USERS}/${MISSING}`, { as: viewer, body: { name: 'Vera' } }),
    refused: [403, 'FORBIDDEN'],
    otherwise: [404, 'NOT_FOUND'],
  },
  {
    row: 'kept-row',
    title: 'a repeated payment of an order that has another owner meanwhile',
    ask: async (url) => {
      const id = await newOrder(viewer);
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const pay = () => ask('POST', `${ORDERS}/${id}/payment`, { as: viewer, headers })(url);
      t.same(await pay(), [200]);
      await client.order.update({ where: { id }, data: { userId: developer.id }, select: { id: true } });
      return pay();
    },
    refused: [403, 'FORBIDDEN'],
    otherwise: [200],
  },
  {
    row: 'replay',
    title: 'a key that was used with another body (`parent` finds no account instead)',
    ask: async (url) => {
      const key = crypto.randomUUID();
      const expiresAt = new Date(database.clock.now() + 3_600_000);
      const kept = { callerId: admin.id, operation: 'createOrder', key, fingerprint: new Uint8Array(36), expiresAt };
      await client.idempotencyKey.create({ data: kept, select: { key: true } });
      const headers = { 'idempotency-key': key };
      return ask('POST', `${USERS}/${MISSING}/orders`, { as: admin, headers, body: { total: EUR } })(url);
    },
    refused: [422, 'VALIDATION_FAILED'],
    otherwise: [404, 'NOT_FOUND'],
  },
  {
    row: 'parent',
    title: 'the orders of an account that is not there',
    ask: ask('GET', `${USERS}/${MISSING}/orders`, { as: admin }),
    refused: [404, 'NOT_FOUND'],
    otherwise: [200],
    undecided: { parent: ({ parent }) => parent && ((running) => put.parent(running, { id: MISSING } as never)) },
  },
  {
    row: 'parent-access',
    title: 'the orders of another account, without `own-id`, which decides earlier in the example',
    ask: ask('GET', `${USERS}/${developer.id}/orders`, { as: viewer }),
    refused: [403, 'FORBIDDEN'],
    otherwise: [200],
    besides: { 'own-id': () => undefined },
  },
  {
    row: 'key-in-use',
    title: 'a key in flight that `replay` did not see, after a change of the role (`current-role` refuses it instead)',
    ask: async (url) => {
      const former = await whole.person('ADMIN');
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const body = { name: 'Kim', email: `${headers['idempotency-key']}@example.com`, role: 'viewer' };
      const create = () => ask('POST', USERS, { as: former, headers, body })(url);
      t.same(await create(), [201]);
      const running = { answer: null, workId: crypto.randomUUID() };
      await client.idempotencyKey.updateMany({ where: { callerId: former.id }, data: running });
      await takeRole(former);
      return create();
    },
    refused: [409, 'CONFLICT'],
    otherwise: [403, 'FORBIDDEN'],
    besides: { replay: () => undefined },
  },
  {
    row: 'current-role',
    title: 'a role that was taken away after the token was issued',
    ask: async (url) => {
      const former = await whole.person('ADMIN');
      await takeRole(former);
      const { id } = await whole.account('VIEWER');
      return ask('DELETE', `${USERS}/${id}`, { as: former })(url);
    },
    refused: [403, 'FORBIDDEN'],
    otherwise: [204],
  },
  {
    row: 'existence',
    title: 'an order that is not there',
    ask: ask('GET', `${ORDERS}/${MISSING}`, { as: admin }),
    refused: [404, 'NOT_FOUND'],
    otherwise: [200],
    undecided: {
      existence: () => (running) =>
        put.row(running, { id: MISSING, ...EUR, status: 'PENDING', createdAt: new Date(), version: 0 } as never),
    },
  },
  {
    row: 'row-access',
    title: 'the order of another account',
    ask: async (url) => ask('GET', `${ORDERS}/${await newOrder(developer)}`, { as: viewer })(url),
    refused: [403, 'FORBIDDEN'],
    otherwise: [200],
  },
  {
    row: 'state',
    title: 'a stale entity tag',
    ask: ask('PATCH', `${USERS}/${viewer.id}`, { as: viewer, headers: { 'if-match': '"stale"' }, body: { name: 'V' } }),
    refused: [412, 'PRECONDITION_FAILED'],
    otherwise: [200],
  },
  {
    row: 'content',
    title: 'a parameter above its maximum',
    ask: ask('GET', `${USERS}?limit=1000`, { as: viewer }),
    refused: [422, 'VALIDATION_FAILED'],
    otherwise: [200],
  },
  {
    row: 'rate',
    title: 'the second request of a caller',
    ask: askTwice('GET', USERS, { as: viewer }),
    refused: [429, 'RATE_LIMITED'],
    otherwise: [200],
    options: { environment: { RATE_LIMIT: '1', RATE_CEILING: '100' } },
  },
];

/** What Node and Fastify run. */
const OF_PACKAGES = ['incoming', 'routing'];

t.test('each row that refuses something has a case, and refuses it with a code of the row', async (t) => {
  const refusing = rows.filter((row) => row.refuses.length > 0 && !OF_PACKAGES.includes(row.section));
  t.strictSame(
    CASES.map(({ row }) => row),
    refusing.map(({ name }) => name),
  );
  for (const { row, refused, otherwise } of CASES) {
    const [status, code] = refused;
    t.ok(
      refusing.find(({ name }) => name === row)?.refuses.some((refusal) => refusal === code),
      row,
    );
    t.equal(status, errors[code as Code].status, row);
    t.notSame(otherwise, refused, row);
  }
});

for (const { row, title, refused, otherwise, undecided, besides = {}, options, ...others } of CASES)
  t.test(`${row} refuses ${title}`, async (t) => {
    const served = async (stages: Stages) => {
      const service = await start({ ...besides, ...stages }, options);
      t.teardown(service.close);
      return service.url;
    };
    const isWhole = options === undefined && Object.keys(besides).length === 0;
    t.strictSame(await others.ask(isWhole ? whole.url : await served({})), refused, 'with all rows');
    t.strictSame(await others.ask(await served(undecided ?? { [row]: () => undefined })), otherwise, 'without the row');
  });
