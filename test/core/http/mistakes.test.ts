import { once } from 'node:events';
import t, { type Test } from 'tap';
import { memoryDatabase } from '../../support/databases.js';
import type { Json } from '../../support/people.js';
import { startService } from '../../support/service.js';
import { dial, dialAs } from '../../support/socket.js';

/** One ordinary mistake, and the answer to it. */
interface Mistake {
  what: string;
  /** The code, or the close code of a socket. */
  code: string | number;
  /** The place in `errors`: a pointer, or the name of a parameter. */
  place?: string;
  /** The part of the message that says what is wrong, and where; empty if the advice says it. */
  says: string;
  /** The part of the message that says what to do. */
  advice?: string;
}

interface RestMistake extends Mistake {
  request: [method: string, path: string, body?: unknown, headers?: Record<string, string>];
  as?: 'admin' | 'viewer' | 'nobody';
}

const USERS = '/api/v1/users';
const valid = { name: 'Ada', email: 'ada.new@example.com', role: 'viewer' };
const LOG_IN = 'Log in with POST /api/v1/auth/login for a token, and send it as `Authorization: Bearer <token>`.';
const JSON_BODY = { 'content-type': 'application/json' };

const rest: RestMistake[] = [
  {
    what: 'a misspelt query parameter',
    request: ['GET', `${USERS}?limt=5`],
    code: 'BAD_REQUEST',
    place: 'limt',
    says: 'Unknown query parameter `limt`. ',
    advice: 'Did you mean `limit`?',
  },
  {
    what: 'an unknown query parameter',
    request: ['GET', `${USERS}?colour=red`],
    code: 'BAD_REQUEST',
    place: 'colour',
    says: 'Unknown query parameter `colour`. ',
    advice: 'Known here: `limit`, `offset`, `page`, `per_page`, `after`.',
  },
  {
    what: 'a text for a number',
    request: ['GET', `${USERS}?limit=many`],
    code: 'BAD_REQUEST',
    place: 'limit',
    says: '',
    advice: '`limit` must be an integer.',
  },
  {
    what: 'a limit that is too large',
    request: ['GET', `${USERS}?limit=1000`],
    code: 'VALIDATION_FAILED',
    place: 'limit',
    says: '',
    advice: '`limit` must be at least 1 and at most 100.',
  },
  {
    what: 'a parameter twice',
    request: ['GET', `${USERS}?limit=1&limit=2`],
    code: 'BAD_REQUEST',
    place: 'limit',
    says: '`limit` is given more than once. ',
    advice: 'Give it once.',
  },
  {
    what: 'two pagination styles',
    request: ['GET', `${USERS}?page=2&offset=5`],
    code: 'BAD_REQUEST',
    place: 'offset',
    says: '`offset` cannot be combined with `page`. ',
    advice: 'Use one of limit and offset; page and per_page; limit and after.',
  },
  {
    what: 'an invented cursor',
    request: ['GET', `${USERS}?limit=2&after=abc`],
    code: 'BAD_REQUEST',
    place: 'after',
    says: 'The cursor is not one that this list gave.',
  },
  {
    what: 'a name for an id',
    request: ['GET', `${USERS}/ada`],
    code: 'BAD_REQUEST',
    place: 'user_id',
    says: '',
    advice: '`user_id` must be an integer of at least 1.',
  },
  {
    what: 'a misspelt member',
    request: ['POST', USERS, { nme: 'x', email: 'a@example.com', role: 'viewer' }],
    code: 'BAD_REQUEST',
    place: '/name',
    says: '`name` is missing, and `nme` is unknown. ',
    advice: 'Did you mean `name`?',
  },
  {
    what: 'a missing member',
    request: ['POST', USERS, { name: 'Ada', role: 'viewer' }],
    code: 'BAD_REQUEST',
    place: '/email',
    says: '`email` is missing. ',
    advice: 'Required here: `name`, `email`, `role`.',
  },
  {
    what: 'an additional member',
    request: ['POST', USERS, { ...valid, nickname: 'A' }],
    code: 'VALIDATION_FAILED',
    place: '/nickname',
    says: 'Unknown member `nickname`. ',
    advice: 'Did you mean `name`?',
  },
  {
    what: 'a number for a name',
    request: ['POST', USERS, { ...valid, name: 5 }],
    code: 'BAD_REQUEST',
    place: '/name',
    says: '',
    advice: '`name` must be a string, not a number.',
  },
  {
    what: 'an empty name',
    request: ['POST', USERS, { ...valid, name: '' }],
    code: 'VALIDATION_FAILED',
    place: '/name',
    says: '',
    advice: '`name` must have 1 to 100 characters; it has 0.',
  },
  {
    what: 'a name of 101 characters',
    request: ['POST', USERS, { ...valid, name: 'x'.repeat(101) }],
    code: 'VALIDATION_FAILED',
    place: '/name',
    says: '',
    advice: '`name` must have 1 to 100 characters; it has 101.',
  },
  {
    what: 'an e-mail address without an at sign',
    request: ['POST', USERS, { ...valid, email: 'ada' }],
    code: 'VALIDATION_FAILED',
    place: '/email',
    says: '',
    advice: '`email` must be an e-mail address such as ada@example.com.',
  },
  {
    what: 'a role in upper case',
    request: ['POST', USERS, { ...valid, role: 'VIEWER' }],
    code: 'VALIDATION_FAILED',
    place: '/role',
    says: '`role` must be one of admin, developer, viewer. ',
    advice: 'Did you mean `viewer`?',
  },
  {
    what: 'a short password',
    request: ['POST', USERS, { ...valid, password: 'short' }],
    code: 'VALIDATION_FAILED',
    place: '/password',
    says: '',
    advice: '`password` must have 12 to 128 characters; it has 5.',
  },
  {
    what: 'a common password',
    request: ['POST', USERS, { ...valid, password: 'password1234' }],
    code: 'VALIDATION_FAILED',
    place: '/password',
    says: '`password` is one of the commonest passwords. ',
    advice: 'Choose another one.',
  },
  {
    what: 'an unknown currency',
    request: ['POST', '/api/v1/users/1/orders', { total: { amount: 5, currency: 'XXZ' } }],
    code: 'VALIDATION_FAILED',
    place: '/total/currency',
    says: '',
    advice: '`currency` must be an ISO 4217 code such as EUR.',
  },
  {
    what: 'JSON that ends too early',
    request: ['POST', USERS, '{"name":'],
    code: 'BAD_REQUEST',
    says: 'The body is not valid JSON. At line 1, column 9: ',
    advice: 'expected a value, but the text ends.',
  },
  {
    what: 'a comma after the last member',
    request: ['POST', USERS, '{\n  "name": "Ada",\n}'],
    code: 'BAD_REQUEST',
    says: 'The body is not valid JSON. At line 3, column 1: ',
    advice: 'expected a member name in double quotes.',
  },
  {
    what: 'single quotes',
    request: ['POST', USERS, "{'name': 'Ada'}"],
    code: 'BAD_REQUEST',
    says: 'The body is not valid JSON. At line 1, column 2: ',
    advice: 'expected a member name in double quotes or }.',
  },
  {
    what: 'a member twice',
    request: ['POST', USERS, '{"name":"Ada","name":"Eva"}'],
    code: 'BAD_REQUEST',
    place: '/name',
    says: '`name` is given more than once. ',
    advice: 'Give it once.',
  },
  {
    what: 'no body',
    request: ['POST', USERS, undefined],
    code: 'BAD_REQUEST',
    place: '',
    says: 'The body is missing. ',
    advice: 'Send a body of a media type that the operation accepts.',
  },
  {
    what: 'a body of null',
    request: ['POST', USERS, 'null'],
    code: 'BAD_REQUEST',
    place: '',
    says: 'The body must not be null. ',
    advice: 'Send a body that matches the contract.',
  },
  {
    what: 'a form',
    request: ['POST', USERS, 'name=Ada', { 'content-type': 'application/x-www-form-urlencoded' }],
    code: 'UNSUPPORTED_MEDIA_TYPE',
    says: '',
    advice: '`Content-Type` must be application/json.',
  },
  {
    what: 'a body over the limit',
    request: ['POST', USERS, { ...valid, name: 'x'.repeat(70_000) }],
    code: 'PAYLOAD_TOO_LARGE',
    says: '',
    advice: 'The body must have at most 65536 bytes; it has 70057 bytes.',
  },
  {
    what: 'a media type that is not served',
    request: ['GET', USERS, undefined, { accept: 'text/csv' }],
    code: 'NOT_ACCEPTABLE',
    says: '',
    advice: '`Accept` must take application/json or application/vnd.accord+json.',
  },
  {
    what: 'a misspelt path',
    request: ['GET', '/api/v1/user'],
    code: 'NOT_FOUND',
    says: 'There is nothing at this address. ',
    advice: 'Did you mean `/api/v1/users`?',
  },
  {
    what: 'a path without its prefix',
    request: ['GET', '/user/5'],
    code: 'NOT_FOUND',
    says: 'There is nothing at this address. ',
    advice: 'Did you mean `/api/v1/users/{user_id}`?',
  },
  {
    what: 'another path',
    request: ['GET', '/wp-admin'],
    code: 'NOT_FOUND',
    says: 'There is nothing at this address. ',
    advice: '/docs lists all paths.',
  },
  {
    what: 'a version that is not served',
    request: ['GET', '/api/v2/users'],
    code: 'NOT_FOUND',
    says: 'Version `2` is not served. ',
    advice: 'Use version 1.',
  },
  {
    what: 'the same in the query',
    request: ['GET', '/users?version=3'],
    code: 'BAD_REQUEST',
    place: 'version',
    says: 'Version `3` is not served. ',
    advice: 'Use version 1.',
  },
  {
    what: 'another method',
    request: ['PATCH', USERS, {}],
    code: 'METHOD_NOT_ALLOWED',
    says: 'This address does not take PATCH. ',
    advice: 'Use GET, HEAD, POST, OPTIONS.',
  },
  {
    what: 'no credential',
    request: ['GET', USERS],
    as: 'nobody',
    code: 'UNAUTHENTICATED',
    says: 'This needs authentication. ',
    advice: LOG_IN,
  },
  {
    what: 'a malformed token',
    request: ['GET', USERS, undefined, { authorization: 'Bearer abc' }],
    as: 'nobody',
    code: 'UNAUTHENTICATED',
    says: 'The token is not a valid token of this service: it is malformed, foreign or revoked. ',
    advice: LOG_IN,
  },
  {
    what: 'a token without its scheme',
    request: ['GET', USERS, undefined, { authorization: 'abc' }],
    as: 'nobody',
    code: 'UNAUTHENTICATED',
    says: '',
    advice: `\`Authorization\` must be one line: \`Bearer <token>\` or \`Basic <credentials>\`. ${LOG_IN}`,
  },
  {
    what: 'a wrong password',
    request: ['POST', '/api/v1/auth/login', { email: 'ada@example.com', password: 'not the right one' }],
    as: 'nobody',
    code: 'UNAUTHENTICATED',
    says: 'The e-mail address or the password is wrong.',
  },
  {
    what: 'a role that may not',
    request: ['POST', USERS, valid],
    as: 'viewer',
    code: 'FORBIDDEN',
    says: 'The role viewer may not do this (users.create).',
  },
];

