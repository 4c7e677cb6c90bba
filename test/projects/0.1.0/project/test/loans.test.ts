import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestService, testService } from '@accord-api/testing';
import { application } from '../src/application/application.js';
import type { OwnServices } from '../src/application/services/index.js';

let service: TestService<OwnServices, 'ada' | 'grace'>;
before(async () => {
  service = await testService(application, { people: { ada: 'ADMIN', grace: 'MEMBER' } });
});
after(() => service.close());

async function newBook(): Promise<string> {
  const body = { title: 'Notes', author: 'Ada Lovelace' };
  return `/api/v1/books/${(await service.rest('POST', '/api/v1/books', { as: service.people.ada, body })).body.id}`;
}

test('one person at a time borrows a book', async () => {
  const { ada, grace } = service.people;
  const book = await newBook();
  const both = await Promise.all([ada, grace].map((as) => service.rest('POST', `${book}/loans`, { as })));
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
  const { id } = both.find(({ status }) => status === 201)?.body ?? {};
  const back = await service.graphql(ada, 'mutation ($id: ID!) { returnLoan(id: $id) { returnedAt } }', { id });
  assert.match(back.data.returnLoan.returnedAt, /Z$/);
  assert.equal((await service.rest('POST', `${book}/loans`, { as: grace })).status, 201);
  const { data } = await service.graphql(grace, '{ loans(limit: 1, offset: 1) { bookId } }');
  assert.deepEqual(data, { loans: [{ bookId: book.split('/').at(-1) }] });
});

test('subscribers receive each new loan, and those that they missed', async () => {
  const { grace } = service.people;
  const shown = ({ id, bookId }: { id: number; bookId: number }) => ({ id: String(id), bookId: String(bookId) });
  const { body: missed } = await service.rest('POST', `${await newBook()}/loans`, { as: grace });
  const following = service.subscribe(grace, `subscription { loanAdded(since: "${missed.id - 1}") { id bookId } }`);
  assert.deepEqual((await following.next()).data, { loanAdded: shown(missed) });
  const { body: added } = await service.rest('POST', `${await newBook()}/loans`, { as: grace });
  assert.deepEqual((await following.next()).data, { loanAdded: shown(added) });
});
