import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type ConformanceOptions,
  conformance,
  type RequestContext,
  type TestRunner,
  type TestService,
} from '@accord-api/testing';
import { application } from '../src/application/application.js';

const cases = (t: TestContext): TestRunner => ({
  test: (name, run) => t.test(name, (t) => run(cases(t))),
  equal: assert.equal,
  ok: assert.ok,
});

// <books>
async function bookOf({ owner, service }: Pick<RequestContext, 'owner' | 'service'>): Promise<number> {
  const data = { ownerId: owner.id, title: 'A title', author: 'An author' };
  const { id } = await service.database.client.book.create({ data, select: { id: true } });
  return id;
}

// </books>
/** Creates and deletes an account. */
async function deletedUser(service: TestService): Promise<number> {
  const as = await service.person('MEMBER');
  await service.rest('DELETE', `/api/v1/users/${as.id}`, { as });
  return as.id;
}

// <books>
async function deletedBook(service: TestService): Promise<number> {
  const owner = await service.person('MEMBER');
  const id = await bookOf({ owner, service });
  await service.rest('DELETE', `/api/v1/books/${id}`, { as: owner });
  return id;
}

const byId = async (asked: RequestContext) => ({ id: String(await bookOf(asked)) });

// </books>
/** The information for requests that the contracts do not contain. */
const options: ConformanceOptions = {
  accounts: ['user_id'],
  // <books>
  make: { book_id: bookOf },
  deleted: { user_id: deletedUser, book_id: deletedBook },
  // </books>
  bodies: {
    createUser: ({ number }, example) => ({ ...example, email: `free${number}@example.com` }),
  },
  // <books>
  fields: { 'Query.book': byId, 'Mutation.deleteBook': byId },
  events: {
    'Subscription.bookAdded': ({ service: { rest, people } }) =>
      rest('POST', '/api/v1/books', { as: people.admin, body: { title: 'A title', author: 'An author' } }),
  },
  // </books>
  conditions: {
    'role differs from the stored one': (values, { owner }) => {
      values.role = owner.role === 'ADMIN' ? 'member' : 'admin';
    },
  },
  faults: [
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
  ],
};

test('every operation and every field conforms to the contracts', (t) => conformance(cases(t), application, options));
