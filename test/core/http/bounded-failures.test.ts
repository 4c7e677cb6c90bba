import t, { type Test } from 'tap';
import type { Code } from '../../../generated/errors.js';
import { addressOf, soundRequest } from '../../support/conformance.js';
import { contractOperations } from '../../support/contract.js';
import { memoryDatabase } from '../../support/databases.js';
import type { Json } from '../../support/people.js';
import { codeOf, startService } from '../../support/service.js';
import { dialAs } from '../../support/socket.js';

/** Bytes of a failure and entries of its `errors` (docs/decisions.md, "Failures"); bytes of the largest body read. */
const MOST = 16_384;
const ENTRIES = 20;
const LARGEST = 65_536;

const USERS = '/api/v1/users';
const LOGIN = '/api/v1/auth/login';
const JSON_BODY = { 'content-type': 'application/json' };

const many = (count: number, make: (index: number) => string, between = ',') =>
  Array.from({ length: count }, (_, index) => make(index)).join(between);
const nested = (levels: number, name: string, within: string) =>
  `${`{"${name}":`.repeat(levels)}${within}${'}'.repeat(levels)}`;

/** Bodies that are wrong in thousands of places, or in one with a name of thousands of characters; and how often, where that is exact. */
const hostile: [what: string, body: string, faults?: number][] = [
  ['duplicates under long names', nested(90, 'n'.repeat(300), `{${many(6000, () => '"a":1')}}`), 5999],
  ['duplicates', `{${many(10_000, () => '"a":1')}}`, 9999],
  ['numbers beyond the range', `[${many(10_000, () => '1e999')}]`, 10_000],
  ['prototypes', `[${many(3000, () => '{"__proto__":1}')}]`, 3000],
  ['a duplicate of a long name', `{${many(2, () => `"${'n'.repeat(30_000)}":1`)}}`, 1],
  ['a duplicate of a name of escapes', `{${many(2, () => `"${'\\u0001'.repeat(5000)}":1`)}}`, 1],
  ['a duplicate of a name of lone surrogates', `{${many(2, () => `"${'\\ud800'.repeat(5000)}":1`)}}`, 1],
  ['a duplicate of a name of tildes', `{${many(2, () => `"x${'~'.repeat(30_000)}":1`)}}`, 1],
  ['duplicates of names in another script', `{${many(40, (index) => `"${'名'.repeat(500)}${index % 20}":1`)}}`, 20],
  ['levels without end', `${'[{"a":'.repeat(7000)}1${'}]'.repeat(7000)}`],
  ['what is no JSON', '{"a":'.repeat(12_000)],
  ['members that nobody knows', `{${many(6000, (index) => `"a${index}":1`)}}`],
  ['members of the wrong type', `{${many(4500, (index) => `"a${index}":[{}]`)}}`],
  ['a member that nobody knows, with a long name', `{"${'n'.repeat(60_000)}":1}`],
  ['text that cannot be stored', `{${many(3400, (index) => `"a${index}":"\\u0000"`)}}`],
  [
    'the same, under long names',
    `{"${'n'.repeat(20_000)}":{"${'~/'.repeat(10_000)}":[${many(2000, () => '"\\ud800"')}]}}`,
  ],
  ['a long text', `{"name":"${'x'.repeat(60_000)}","email":"${'@'.repeat(3000)}"}`],
];

t.test('no failure is larger than 16 KiB', async (t) => {
  const database = await memoryDatabase(t);
  const service = await startService(t, database);
  const { rest, admin, viewer } = service;
  for (const [what, body] of hostile) t.ok(Buffer.byteLength(body) <= LARGEST, `${what} is let in`);

  /** Sends a request that fails, and holds the answer to the contract and to its size. */
  async function failing(t: Test, what: string, ...request: Parameters<typeof rest>) {
    const answer = await rest(...request);
    const { errors = [], omitted } = answer.body;
    t.ok(answer.status >= 400, `${what}: ${answer.status}`);
    t.ok(Buffer.byteLength(answer.text) <= MOST, `${what}: ${Buffer.byteLength(answer.text)} bytes`);
    t.ok(errors.length <= ENTRIES, `${what}: ${errors.length} entries`);
    t.ok(omitted === undefined || errors.length === ENTRIES, `${what}: ${omitted} left out`);
    return { ...answer, errors: errors as Json[], faults: errors.length + (omitted ?? 0) };
  }

  t.test('operations with a body', async (t) => {
    for (const operation of contractOperations.filter((operation) => operation.operation.requestBody)) {
      const draft = await soundRequest(service, operation);
      const headers = { ...JSON_BODY, ...draft.as?.headers };
      for (const [what, body, faults] of hostile) {
        const place = `${operation.operationId}, ${what}`;
        const answer = await failing(t, place, operation.method, addressOf(operation, draft), { headers, body });
        if (faults !== undefined) t.same([answer.status, answer.faults], [400, faults], `${place}: all are counted`);
      }
    }
  });

  t.test('long names are truncated visibly', async (t) => {
    const lengthsOf = ({ errors }: { errors: Json[] }) =>
      errors.map(({ pointer, parameter }) => (pointer ?? parameter).length);
    for (const [what, body] of hostile.filter(([what]) => what.startsWith('a duplicate of'))) {
      const answer = await failing(t, what, 'POST', LOGIN, { headers: JSON_BODY, body });
      t.match(answer.errors[0].pointer, /^\/.*[^~]…$/s, 'not within an escape');
      t.ok((lengthsOf(answer)[0] as number) <= 256);
      t.ok(answer.body.detail.length <= 512);
    }
    const query = await failing(t, 'a long parameter', 'GET', `${USERS}?${'n'.repeat(15_000)}=1`, { as: viewer });
    t.same([query.status, query.faults, lengthsOf(query)], [400, 1, [254]]);
  });

  t.test('faults of content are all counted', async (t) => {
    const own = `${USERS}/${viewer.id}`;
    const headers = { ...JSON_BODY, ...viewer.headers };
    const unstorable = `{${many(3400, (index) => `"a${index}":"\\u0000"`)}}`;
    const patched = await failing(t, 'PATCH', 'PATCH', own, { headers, body: unstorable });
    t.same([...codeOf(patched), patched.faults], [422, 'VALIDATION_FAILED', 6800], 'unknown, and not to be stored');
    const members = `{"name":1,${many(4000, (index) => `"a${index}":1`)}}`;
    const wrong = await failing(t, 'PATCH', 'PATCH', own, { headers, body: members });
    t.same([...codeOf(wrong), wrong.faults], [400, 'BAD_REQUEST', 1], 'the structure comes first');
  });

  t.test('addresses and headers', async (t) => {
    const long = (unit: string) => unit.repeat(15_000 / unit.length);
    const unknown = await failing(t, 'a query', 'GET', `${USERS}?${many(2000, (index) => `a${index}`, '&')}`, {
      as: viewer,
    });
    t.same([unknown.status, unknown.errors.length, unknown.body.omitted], [400, 20, 1980]);
    for (const path of [
      `/${long('a')}`,
      `/${long('%41')}`,
      `/${long('/')}`,
      `${USERS}/${long('a')}`,
      `${USERS}/${long('%22')}`,
      `${USERS}/x/${long('1')}/`,
      `${USERS}/1/${long('%e2%82%ac')}`,
      `/api/v9${long('9')}/users`,
      `/users?version=${long('9')}`,
      `/users?${many(1000, (index) => `version=${index}`, '&')}`,
      `${USERS}?limit=${long('9')}`,
      `${USERS}?after=${long('a')}`,
      `${USERS}?${many(500, () => 'page=1&after=', '&')}`,
    ]) {
      const { status, body } = await failing(t, path.slice(0, 30), 'GET', path, { as: viewer });
      t.ok(status < 500 && body.instance.length <= 1024 && path.startsWith(body.instance));
    }
    t.same(codeOf(await failing(t, 'a method', 'PATCH', USERS, { as: viewer })), [405, 'METHOD_NOT_ALLOWED']);
    for (const [name, code] of [
      ['accept', 'NOT_ACCEPTABLE'],
      ['content-type', 'UNSUPPORTED_MEDIA_TYPE'],
      ['authorization', 'UNAUTHENTICATED'],
      ['idempotency-key', 'VALIDATION_FAILED'],
      ['content-encoding', 'UNSUPPORTED_MEDIA_TYPE'],
    ] as [string, Code][]) {
      const headers = { ...JSON_BODY, ...admin.headers, [name]: long('x') };
      const body = { name: 'A', email: 'header@example.com', role: 'viewer' };
      t.equal((await failing(t, name, 'POST', USERS, { headers, body })).body.code, code, name);
    }
  });
});

t.test('errors of GraphQL', async (t) => {
  const database = await memoryDatabase(t);
  const { url, graphql, admin, viewer } = await startService(t, database, { GRAPHQL_MAX_BATCH: '100' });
  const emails = Array.from({ length: 100 }, (_, index) => `many${index}@example.com`);
  await database.client.user.createMany({
    data: emails.map((email) => ({ name: 'Many', email, emailKey: email, role: 'VIEWER' as const })),
  });

  /** Sends a body that fails, and holds the answer to its size, each operation's part to its own. */
  async function failing(t: Test, what: string, body: object | string, person: typeof admin | null = admin) {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { ...JSON_BODY, ...person?.headers };
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: sent });
    const text = await response.text();
    const results: Json[] = [JSON.parse(text)].flat();
    t.equal(response.status, 200, what);
    t.ok(Buffer.byteLength(sent) <= LARGEST, `${what} is let in`);
    t.ok(Buffer.byteLength(text) <= MOST, `${what}: ${Buffer.byteLength(text)} bytes`);
    for (const { errors } of results) {
      t.ok(errors.length >= 1 && errors.length <= ENTRIES, `${what}: ${errors.length} entries`);
      for (const { message, path = [], locations = [], extensions } of errors) {
        t.ok(message.length <= 512 && locations.length <= 10, `${what}: ${message.length} characters`);
        t.ok(
          path.every((step: Json) => typeof step === 'number' || step.length <= 64),
          what,
        );
        t.ok((extensions.errors ?? []).length <= ENTRIES, `${what}: ${extensions.errors?.length} faults`);
        for (const { pointer, detail } of extensions.errors ?? []) t.ok(pointer.length <= 256 && detail.length <= 256);
        if (extensions.code === 'INTERNAL') t.fail(`${what}: ${message}`);
      }
    }
    return results;
  }
  const batch = (operation: (index: number) => object) => Array.from({ length: 10 }, (_, index) => operation(index));
  const CREATE = 'mutation($input: CreateUserInput!) { createUser(input: $input) { id } }';
  const invented = (length: number) => `{ ${many(Math.floor(length / 10), (index) => `field${1000 + index}`, ' ')} }`;

  t.test('a document with many faults lists 20, and says that there are more', async (t) => {
    const [result] = await failing(t, 'invented fields', { query: invented(8000) });
    t.same([result.errors.length, result.extensions], [20, { omitted: 1 }], 'the search ends there');
    for (const person of [admin, null]) {
      const results = await failing(
        t,
        'a batch',
        batch(() => ({ query: invented(6000) })),
        person,
      );
      t.equal(results.length, 10);
      const hundred = Array.from({ length: 100 }, () => ({ query: '{ aFieldThatNobodyKnows andAnother }' }));
      const most = await failing(t, 'the largest batch', hundred, person);
      t.equal(most.length, 100);
    }
  });

  const FAILING = `{ ${many(30, (index) => `a${index}: user(id: ${1_000_000 + index}) { id }`, ' ')} }`;

  t.test('failing fields are listed up to 20, and counted', async (t) => {
    const [{ data, errors, extensions }] = await failing(t, 'thirty fields', { query: FAILING });
    t.same([errors.length, extensions, Object.keys(data).length], [20, { omitted: 10 }, 30]);
    t.match(errors[0], { path: ['a0'], locations: [{ line: 1, column: 3 }], extensions: { code: 'NOT_FOUND' } });
    const below = '{ users(limit: 100) {\n  posts(limit: 0) { id } } }';
    const [list] = await failing(t, 'a list', { query: below });
    t.match(list.errors[0], { path: ['users', Number, 'posts'], locations: [{ line: 2, column: 3 }] });
  });

  t.test('arguments with many faults', async (t) => {
    const input = { name: '\u0000'.repeat(9000), email: '\ud800'.repeat(300), role: 'ADMIN' };
    const [result] = await failing(t, 'text that cannot be stored', { query: CREATE, variables: { input } });
    t.equal(result.errors[0].extensions.code, 'VALIDATION_FAILED');
    const members = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`member${index}`, 1]));
    const [unknown] = await failing(t, 'unknown members', { query: CREATE, variables: { input: members } });
    t.same([unknown.errors.length, unknown.extensions], [20, { omitted: 1 }]);
    t.equal(unknown.errors[0].extensions.code, 'BAD_REQUEST');
    const unsent = await graphql(admin, 'query($constructor: Int) { users(limit: $constructor) { id } }');
    t.same(unsent.codes, [], 'what was not sent has no value');
    const alias = (index: number) =>
      `a${index}: createUser(input: {name: "\\u0000", email: "\\u0000", role: ADMIN}) { id }`;
    await failing(t, 'thirty fields', { query: `mutation { ${many(30, alias, ' ')} }` });
    await failing(
      t,
      'a batch of them',
      batch(() => ({ query: `mutation { ${many(30, alias, ' ')} }` })),
    );
  });

  t.test('long names', async (t) => {
    const name = 'n'.repeat(60_000);
    const [aliased] = await failing(t, 'an alias', { query: `{ ${name}: user(id: 1000000) { id } }` });
    t.same(aliased.data, null, 'which the data would repeat');
    t.match(aliased.errors[0], { extensions: { code: 'NOT_FOUND' }, path: [`${'n'.repeat(61)}…`] });
    const each = (index: number) => `${'n'.repeat(1900)}${index}: user(id: 1000000) { id }`;
    await failing(t, 'aliases', { query: `{ ${many(30, each, ' ')} }` });
    for (const query of [
      `{ ${name} }`,
      `{ me { ${name} } }`,
      `{ me @${name} { id } }`,
      `{ ...${name} }`,
      `query ($${name}: Int) { me { id } }`,
      `query ${name} { me { id } } query { me { id } }`,
      `{ user(id: "${name}) { id } }`,
      `{ user(id: ${name}) { id } }`,
      `{ user(id: "${name}") { id } }`,
      `{ user(id: [${many(1900, () => '1', ' ')}]) { id } }`,
      `{ me { ${many(30, () => 'id: name id', ' ')} } }`,
    ]) {
      await failing(t, query.slice(0, 20), { query });
    }
    await failing(t, 'an operation', { query: '{ me { id } }', operationName: name });
    await failing(t, 'an id', { documentId: name });
    await failing(t, 'a hash', {
      query: '{ me { id } }',
      extensions: { persistedQuery: { version: 1, sha256Hash: name } },
    });
    await failing(t, 'a value', {
      query: 'query($id: ID!) { user(id: $id) { id } }',
      variables: { id: { [name]: 1 } },
    });
  });

  t.test('bodies that cannot be read', async (t) => {
    for (const [what, body, faults] of hostile) {
      const [result] = await failing(t, what, body, viewer);
      const { errors = [], omitted = 0 } = result.errors[0].extensions;
      if (faults !== undefined) t.equal(errors.length + omitted, faults, `${what}: all are counted`);
    }
  });

  t.test('a large error of a batch leaves other answers whole', async (t) => {
    const users = { query: '{ users(limit: 100) { id name email role createdAt } }' };
    const body = JSON.stringify([...Array.from({ length: 9 }, () => users), { query: invented(6000) }]);
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { ...JSON_BODY, ...admin.headers },
      body,
    });
    const results = (await response.json()) as Json[];
    t.ok(results.slice(0, 9).every(({ data, errors }) => data.users.length === 100 && errors === undefined));
    t.equal(results[9].errors.length, 20);
  });

  t.test('on a socket', async (t) => {
    const socket = await dialAs(t, url, admin);
    socket.send({ type: 'subscribe', id: '1', payload: { query: invented(8000) } });
    const { payload } = await socket.take(({ type }) => type === 'error');
    t.ok(Buffer.byteLength(JSON.stringify(payload)) <= MOST);
    t.same([payload.length, payload.at(-1).extensions.omitted, payload[0].extensions.omitted], [20, 1, undefined]);
    socket.send({ type: 'subscribe', id: '2', payload: { query: FAILING } });
    const next = await socket.take(({ type, id }) => type === 'next' && id === '2');
    t.same([next.payload.errors.length, next.payload.extensions], [20, { omitted: 10 }]);
    socket.send({ type: 'subscribe', id: 'i'.repeat(129), payload: { query: '{ me { id } }' } });
    t.equal(await socket.closed, 4400, 'every message about an operation repeats its id');
    const other = await dialAs(t, url, admin);
    other.send({
      type: 'subscribe',
      id: 'é'.repeat(128),
      payload: { query: 'subscription { messageAdded(channelId: "a") { id } }' },
    });
    other.send({ type: 'subscribe', id: 'é'.repeat(128), payload: { query: '{ me { id } }' } });
    t.equal(await other.closed, 4409, 'a reason that would not fit is cut');
  });
});
