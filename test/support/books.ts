import type { Test } from 'tap';
import { dialAs } from './graphql-ws.js';
import { ask, basic, startServer } from './process.js';

/** Starts a new project with demo data and uses its books over REST, GraphQL and a subscription. */
export async function useBooks(t: Test, DATABASE_URL: string, start: readonly [string, ...string[]]): Promise<void> {
  const { url, kill, ended } = await startServer(t, { DATABASE_URL }, start);
  const headers = { ...basic('ada@demo.example', 'correct horse battery'), 'content-type': 'application/json' };
  const answered = await ask(`${url}/api/v1/books`, { headers });
  t.match([answered.status, await answered.json()], [200, [{ id: 1 }, { id: 2 }]]);

  const query = JSON.stringify({ query: '{ me { name } books { title } }' });
  const graphql = await ask(`${url}/graphql`, { method: 'POST', headers, body: query });
  t.match(await graphql.json(), { data: { me: { name: 'Ada Lovelace' }, books: [{}, {}] } });

  const socket = await dialAs(t, url, { id: 1, email: '', headers });
  socket.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { bookAdded(since: 2) { id title } }' } });
  const body = JSON.stringify({ title: 'Notes', author: 'Ada Lovelace', year: 1843 });
  t.equal((await ask(`${url}/api/v1/books`, { method: 'POST', headers, body })).status, 201);
  const event = await socket.take(({ type }) => type === 'next');
  t.same(event.payload.data, { bookAdded: { id: '3', title: 'Notes' } });
  kill('SIGTERM');
  await ended;
}
