import t from 'tap';
import { slowClock } from '../../support/clock.js';
import { memoryDatabase } from '../../support/databases.js';
import { many } from '../../support/many.js';
import { heavy, parsedTexts } from '../../support/parsed-texts.js';
import type { Json } from '../../support/people.js';
import { eventually } from '../../support/process.js';
import { type Service, startService } from '../../support/service.js';
import { ADD, type Dialled, dialAs, SUBSCRIBE } from '../../support/socket.js';

const database = await memoryDatabase(t);
t.afterEach(() => database.client.user.deleteMany());

/** Sends an operation, and takes the first message about it. */
async function ask({ send, take }: Dialled, id: string, query: string, variables: object): Promise<Json> {
  send({ type: 'subscribe', id, payload: { query, variables } });
  const message = await take((message) => message.id === id);
  return message.type === 'error' ? message.payload[0].extensions.code : message.payload;
}

/** Adds two messages. @returns variables of a subscription that is shown the second one at once, which tells that it goes on */
async function stored(
  { graphql, developer }: Service,
  channelId: string,
): Promise<{ channelId: string; since: string }> {
  const first = await graphql(developer, ADD, { channelId, text: 'first' });
  await graphql(developer, ADD, { channelId, text: 'second' });
  return { channelId, since: first.data.addMessage.id };
}
const SHOWN = { data: { messageAdded: { text: 'second' } } };

t.test('limits of size and cost apply to sockets', async (t) => {
  const service = await startService(t, database);
  const { url, viewer } = service;
  const dialled = await dialAs(t, url, viewer);
  const variables = await stored(service, 'sizes');
  /** The document with a comment, of so many bytes. */
  const sized = (bytes: number) => {
    const rest = bytes - Buffer.byteLength(`${SUBSCRIBE}#`);
    return `${SUBSCRIBE}#${rest % 2 ? 'x' : ''}${'é'.repeat(Math.floor(rest / 2))}`;
  };
  t.match(await ask(dialled, 'longest', sized(16_384), variables), SHOWN, 'a document of 16 KiB');
  t.equal(await ask(dialled, 'longer', sized(16_385), variables), 'PAYLOAD_TOO_LARGE', 'one byte more');
  t.equal(await ask(dialled, 'query', `{ me { id } } # ${'x'.repeat(16_384)}`, {}), 'PAYLOAD_TOO_LARGE', 'of a query');
  const unused = 'x'.repeat(33_000);
  t.equal(
    await ask(dialled, 'padded', SUBSCRIBE, { ...variables, unused }),
    'PAYLOAD_TOO_LARGE',
    'a message of more than 32 KiB, which would be held',
  );
  t.match(await ask(dialled, 'once', '{ me { id } }', { unused }), { data: { me: {} } }, 'which does for a query');

  const repeated = (count: number) =>
    `{ me { ${many(count, (n) => `...f${n}`)} } } ${many(count, (n) => `fragment f${n} on User { id }`)}`;
  t.match(await ask(dialled, 'repeats', repeated(31), {}), { data: { me: {} } });
  t.equal(await ask(dialled, 'too many', repeated(32), {}), 'BAD_REQUEST', 'repeats through fragments');
});

t.test('operations over a socket count for its address', async (t) => {
  const environment = { RATE_LIMIT: '1000', RATE_CEILING: '40', GRAPHQL_MAX_SUBSCRIBE: '8000' };
  const { url, viewer, rest } = await startService(t, database, environment, slowClock());
  const dialled = await dialAs(t, url, viewer);
  t.equal(await ask(dialled, 'long', `{ me { id } } # ${'x'.repeat(8000)}`, {}), 'PAYLOAD_TOO_LARGE', 'as it is set');
  const answers = [];
  for (let n = 0; n < 40; n++) answers.push(await ask(dialled, `${n}`, '{ nope }', {}));
  const refused = answers.indexOf('RATE_LIMITED');
  t.ok(refused > 20 && refused < 32, `three logins, the upgrade, eight KiB, and then ${refused} operations`);
  t.same([...new Set(answers.slice(0, refused))], ['BAD_REQUEST']);
  t.same([...new Set(answers.slice(refused))], ['RATE_LIMITED']);
  t.equal((await rest('GET', '/.well-known/jwks.json')).status, 429);
});

t.test('subscriptions share equal documents, and a socket keeps a bounded number of tokens', async (t) => {
  const service = await startService(t, database);
  const { url, graphql, viewer } = service;
  const variables = await stored(service, 'held');
  // The share of the caller in the cache is used up.
  for (let n = 100; n < 112; n++) t.same((await graphql(viewer, heavy(n))).codes, []);
  const document = heavy(8000, SUBSCRIBE);
  const before = await parsedTexts();

  const first = await dialAs(t, url, viewer);
  for (let n = 0; n <= 20; n++) t.match(await ask(first, `${n}`, document, variables), SHOWN);
  t.equal(await parsedTexts('#8000\n'), 1, '21 subscriptions: one document');

  for (let n = 1; n < 5; n++) t.match(await ask(first, `other ${n}`, heavy(n, SUBSCRIBE), variables), SHOWN);
  t.equal(await ask(first, 'another', heavy(5, SUBSCRIBE), variables), 'BAD_REQUEST', '10,800 tokens on one socket');
  t.match(await ask(first, 'small', SUBSCRIBE, variables), SHOWN, 'a small one besides');
  for (let n = 0; n <= 20; n++) first.send({ type: 'complete', id: `${n}` });
  t.match(await ask(first, 'another again', heavy(5, SUBSCRIBE), variables), SHOWN, 'when the first is let go');

  first.socket.close();
  await first.closed;
  await eventually('what nobody holds is gone', async () => (await parsedTexts()) <= before || undefined);
});