interface GraphQLMistake extends Mistake {
  body: object | string;
  nobody?: boolean;
}

const CREATE = 'mutation($input: CreateUserInput!) { createUser(input: $input) { id } }';

const graphql: GraphQLMistake[] = [
  {
    what: 'a misspelt field',
    body: { query: '{ me { nme } }' },
    code: 'BAD_REQUEST',
    says: 'Cannot query field "nme" on type "User". ',
    advice: 'Did you mean "name"?',
  },
  {
    what: 'an unknown field',
    body: { query: '{ me { shoeSize } }' },
    code: 'BAD_REQUEST',
    says: 'Cannot query field "shoeSize" on type "User". ',
    advice: 'The schema is at /schema.graphql.',
  },
  {
    what: 'a syntax error',
    body: { query: '{ me { name }' },
    code: 'BAD_REQUEST',
    says: 'Syntax Error: ',
    advice: 'Expected Name, found <EOF>.',
  },
  {
    what: 'a misspelt member',
    body: { qury: '{ me { name } }' },
    code: 'BAD_REQUEST',
    place: '/query',
    says: '`query` is missing, and `qury` is unknown. ',
    advice: 'Did you mean `query`?',
  },
  {
    what: 'an enum value in lower case',
    body: { query: CREATE, variables: { input: { ...valid } } },
    code: 'BAD_REQUEST',
    says: 'Variable "$input.role" has an invalid value: The value does not exist in "Role" enum. ',
    advice: 'Did you mean the enum value "VIEWER"?',
  },
  {
    what: 'a missing variable',
    body: { query: CREATE },
    code: 'BAD_REQUEST',
    says: 'Variable "$input" of required type "CreateUserInput!" was not provided. ',
    advice: 'The schema is at /schema.graphql.',
  },
  {
    what: 'an empty name',
    body: { query: CREATE, variables: { input: { ...valid, name: '', role: 'VIEWER' } } },
    code: 'VALIDATION_FAILED',
    place: '/input/name',
    says: '',
    advice: '`name` must have 1 to 100 characters; it has 0.',
  },
  {
    what: 'an id that is a name',
    body: { query: '{ user(id: "ada") { name } }' },
    code: 'BAD_REQUEST',
    place: '/id',
    says: '',
    advice: '`id` must be an integer of at least 1.',
  },
  {
    what: 'a limit that is too large',
    body: { query: '{ users(limit: 1000) { name } }' },
    code: 'VALIDATION_FAILED',
    place: '/limit',
    says: '',
    advice: '`limit` must be at least 1 and at most 100.',
  },
  {
    what: 'a subscription by POST',
    body: { query: 'subscription { messageAdded(channelId: "a") { id } }' },
    code: 'BAD_REQUEST',
    says: '',
    advice: 'Send a subscription over a WebSocket to this address (graphql-transport-ws).',
  },
  {
    what: 'no credential',
    body: { query: '{ me { name } }' },
    nobody: true,
    code: 'UNAUTHENTICATED',
    says: 'This needs authentication. ',
    advice: LOG_IN,
  },
  {
    what: 'JSON that ends too early',
    body: '{"query":',
    code: 'BAD_REQUEST',
    says: 'The body is not valid JSON. At line 1, column 10: ',
    advice: 'expected a value, but the text ends.',
  },
];

