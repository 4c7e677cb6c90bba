import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestService, testService } from '@accord-api/testing';
import { application } from '../src/application/application.js';
import type { OwnServices } from '../src/application/services/index.js';

// The test service compares every response with the contracts.
let service: TestService<OwnServices, 'ada' | 'grace'>;
before(async () => {
  service = await testService(application, { people: { ada: 'ADMIN', grace: 'MEMBER' } });
});
after(() => service.close());

const BOOKS = '/api/v1/books';
const BOOK = { title: 'Sketch of the Analytical Engine', author: 'Luigi Menabrea', year: 1842 };

test('a book that is added over REST is there over GraphQL, too', async () => {
  const { grace } = service.people;
  const created = await service.rest('POST', BOOKS, { as: grace, body: BOOK });
  assert.equal(created.status, 201);
  const { data } = await service.graphql(grace, 'query ($id: ID!) { book(id: $id) { title ownerId } }', {
    id: created.body.id,
  });
  assert.deepEqual(data.book, { title: BOOK.title, ownerId: String(grace.id) });
});

test('who follows the books is sent each new one, and what was missed', async () => {
  const { ada, grace } = service.people;
  const { body: missed } = await service.rest('POST', BOOKS, { as: ada, body: BOOK });
  const following = service.subscribe(grace, `subscription { bookAdded(since: "${missed.id - 1}") { id } }`);
  assert.deepEqual((await following.next()).data, { bookAdded: { id: String(missed.id) } });
  const { body: added } = await service.rest('POST', BOOKS, { as: ada, body: BOOK });
  assert.deepEqual((await following.next()).data, { bookAdded: { id: String(added.id) } });
});

test('only who added a book, or an admin, changes it', async () => {
  const { ada, grace } = service.people;
  const { body: hers } = await service.rest('POST', BOOKS, { as: ada, body: BOOK });
  const change = (as: typeof ada) => service.rest('PATCH', `${BOOKS}/${hers.id}`, { as, body: { year: null } });
  assert.equal((await change(grace)).status, 403);
  assert.equal((await change(ada)).body.year, null);
});

test('a change of what somebody else has changed meanwhile is refused', async () => {
  const { ada } = service.people;
  const { body, headers } = await service.rest('POST', BOOKS, { as: ada, body: BOOK });
  const seen = { 'if-match': headers.get('etag') ?? '' };
  const change = () => service.rest('PATCH', `${BOOKS}/${body.id}`, { as: ada, headers: seen, body: { year: 1843 } });
  assert.equal((await change()).status, 200);
  assert.equal((await change()).status, 412);
});

test('an account takes its books along', async () => {
  const leaving = await service.person('MEMBER');
  const { body } = await service.rest('POST', BOOKS, { as: leaving, body: BOOK });
  assert.equal((await service.rest('DELETE', `/api/v1/users/${leaving.id}`, { as: leaving })).status, 204);
  assert.equal((await service.rest('GET', `${BOOKS}/${body.id}`, { as: service.people.ada })).status, 410);
});
