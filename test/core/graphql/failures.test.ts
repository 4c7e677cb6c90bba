import { parse } from 'graphql';
import t from 'tap';
import { slowClock } from '../../support/clock.js';
import { onEachDatabase } from '../../support/databases.js';
import type { Json } from '../../support/people.js';
import { ARRIVAL, PROXIED } from '../../support/production.js';
import { startService } from '../../support/service.js';

onEachDatabase(t, async (t, open) => {
  const { graphql, rest, admin, developer, viewer, url, log, database } = await startService(t, await open());
  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...admin.headers, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
  };

  t.test('each failing field has one error, and other fields keep their data', async (t) => {
    const { data, errors } = await graphql(
      viewer,
      '{ me { id } a: user(id: 999) { id } b: user(id: "x") { id } c: users(limit: 0) { id } }',
    );
    t.same(data, { me: { id: String(viewer.id) }, a: null, b: null, c: null });
    const byPath = new Map(errors.map((error) => [error.path?.[0], error]));
    t.match(byPath.get('a')?.extensions, { code: 'NOT_FOUND', statusCode: 404 });
    t.match(byPath.get('b')?.extensions, { code: 'BAD_REQUEST', errors: [{ pointer: '/id' }] });
    t.match(byPath.get('c')?.extensions, { code: 'VALIDATION_FAILED', errors: [{ pointer: '/limit' }] });
    t.same(byPath.get('a')?.locations, [{ line: 1, column: 13 }]);
  });

  t.test('a field fails by its syntax, then its caller, then its role, then its content', async (t) => {
    const create = 'mutation($input: CreateUserInput!) { createUser(input: $input) { id } }';
    const invalid = { name: '', email: 'free@example.com', role: 'VIEWER', password: 'short' };
    t.same((await graphql(null, '{ me { nope }')).codes, ['BAD_REQUEST'], '400 before 401');
    t.same((await graphql(null, '{ me { nope } }')).codes, ['UNAUTHENTICATED'], '401 before validation');
    t.same((await graphql(viewer, '{ me { nope } }')).codes, ['BAD_REQUEST'], 'for a caller who is known');
    t.same((await graphql(null, create, { input: invalid })).codes, ['UNAUTHENTICATED'], '401 before 403');
    t.same((await graphql(viewer, create, { input: invalid })).codes, ['FORBIDDEN'], '403 before 422');
    t.same((await graphql(admin, create, { input: { ...invalid, email: 'ADMIN@example.com' } })).codes, ['CONFLICT']);
    const { errors } = await graphql(admin, create, { input: { ...invalid, email: 'x' } });
    t.match(errors[0]?.extensions, { code: 'VALIDATION_FAILED', statusCode: 422 });
    t.same(errors[0]?.extensions.errors?.map(({ pointer }) => pointer).sort(), [
      '/input/email',
      '/input/name',
      '/input/password',
    ]);
    const nul = await graphql(admin, create, { input: { ...invalid, password: undefined, name: 'a\u0000b' } });
    t.same(nul.codes, ['VALIDATION_FAILED']);
  });

  t.test('every request that reaches the endpoint is answered with 200', async (t) => {
    const parsed = parse('{ me { id } }', { noLocation: true });
    const forged = JSON.stringify({ ...parsed, loc: { source: { body: '' } }, tokenCount: 1 });
    const rows: [string, unknown, Record<string, string>, string][] = [
      ['no JSON', '{', {}, 'BAD_REQUEST'],
      ['no document', {}, {}, 'BAD_REQUEST'],
      ['an empty body', '', {}, 'BAD_REQUEST'],
      ['query a number', { query: 1 }, {}, 'BAD_REQUEST'],
      ['variables a list', { query: '{ me { id } }', variables: [] }, {}, 'BAD_REQUEST'],
      ['a syntax error', { query: '{ me { id }' }, {}, 'BAD_REQUEST'],
      ['a document as JSON', { query: '{"kind":"Document","definitions":[]}' }, {}, 'BAD_REQUEST'],
      ['a document as JSON that looks parsed', { query: forged }, {}, 'BAD_REQUEST'],
      ['null as a document', { query: 'null' }, {}, 'BAD_REQUEST'],
      ['only a fragment', { query: 'fragment A on User { id }' }, {}, 'BAD_REQUEST'],
      ['an unknown field', { query: '{ me { password } }' }, {}, 'BAD_REQUEST'],
      ['a missing variable', { query: 'query($id: ID!) { user(id: $id) { id } }' }, {}, 'BAD_REQUEST'],
      [
        'a wrong variable',
        { query: 'query($id: ID!) { user(id: $id) { id } }', variables: { id: {} } },
        {},
        'BAD_REQUEST',
      ],
      ['no operation of that name', { query: 'query A { me { id } }', operationName: 'B' }, {}, 'BAD_REQUEST'],
      ['two operations, none named', { query: 'query A { me { id } } query B { me { id } }' }, {}, 'BAD_REQUEST'],
      ['a subscription', { query: 'subscription { messageAdded(channelId: "c") { id } }' }, {}, 'BAD_REQUEST'],
      [
        'an unknown enum value',
        { query: 'mutation { createUser(input: { name: "N", email: "n@x.y", role: KING }) { id } }' },
        {},
        'BAD_REQUEST',
      ],
      ['an empty batch', [], {}, 'BAD_REQUEST'],
      ['a batch that is too long', Array.from({ length: 11 }, () => ({ query: '{ me { id } }' })), {}, 'BAD_REQUEST'],
      ['another content type', 'query', { 'content-type': 'text/plain' }, 'UNSUPPORTED_MEDIA_TYPE'],
      ['a bad token', { query: '{ me { id } }' }, { authorization: 'Bearer a.b.c' }, 'UNAUTHENTICATED'],
      ['too large', { query: `{ me { id } } # ${'x'.repeat(65_536)}` }, {}, 'PAYLOAD_TOO_LARGE'],
      ['too many tokens', { query: `{ ${'me { id } '.repeat(600)} }` }, {}, 'BAD_REQUEST'],
    ];
    for (const [what, body, headers, code] of rows) {
      const answer = await post(body, headers);
      t.equal(answer.status, 200, what);
      t.equal(answer.body.errors[0].extensions.code, code, what);
      t.notOk(answer.body.data, what);
    }
    const unknown = await post({ query: 'query A { me { id } }', operationName: 'B' });
    t.equal(unknown.body.errors[0].message, 'Unknown operation named "B".', 'without the address of the schema');
    t.equal(
      (await post({ query: '{ me { id } }', variables: null, extensions: null, operationName: null })).body.data.me.id,
      String(admin.id),
    );
  });

  t.test('a batch is answered in order, each operation separately', async (t) => {
    const { body } = await post([
      { query: '{ me { id } }' },
      { query: '{ nope }' },
      { query: 'query($id: ID!) { user(id: $id) { id } }', variables: { id: viewer.id } },
    ]);
    t.equal(body[0].data.me.id, String(admin.id));
    t.equal(body[1].errors[0].extensions.code, 'BAD_REQUEST');
    t.equal(body[2].data.user.id, String(viewer.id));
  });

  t.test('internal errors are masked, and logged with cause and request id', async (t) => {
    await database.client.$executeRaw`ALTER TABLE users RENAME COLUMN name TO hidden`;
    const { data, errors } = await graphql(viewer, '{ users { id name } }');
    const answer = await rest('GET', '/api/v1/users', { as: viewer });
    await database.client.$executeRaw`ALTER TABLE users RENAME COLUMN hidden TO name`;
    t.same(data, { users: null });
    t.match(errors[0]?.extensions, { code: 'INTERNAL', statusCode: 500 });
    t.equal(answer.status, 500);
    for (const text of [JSON.stringify(errors), answer.text]) t.notMatch(text, /hidden|relation|prisma|select|\.ts/i);
    const lines = log.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
    t.equal(lines.length, 2);
    for (const { err, requestId } of lines) {
      t.match(err.message + err.stack, /column|users/i);
      t.match(requestId, /^[0-9a-f-]{36}$/);
    }
  });

  t.test('a stored value that the contract lacks is INTERNAL', async (t) => {
    const { client } = database;
    const { id } = await client.post.create({
      data: { authorId: developer.id, title: 'By a king' },
      select: { id: true },
    });
    await client.$executeRaw`UPDATE users SET role = 'KING' WHERE id = ${developer.id}`;
    const known = log.length;
    const { data, errors } = await graphql(
      viewer,
      'query($id: ID!) { a: post(id: $id) { author { role } } b: post(id: $id) { author { name again: role } } me { id } }',
      { id },
    );
    await client.$executeRaw`UPDATE users SET role = 'DEVELOPER' WHERE id = ${developer.id}`;
    t.same(data, { a: null, b: null, me: { id: String(viewer.id) } });
    t.match(
      // Each root field reads by itself: whichever is answered first fails first.
      errors.map(({ path, extensions }) => [path, extensions]).sort((a, b) => String(a[0]).localeCompare(String(b[0]))),
      [
        [['a', 'author', 'role'], { code: 'INTERNAL', statusCode: 500 }],
        [['b', 'author', 'again'], { code: 'INTERNAL', statusCode: 500 }],
      ],
    );
    t.notMatch(JSON.stringify(errors), 'KING');
    t.match(log.slice(known).join(''), /KING/, 'the log holds the cause');
  });

  t.test('introspection returns the contract', async (t) => {
    const { data } = await graphql(
      viewer,
      '{ __type(name: "Post") { fields { name type { name kind } } } __schema { types { name kind } } }',
    );
    t.match(data.__type.fields, [{ name: 'id' }, { name: 'title' }, { name: 'content' }]);
    t.ok(data.__schema.types.some(({ name }: { name: string }) => name === 'Message'));
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('in production there is no introspection, no suggestion and no GraphiQL', async (t) => {
    const { graphql, viewer, url } = await startService(t, await open(), PROXIED, Date.now);
    Object.assign(viewer.headers, ARRIVAL);
    const refused = await graphql(viewer, '{ __schema { types { name } } }');
    t.same([...new Set(refused.codes), refused.data], ['BAD_REQUEST', undefined]);
    const { errors } = await graphql(viewer, '{ usrs { id } }');
    t.match(errors[0]?.message, 'Cannot query field');
    t.notMatch(errors[0]?.message, 'Did you mean');
    t.same((await graphql(viewer, '{ __typename }')).data, { __typename: 'Query' });
    t.equal((await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).status, 405);
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('an answer with a temporary failure says in Retry-After when to come again', async (t) => {
    const { graphql, viewer } = await startService(t, await open(), { RATE_LIMIT: '1' }, slowClock());
    t.equal((await graphql(viewer, '{ me { id } }')).headers.get('retry-after'), null);
    const { codes, data, headers } = await graphql(viewer, '{ a: me { id } b: users { posts(limit: 0) { id } } }');
    t.same([codes, data], [['RATE_LIMITED', 'RATE_LIMITED'], { a: null, b: null }], 'one entry for each failing field');
    t.match(headers.get('retry-after'), /^[1-9][0-9]?$/);
    const later = await graphql(viewer, '{ a: user(id: 999) { id } b: users(limit: 0) { id } c: me { id } }');
    t.same(
      later.codes.sort(),
      ['NOT_FOUND', 'RATE_LIMITED', 'VALIDATION_FAILED'],
      'what would fail anyway fails as such',
    );
  });
});
