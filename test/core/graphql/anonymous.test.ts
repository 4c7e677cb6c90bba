import { createHash } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import t from 'tap';
import { memoryDatabase } from '../../support/databases.js';
import { many } from '../../support/many.js';
import { heavy, parsedTexts } from '../../support/parsed-texts.js';
import type { Json } from '../../support/people.js';
import { PROXIED } from '../../support/production.js';
import { startInstance, startService } from '../../support/service.js';
import { statementsOf } from '../../support/statements.js';

const database = await memoryDatabase(t);
t.afterEach(() => database.client.user.deleteMany());

/** POST /graphql, and the codes of each operation, in order. */
async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer: Json = await response.json();
  const codes = [answer]
    .flat()
    .map(({ errors = [] }: Json) => errors.map((error: Json) => error.extensions.code).join());
  return { codes, answer, left: Number(response.headers.get('x-rate-limit-remaining')), headers: response.headers };
}

const persisted = (query: string) => ({
  persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
});
const WRONG = { authorization: 'Bearer a.b.c' };

t.test('anonymous callers get errors of syntax only', async (t) => {
  const { url, viewer, log } = await startService(t, database);
  const rows: [what: string, body: unknown, code: string][] = [
    ['no JSON', '{', 'BAD_REQUEST'],
    ['no document', {}, 'BAD_REQUEST'],
    ['no document, in a batch', [{}], 'BAD_REQUEST'],
    ['a syntax error', { query: '{ me { id }' }, 'BAD_REQUEST'],
    ['too many tokens', { query: `{ ${'a '.repeat(2000)} }` }, 'BAD_REQUEST'],
    ['a hash that nobody has heard of', { extensions: persisted('{ never }') }, 'BAD_REQUEST'],
    ['the text of another hash', { query: '{ me { id } }', extensions: persisted('{ never }') }, 'BAD_REQUEST'],
    ['a sound document', { query: '{ me { id } }' }, 'UNAUTHENTICATED'],
    ['a field that is not there', { query: '{ nope }' }, 'UNAUTHENTICATED'],
    ['no such operation', { query: 'query A { me { id } }', operationName: 'B' }, 'UNAUTHENTICATED'],
    ['no operation', { query: 'fragment F on User { id }' }, 'UNAUTHENTICATED'],
    ['a subscription', { query: 'subscription { messageAdded(channelId: "c") { id } }' }, 'UNAUTHENTICATED'],
    ['too deep', { query: `${'{ me '.repeat(20)} { id ${'}'.repeat(21)}` }, 'UNAUTHENTICATED'],
    ['31 aliases', { query: `{ ${many(31, (n) => `a${n}: me { id }`)} }` }, 'UNAUTHENTICATED'],
    ['many fragments', { query: `{ me { ${many(900, (n) => `...f${n}`)} } }` }, 'UNAUTHENTICATED'],
    ['a circle', { query: '{ me { ...A } } fragment A on User { ...A }' }, 'UNAUTHENTICATED'],
    ['a missing variable', { query: 'query($id: ID!) { user(id: $id) { id } }' }, 'UNAUTHENTICATED'],
  ];
  for (const headers of [{}, WRONG]) {
    for (const [what, body, code] of rows) {
      const { result, statements } = await statementsOf(() => post(url, body, headers));
      t.same([result.codes, result.answer.data, statements], [[code], undefined, []], what);
      t.equal(result.headers.has('www-authenticate'), code === 'UNAUTHENTICATED', what);
    }
  }
  for (const [what, body, code] of rows.filter(([, , code]) => code === 'UNAUTHENTICATED').slice(1))
    t.match((await post(url, body, viewer.headers)).codes[0], /^BAD_REQUEST/, `${what}, by a caller: not ${code}`);

  const batch = rows.slice(3, 13);
  const { codes } = await post(
    url,
    batch.map(([, body]) => body),
  );
  t.same(
    codes,
    batch.map(([, , code]) => code),
    'in a batch each by itself',
  );
  t.notOk(
    log.some((line) => JSON.parse(line).level >= 50),
    'nothing was logged as a fault',
  );
});