interface SocketMistake extends Mistake {
  message: object | string;
}

const subscribe = (payload: unknown, id: unknown = '1') => ({ type: 'subscribe', id, payload });

const socket: SocketMistake[] = [
  {
    what: 'text that is not JSON',
    message: '{"type":',
    code: 4400,
    says: 'The message is not valid JSON. At line 1, column 9: ',
    advice: 'expected a value, but the text ends.',
  },
  {
    what: 'an unknown type',
    message: { type: 'start' },
    code: 4400,
    says: '',
    advice: '`type` must be connection_init, subscribe, complete, ping, pong.',
  },
  {
    what: 'a number for an id',
    message: subscribe({ query: '{ me { id } }' }, 1),
    code: 4400,
    says: '',
    advice: '`id` of subscribe must be a string of 1 to 128 characters.',
  },
  {
    what: 'a payload without a query',
    message: subscribe({ qury: '{ me { id } }' }),
    code: 4400,
    says: '',
    advice: '`payload.query` of subscribe must be a string.',
  },
  {
    what: 'variables as a text',
    message: subscribe({ query: '{ me { id } }', variables: 'a' }),
    code: 4400,
    says: '',
    advice: '`payload.variables` of subscribe must be an object.',
  },
  {
    what: 'no credential',
    message: { type: 'connection_init' },
    code: 4403,
    says: '',
    advice: 'The payload of connection_init needs `Authorization: Bearer <token>`.',
  },
];

