import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type ConformanceOptions,
  conformance,
  PASSWORD,
  type RequestContext,
  type TestRunner,
  type TestService,
  testService,
} from '@accord-api/testing';
import { application } from '../src/application/application.js';

const cases = (t: TestContext): TestRunner => ({
  test: (name, run) => t.test(name, (t) => run(cases(t))),
  equal: assert.equal,
  ok: assert.ok,
});

async function bookOf({ owner, service }: Pick<RequestContext, 'owner' | 'service'>): Promise<number> {
  const data = { ownerId: owner.id, title: 'A title', author: 'An author' };
  const { id } = await service.database.client.book.create({ data, select: { id: true } });
  return id;
}

/** Logs in for a refresh token. No rate limit counts this login. */
async function refreshToken({ owner: { email }, service: { services } }: RequestContext) {
  const call = {
    policy: application.policy,
    actor: null,
    address: '127.0.0.1',
    requestId: 'test',
    enforce: async () => {},
  };
  const tokens = await services.sessions.login(call, { email, password: PASSWORD });
  assert.ok(tokens.flow === 'jwt');
  return { refresh_token: tokens.refreshToken };
}

/** A book that somebody has. */
async function loanOf({ owner, service }: Pick<RequestContext, 'owner' | 'service'>): Promise<number> {
  const data = { bookId: await bookOf({ owner, service }), borrowerId: owner.id };
  const { id } = await service.database.client.loan.create({ data, select: { id: true } });
  return id;
}

/** Creates and deletes an account. */
async function deletedUser(service: TestService): Promise<number> {
  const as = await service.person('MEMBER');
  await service.rest('DELETE', `/api/v1/users/${as.id}`, { as });
  return as.id;
}

async function deletedBook(service: TestService): Promise<number> {
  const owner = await service.person('MEMBER');
  const id = await bookOf({ owner, service });
  await service.rest('DELETE', `/api/v1/books/${id}`, { as: owner });
  return id;
}

const byId = async (asked: RequestContext) => ({ id: String(await bookOf(asked)) });

/** The information for requests that the contracts do not contain. */
const options: ConformanceOptions = {
  accounts: ['user_id'],
  make: { book_id: bookOf, loan_id: loanOf },
  deleted: { user_id: deletedUser, book_id: deletedBook },
  bodies: {
    createUser: ({ number }, example) => ({ ...example, email: `free${number}@example.com` }),
    changePassword: (_asked, example) => ({ ...example, current_password: PASSWORD }),
    login: ({ owner }) => ({ email: owner.email, password: PASSWORD }),
    refreshSession: refreshToken,
    logout: refreshToken,
  },
  fields: {
    'Query.book': byId,
    'Mutation.deleteBook': byId,
    'Mutation.borrowBook': async (asked) => ({ bookId: String(await bookOf(asked)) }),
    'Mutation.returnLoan': async (asked) => ({ id: String(await loanOf(asked)) }),
  },
  events: {
    'Subscription.loanAdded': async ({ owner, service }) => {
      const book = await bookOf({ owner, service });
      return service.rest('POST', `/api/v1/books/${book}/loans`, { as: service.people.admin });
    },
    'Subscription.bookAdded': ({ service: { rest, people } }) =>
      rest('POST', '/api/v1/books', { as: people.admin, body: { title: 'A title', author: 'An author' } }),
  },
  conditions: {
    'role differs from the stored one': (values, { owner }) => {
      values.role = owner.role === 'ADMIN' ? 'member' : 'admin';
    },
  },
  faults: [
    {
      name: 'a book that somebody has',
      status: 409,
      operations: ['borrowBook'],
      apply: async ({ path }, { owner, service }) => {
        await service.database.client.loan.create({ data: { bookId: Number(path.book_id), borrowerId: owner.id } });
      },
    },
    {
      name: 'a book that was returned',
      status: 409,
      operations: ['returnLoan'],
      apply: async ({ path }, { service }) => {
        const where = { id: Number(path.loan_id) };
        await service.database.client.loan.update({ where, data: { returnedAt: new Date() } });
      },
    },
    {
      name: 'an e-mail address that is taken',
      status: 409,
      operations: ['createUser', 'updateUser'],
      apply: (draft, { service }) => {
        draft.body.email = service.people.admin?.email;
      },
    },
    {
      name: 'the last administrator',
      status: 409,
      operations: ['deleteUser'],
      apply: (draft, { service }) => {
        draft.path.user_id = String(service.people.admin?.id);
      },
    },
    {
      name: 'a wrong password',
      status: 401,
      operations: ['login'],
      apply: (draft) => {
        draft.body.password = 'not this one';
      },
    },
    {
      name: 'an unknown refresh token',
      status: 401,
      operations: ['refreshSession'],
      apply: (draft) => {
        draft.body.refresh_token = 'nobody';
      },
    },
    {
      name: 'an invalid credential without a refresh token',
      status: 401,
      operations: ['logout'],
      apply: (draft) => {
        draft.headers.authorization = 'Bearer a.b.c';
        draft.body = undefined;
      },
    },
  ],
  // The tests of the platform cover these responses.
  elsewhere: ({ operationId, tag }, status) =>
    tag === 'platform' || (tag === 'auth' && status === 403) || (operationId === 'getCurrentUser' && status === 410),
};

test('a browser logs in, refreshes its session and logs out by cookies, but not from another origin', async (t) => {
  const { people, rest, url, close } = await testService(application);
  t.after(close);
  let cookie = '';
  const send = async (path: string, body?: object, origin = url) => {
    const { status, headers } = await rest('POST', `/api/v1/auth/${path}`, { headers: { cookie, origin }, body });
    const set = headers.getSetCookie().map((line) => line.split(';', 1)[0]);
    if (set.length > 0) cookie = set.join('; ');
    return status;
  };
  const me = async () => (await rest('GET', '/api/v1/auth/me', { headers: { cookie } })).status;
  assert.equal(await send('refresh'), 400);
  assert.equal(await send('login', { email: people.admin?.email, password: PASSWORD, cookie: true }), 200);
  const first = cookie;
  assert.equal(await me(), 200);
  assert.equal(await send('refresh', undefined, 'https://elsewhere.example'), 403);
  assert.equal(await send('refresh'), 200);
  assert.notEqual(cookie, first);
  assert.equal(await me(), 200);
  assert.equal(await send('logout', undefined, 'https://elsewhere.example'), 403);
  const last = cookie;
  assert.equal(await send('logout'), 204);
  assert.equal(await me(), 401);
  cookie = last;
  assert.equal(await send('refresh'), 401);
});

test('every operation and every field conforms to the contracts', (t) => conformance(cases(t), application, options));