t.test('outside production, anonymous callers may read the schema and nothing else', async (t) => {
  const { url, viewer } = await startService(t, database);
  const told = [
    getIntrospectionQuery(),
    '{ __typename }',
    '{ __type(name: "User") { name } }',
    '{ ...F } fragment F on Query { ...G ... { __typename } ... on Query { __typename } } fragment G on Query { __schema { queryType { name } } }',
    'query A { __typename } query B { __schema { queryType { name } } }',
  ];
  for (const query of told) {
    const { codes, answer } = await post(url, { query, ...(query.includes('query B') && { operationName: 'A' }) });
    t.same(codes, [''], query);
    t.ok(answer.data.__typename || answer.data.__schema || answer.data.__type);
    t.same((await post(url, { query, operationName: 'A' }, WRONG)).codes, ['UNAUTHENTICATED'], 'a bad token is one');
  }
  const not: [query: string, code: string][] = [
    ['{ __schema { queryType { name } } me { id } }', 'UNAUTHENTICATED'],
    ['{ __typename ...F } fragment F on Query { me { id } }', 'UNAUTHENTICATED'],
    ['{ __typename ... { me { id } } }', 'UNAUTHENTICATED'],
    ['{ __typename ...F } fragment F on Query { ...F ...G } fragment G on Query { me { id } }', 'UNAUTHENTICATED'],
    ['{ __typename ...Nowhere }', 'UNAUTHENTICATED'],
    ['{ __typename: me { id } }', 'UNAUTHENTICATED'],
    ['mutation { __typename }', 'UNAUTHENTICATED'],
    ['query A { __typename } query B { me { id } }', 'UNAUTHENTICATED'],
    ['fragment F on Query { __typename }', 'UNAUTHENTICATED'],
    ['{ a: __typename }', 'BAD_REQUEST'],
    ['{ __schema { a: types { name } b: types { name } } }', 'BAD_REQUEST'],
    [`{ ${'__typename '.repeat(32)} }`, 'BAD_REQUEST'],
    ['{ __schema { nope } }', 'BAD_REQUEST'],
    ['{ __typename } fragment F on Query { __typename }', 'BAD_REQUEST'],
    [
      '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
      'BAD_REQUEST',
    ],
  ];
  for (const [query, code] of not) {
    const { codes, answer } = await post(url, { query, operationName: query.includes('query A') ? 'A' : undefined });
    t.same([codes, answer.data], [[code], undefined], query);
  }
  t.same((await post(url, { query: '{ a: __typename }' }, viewer.headers)).codes, ['']);
  t.same((await post(url, { query: '{ a: __typename }' })).codes, ['BAD_REQUEST'], 'also once a caller has sent it');

  await t.test('in production, or with introspection off, nobody reads the schema', async (t) => {
    const query = '{ __schema { queryType { name } } }';
    const closed = await startInstance(t, database, { GRAPHQL_INTROSPECTION: 'false' });
    t.same((await post(closed.url, { query })).codes, ['UNAUTHENTICATED']);
    // Signing keys are sealed in production, and stay so.
    const another = await memoryDatabase(t);
    for (const GRAPHQL_INTROSPECTION of ['true', 'false']) {
      const production = await startInstance(t, another, { ...PROXIED, GRAPHQL_INTROSPECTION });
      for (const document of [query, '{ __typename }'])
        t.same((await post(production.url, { query: document })).codes, ['UNAUTHENTICATED'], GRAPHQL_INTROSPECTION);
    }
  });
});