/** Returns the message that a mistake gets. */
const messageOf = ({ says, advice = '' }: Mistake): string => says + advice;

t.test('answers to ordinary mistakes say what is wrong, where, and what to do', async (t) => {
  const service = await startService(t, await memoryDatabase(t));
  const { admin, viewer, url } = service;

  /** Checks what both transports say of a failure besides its message. */
  function isLinked(t: Test, code: string | number, type: string, requestId: string, response: Response): void {
    t.equal(type, `${url}/docs/errors#${code}`, 'the type is the absolute address of the explanation');
    t.equal(requestId, response.headers.get('x-request-id'), 'the request id is in the answer');
  }

  for (const mistake of rest)
    t.test(`REST: ${mistake.what}`, async (t) => {
      const { request, as = 'admin', code, place } = mistake;
      const [method, path, body, headers = typeof body === 'string' ? JSON_BODY : {}] = request;
      const person = as === 'nobody' ? undefined : { admin, viewer }[as];
      const answer = await service.rest(method, path, { as: person, headers, body });
      t.equal(answer.body.code, code, answer.body.detail);
      t.equal(answer.body.detail.replace(/ There is 1 more mistake: see `errors`\.$/, ''), messageOf(mistake));
      if (place !== undefined) t.equal(placeOf(answer.body.errors?.[0]), place);
      isLinked(t, code, answer.body.type, answer.body.requestId, answer as unknown as Response);
    });

  for (const mistake of graphql)
    t.test(`GraphQL: ${mistake.what}`, async (t) => {
      const { body, nobody, code, place } = mistake;
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { ...JSON_BODY, ...(nobody ? {} : admin.headers) },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const { message, extensions } = ((await response.json()) as Json).errors[0];
      t.same([extensions.code, message], [code, messageOf(mistake)]);
      if (place !== undefined) t.equal(placeOf(extensions.errors?.[0]), place);
      isLinked(t, code, extensions.type, extensions.requestId, response);
    });

  for (const mistake of socket)
    t.test(`socket: ${mistake.what}`, async (t) => {
      const { message, code } = mistake;
      const dialled = code === 4403 ? await dial(t, url) : await dialAs(t, url, admin);
      const closed = once(dialled.socket, 'close');
      dialled.send(message);
      const [closeCode, reason] = await closed;
      t.same([closeCode, String(reason)], [code, messageOf(mistake)]);
    });

  t.test('the table has more than fifty mistakes, and at most five without advice', async (t) => {
    const all: Mistake[] = [...rest, ...graphql, ...socket];
    const silent = all.filter(({ advice }) => advice === undefined);
    t.ok(all.length >= 50, `${all.length} mistakes`);
    t.ok(silent.length <= 5, silent.map(({ what }) => what).join(', '));
    const jargon = /must NOT|must match|pattern|keyword|schema path|instancePath|undefined|\[object/;
    for (const mistake of all) t.notMatch(messageOf(mistake), jargon, 'no jargon of a validator');
  });
});

t.test('an expired token: the answer says when it expired', async (t) => {
  let now = Date.now();
  const service = await startService(t, await memoryDatabase(t), {}, () => now);
  const before = now;
  now += 3_600_000;
  const { status, body } = await service.rest('GET', USERS, { as: service.admin });
  t.equal(status, 401);
  const [, at] = /^The token expired at (\S+)\. /.exec(body.detail) ?? [];
  t.ok(Math.abs(Date.parse(String(at)) - before - 900_000) < 10_000, body.detail);
  t.match(body.detail, LOG_IN);
});

const placeOf = (issue: Json | undefined): string | undefined => issue?.pointer ?? issue?.parameter;
