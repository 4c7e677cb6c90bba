import t, { type Test } from 'tap';
import type { OpenApiDocument } from '../../src/platform/core/contract/document.js';
import { contractOf } from '../../src/testing/contract.js';
import { restContract } from '../../src/testing/coverage/rest.js';
import { type ConformanceOptions, everyBound, everyOperation } from '../../src/testing/index.js';
import { memoryDatabase } from '../support/databases.js';
import { applicationOf, contractsOf, DIRECTIVES, type Own } from '../support/own-application.js';
import { shelf } from './shelf-fixture.js';

/** The contract of these tests declares no headers. */
const optionsOf = async (t: Test, own: Own): Promise<ConformanceOptions> => ({
  contracts: await contractsOf(own),
  open: () => memoryDatabase(t),
  onBreach: () => {},
});

interface Book {
  title: string;
  pages?: number;
}

t.test('a bound of the second media type of a body is tested in that media type', async (t) => {
  const read: [mediaType: string, size: number | undefined][] = [];
  const own = shelf((mediaType, body) => {
    const { title, pages } = typeof body === 'string' ? { title: body } : (body as Book);
    read.push([mediaType, mediaType === 'application/merge-patch+json' ? pages : title.length]);
  });
  await everyBound(t, applicationOf(own), await optionsOf(t, own));
  t.same(read, [
    ['application/json', 8],
    ['application/json', 9],
    ['application/merge-patch+json', 5],
    ['application/merge-patch+json', 6],
    ['application/geo+json', 6],
    ['application/geo+json', 5],
    ['text/plain', 20],
    ['text/plain', 21],
    ['text/csv', 30],
    ['text/csv', 31],
  ]);
});

t.test(
  'a valid body of each media type comes from its example, the options of the team, or the first media type',
  async (t) => {
    const read: [mediaType: string, body: unknown][] = [];
    const own = shelf((mediaType, body) => read.push([mediaType, body]));
    const bodies = { shelve: (_: unknown, example: Book) => ({ ...example, pages: 1 }) };
    await everyOperation(t, applicationOf(own), { ...(await optionsOf(t, own)), bodies });
    t.same(read.slice(0, 4), [
      ['application/json', { title: 'Momo', pages: 1 }],
      ['application/merge-patch+json', { title: 'Momo', pages: 1 }],
      ['application/geo+json', { title: 'Fantastica', pages: 1 }],
      ['text/plain', 'A leaf'],
    ]);
    t.notOk(
      read.some(([mediaType]) => mediaType === 'application/octet-stream'),
      'an example of JSON says nothing of bytes',
    );
  },
);

t.test('a value at a bound covers the media type of its request', (t) => {
  const { source, operations } = contractOf({
    openapi: shelf(() => {}).openapi as unknown as OpenApiDocument,
    graphql: DIRECTIVES,
  });
  const observe = restContract(source).observe;
  const seen = (mediaType: string) => {
    const request = { headers: new Headers({ 'content-type': mediaType }), body: '{"title":"Momo 123"}' };
    const exchange = { method: 'POST', path: '/books', request, status: 204, headers: new Headers(), text: '' };
    return observe(operations[0], exchange).has('shelve body /title at maxLength 8');
  };
  t.same(['application/json; charset=utf-8', 'application/merge-patch+json', 'application/geo+json'].map(seen), [
    ...[true, true, false],
  ]);
  t.end();
});