t.test('the service caches no document of anonymous callers, and a bounded number for others', async (t) => {
  const { url, viewer, developer } = await startService(t, database);
  const send = async (documents: string[], headers: Record<string, string> = {}) => {
    const codes = new Set<string>();
    for (let at = 0; at < documents.length; at += 10) {
      const batch = documents.slice(at, at + 10).map((query) => ({ query, extensions: persisted(query) }));
      for (const code of (await post(url, batch, headers)).codes) codes.add(code);
    }
    return [...codes];
  };
  const kinds: [what: string, document: (n: number) => string, codes: string[]][] = [
    ['sound documents', (n) => `query Q${n} { me { id } }`, ['UNAUTHENTICATED']],
    ['documents that are not valid', (n) => `{ nope${n} }`, ['UNAUTHENTICATED']],
    ['introspection', (n) => `query Q${n} { __schema { queryType { name } } }`, ['']],
    ['introspection that is not valid', (n) => `{ __schema { nope${n} } }`, ['BAD_REQUEST']],
  ];
  await post(url, { query: '{ __typename }' });
  const texts = [await parsedTexts()];
  for (const [what, document, codes] of kinds) {
    const documents = Array.from({ length: 200 }, (_, n) => document(n));
    t.same(await send(documents), codes, what);
    texts.push(await parsedTexts());
    t.ok(Math.max(...texts) <= Math.min(...texts) + 10, `${what}: ${texts.join(', ')} texts in memory`);
    const byHash = { extensions: persisted(documents[0] as string) };
    t.equal((await post(url, byHash, viewer.headers)).answer.errors[0].message, 'PersistedQueryNotFound', what);
  }

  t.same(
    await send(
      Array.from({ length: 200 }, (_, n) => `{ me { nope${n} } }`),
      viewer.headers,
    ),
    ['BAD_REQUEST'],
  );
  const before = await parsedTexts();
  t.ok(before <= Math.min(...texts) + 210, 'the errors of a known caller are remembered');
  for (let n = 0; n < 40; n++) t.same((await post(url, { query: heavy(9000 + n) }, viewer.headers)).codes, ['']);
  const kept = await parsedTexts('#90');
  t.ok(kept > 0 && kept <= 10, `of 40 documents of 1,800 tokens each ${kept} are remembered`);
  t.same((await post(url, { query: heavy(9040) }, developer.headers)).codes, ['']);
  t.equal(await parsedTexts('#9040\n'), 1, 'the share of another caller is free');
});

t.test('an address pays for operations and document sizes, also for refused ones', async (t) => {
  const large = { query: `{ me { id } } # ${'x'.repeat(4500)}` };
  const ten = Array.from({ length: 10 }, () => ({ query: '{ me { id } }' }));

  const anonymous = await startInstance(t, database, { RATE_LIMIT_ANONYMOUS: '1000' });
  let left = 1000;
  const rows: [what: string, body: unknown, price: number, headers?: Record<string, string>][] = [
    ['one operation', ten[0], 1],
    ['a batch of ten', ten, 10],
    ['a batch of ten with a bad token', ten, 10, WRONG],
    ['a document of five started KiB', large, 5],
    ['ten of them', ten.map(() => large), 50],
    ['what does not parse', { query: `${large.query}\n{` }, 5],
    ['what is no request', '{', 1],
    ['introspection', { query: getIntrospectionQuery() }, 2],
  ];
  for (const [what, body, price, headers] of rows) {
    left -= price;
    t.equal((await post(anonymous.url, body, headers)).left, left, what);
  }

  const service = await startService(t, database, { RATE_LIMIT: '1000', RATE_CEILING: '1000' });
  t.equal((await post(service.url, ten.slice(0, 3), service.viewer.headers)).left, 997);
  t.equal((await post(service.url, large, service.viewer.headers)).left, 996, 'a caller pays for operations alone');

  const low = await startInstance(t, database, { RATE_CEILING: '40' });
  t.same((await post(low.url, ten)).codes, Array(10).fill('UNAUTHENTICATED'));
  t.same((await post(low.url, ten)).codes, Array(10).fill('UNAUTHENTICATED'));
  t.same((await post(low.url, large)).codes, ['UNAUTHENTICATED']);
  t.same((await post(low.url, [large, large])).codes, Array(2).fill('UNAUTHENTICATED'));
  const { result, statements } = await statementsOf(() => post(low.url, ten));
  const looked = statements.filter((sql) => !sql.includes('audit_events'));
  t.same([result.codes, looked], [['RATE_LIMITED'], []], 'beyond the ceiling none of the batch is looked at');
  t.match(result.headers.get('retry-after'), /^[1-9][0-9]?$/);
  t.equal((await low.rest('GET', '/.well-known/jwks.json')).status, 429, 'REST is beyond the same ceiling');

  const few = await startInstance(t, database, { RATE_LIMIT_ANONYMOUS: '5' });
  const schema = { query: '{ __schema { queryType { name } } }' };
  for (let n = 0; n < 5; n++) t.same((await post(few.url, schema)).codes, ['']);
  const refused = await post(few.url, schema);
  t.same(refused.codes, ['RATE_LIMITED'], 'the schema is not told without end');
  t.match(refused.headers.get('retry-after'), /^[1-9][0-9]?$/);
  t.same((await post(few.url, ten[0])).codes, ['UNAUTHENTICATED'], 'what fails anyway fails as such');
});
