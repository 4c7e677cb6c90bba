import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, CombinedError, fetchExchange, gql } from '@urql/core';
import { buildClientSchema, buildSchema, printSchema } from 'graphql';
import { auditServer } from 'graphql-http';
import t from 'tap';
import { accord } from '../../support/accord.js';
import { memoryDatabase, onEachDatabase } from '../../support/databases.js';
import type { Json, Person } from '../../support/people.js';
import { run, temporaryFolder } from '../../support/process.js';
import { startService } from '../../support/service.js';
import { statementsOf } from '../../support/statements.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const contract = readFileSync('schema.graphql', 'utf8');

/** These recommend another status than 200 for a refused request (docs/decisions.md, "The 200 rule of GraphQL"). */
const FORBIDDEN_BY_THE_200_RULE = ['9ABE', 'BCF8', 'B7N8', '865D', '556A', '51FE', '74FF', '86EE'];

/** A caller of POST /graphql who sees the whole answer. */
const poster =
  (url: string, person: Person | null) =>
  async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...person?.headers, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const answer: Json = await response.json();
    return {
      status: response.status,
      headers: response.headers,
      body: answer,
      code: answer.errors?.[0].extensions.code,
    };
  };

onEachDatabase(t, async (t, open) => {
  const { url, admin, viewer, graphql, log } = await startService(t, await open());
  const post = poster(url, admin);

  t.test('the endpoint keeps every MUST of GraphQL over HTTP, and every SHOULD that the 200 rule allows', async (t) => {
    const fetchFn = (input: string, init: RequestInit = {}) =>
      fetch(input, { ...init, headers: { ...init.headers, ...admin.headers } });
    const results = await auditServer({ url: `${url}/graphql`, fetchFn });
    const failed = results.filter(({ status }) => status === 'error' || status === 'warn');
    t.same(
      failed.filter(({ status }) => status === 'error').map(({ id, name }) => `${id} ${name}`),
      [],
    );
    t.same(failed.map(({ id }) => id).sort(), [...FORBIDDEN_BY_THE_200_RULE].sort());
    t.ok(results.length > 50);
    await Promise.all(results.map(async ({ response }: Json) => response?.body?.cancel().catch(() => {})));
  });

  t.test('the answer has the accepted media type', async (t) => {
    const [json, graphqlType] = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];
    const rows: [string, string][] = [
      ['application/graphql-response+json', graphqlType],
      ['application/graphql-response+json; charset=utf-8', graphqlType],
      ['application/graphql-response+json, application/json;q=0', graphqlType],
      ['application/graphql-response+json, application/json;q=0.1', json],
      ['application/graphql-response+json, */*;q=0.1', json],
      ['application/json', json],
      ['text/html', json],
      ['*/*', json],
    ];
    for (const [accept, expected] of rows) {
      for (const body of ['{ __typename }', '{', '{ users(limit: 0) { id } }']) {
        const { status, headers } = await post({ query: body }, { accept });
        t.same([status, headers.get('content-type')], [200, expected], `${accept}: ${body}`);
        t.match(headers.get('vary'), /accept/i);
      }
      const { status, headers } = await post('{', { accept });
      t.same([status, headers.get('content-type')], [200, expected], `${accept}: no JSON`);
    }
  });

  t.test('only application/json is read, and only POST executes', async (t) => {
    const create = 'mutation { createPost(title: "Not this way") { id } }';
    const form = new URLSearchParams({ query: create }).toString();
    const multipart = `--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n${create}\r\n--x--\r\n`;
    const rows: [string, string][] = [
      ['application/x-www-form-urlencoded', form],
      ['text/plain', JSON.stringify({ query: create })],
      ['multipart/form-data; boundary=x', multipart],
      ['application/merge-patch+json', JSON.stringify({ query: create })],
      ['application/graphql', create],
    ];
    const { statements } = await statementsOf(async () => {
      for (const [type, body] of rows) {
        const { status, body: answer } = await post(body, { 'content-type': type });
        t.equal(status, 200, type);
        t.match(answer.errors[0].extensions, { code: 'UNSUPPORTED_MEDIA_TYPE', statusCode: 415 }, type);
      }
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const response = await fetch(`${url}/graphql?query=${encodeURIComponent(create)}`, {
          method,
          headers: admin.headers,
        });
        t.same([response.status, response.headers.get('allow')], [405, 'POST'], method);
        const { detail } = (await response.json()) as Json;
        for (const option of ['preferGetMethod', 'useGETForQueries'])
          t.match(detail, option, 'the option of the client');
      }
    });
    t.same(statements, [], 'nothing ran');
  });

  t.test('no hostile body causes INTERNAL', async (t) => {
    const me = '{ me { id } }';
    const bodies: [string, string][] = [
      ['nested arrays', '['.repeat(30_000) + ']'.repeat(30_000)],
      ['nested objects', `${'{"query":'.repeat(5000)}1${'}'.repeat(5000)}`],
      [
        'deep variables',
        `{"query":"query($id: ID!) { user(id: $id) { id } }","variables":{"id":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`,
      ],
      ['__proto__', `{"query":"${me}","variables":{"__proto__":{"x":1}}}`],
      ['constructor.prototype', `{"query":"${me}","variables":{"constructor":{"prototype":{"x":1}}}}`],
      ['a number beyond all', '{"query":"query($n: Int) { users(limit: $n) { id } }","variables":{"n":1e400}}'],
      ['a lone surrogate in the text', '{"query":"{ me { id \\ud800 } }"}'],
      ['a NUL in the text', '{"query":"{ me \\u0000 { id } }"}'],
      ['a batch in a batch', `[[{"query":"${me}"}]]`],
      ['null', 'null'],
      ['a string', '"query"'],
      ['a document as JSON', JSON.stringify({ query: '{"kind":"Document","definitions":[]}' })],
    ];
    for (const [what, body] of bodies) {
      const { status, code } = await post(body);
      t.same([status, code], [200, 'BAD_REQUEST'], what);
    }
    const member = 'query($id: ID!) { user(id: $id) { id } }';
    for (const id of ['constructor', '__proto__', 'toString', '\ud800', '1\u0000'])
      t.equal((await post({ query: member, variables: { id } })).code, 'BAD_REQUEST', id);
    t.equal(
      (await post({ query: 'mutation($t: String!) { createPost(title: $t) { id } }', variables: { t: '\ud800' } }))
        .code,
      'VALIDATION_FAILED',
    );
    t.same((await post({ query: me, operationName: '__proto__' })).code, 'BAD_REQUEST');
    t.equal(({} as Json).x, undefined);
    t.notOk(
      log.some((line) => JSON.parse(line).level >= 50),
      'nothing was logged as a fault',
    );
  });

  t.test('every operation needs a credential', async (t) => {
    const schema = buildSchema(contract);
    for (const [operation, type] of [
      ['query', schema.getQueryType()],
      ['mutation', schema.getMutationType()],
    ] as const) {
      for (const field of Object.values(type?.getFields() ?? {})) {
        const values: Record<string, string> = {
          CreateUserInput: '{ name: "N", email: "n@example.com", role: ADMIN }',
        };
        const args = field.args
          .filter((arg) => String(arg.type).endsWith('!'))
          .map((arg) => `${arg.name}: ${values[String(arg.type).slice(0, -1)] ?? '"1"'}`);
        const document = `${operation} { ${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''} { __typename } }`;
        const { result, statements } = await statementsOf(() => graphql(null, document));
        t.same([result.codes, result.data, statements], [['UNAUTHENTICATED'], undefined, []], field.name);
      }
    }
  });

  t.test('a persisted query is sent by its hash alone once the service has run it', async (t) => {
    const query = 'query($id: ID!) { user(id: $id) { id name } }';
    const persisted = (sha256Hash: unknown, version: unknown = 1) => ({
      extensions: { persistedQuery: { version, sha256Hash } },
    });
    const variables = { id: viewer.id };
    const byHash = { variables, ...persisted(sha256(query)) };
    const unknown = await post(byHash);
    t.same(
      [unknown.status, unknown.code, unknown.body.errors[0].message],
      [200, 'BAD_REQUEST', 'PersistedQueryNotFound'],
    );
    t.equal((await poster(url, null)({ query, ...byHash })).code, 'UNAUTHENTICATED');
    t.equal((await post(byHash)).code, 'BAD_REQUEST', 'nobody without a credential has anything remembered');
    t.equal((await post({ query: '{ nope }', ...persisted(sha256('{ nope }')) })).code, 'BAD_REQUEST');
    t.equal(
      (await post(persisted(sha256('{ nope }')))).body.errors[0].message,
      'PersistedQueryNotFound',
      'nor what is not valid',
    );
    t.equal((await post({ query: '{ me { id } }', ...byHash })).code, 'BAD_REQUEST', 'the text of another hash');
    t.equal((await post(byHash)).body.errors[0].message, 'PersistedQueryNotFound', 'is not remembered either');

    t.equal((await post({ query, ...byHash })).body.data.user.name, 'Viewer');
    t.equal((await post(byHash)).body.data.user.name, 'Viewer');
    t.equal((await post({ ...byHash, variables: { id: admin.id } })).body.data.user.name, 'Admin');
    t.equal((await post({ documentId: `sha256:${sha256(query)}`, variables })).body.data.user.name, 'Viewer');
    t.same((await post([byHash, byHash])).body.length, 2);
    for (const wrong of [
      persisted(1),
      persisted(sha256(query), 2),
      { extensions: { persistedQuery: 'x' } },
      { documentId: 7 },
      {},
    ])
      t.equal((await post({ variables, ...wrong })).code, 'BAD_REQUEST', JSON.stringify(wrong));
  });

  t.test('urql queries and mutates by POST without settings of its own', async (t) => {
    const client = new Client({
      url: `${url}/graphql`,
      exchanges: [fetchExchange],
      preferGetMethod: false,
      fetchOptions: { headers: admin.headers },
    });
    const created = await client
      .mutation(gql`mutation Create($title: String!) { createPost(title: $title) { id title author { name } } }`, {
        title: 'From urql',
      })
      .toPromise();
    t.match(created.data.createPost, { title: 'From urql', author: { name: 'Admin' } });
    const read = await client
      .query(
        gql`
          query Read($id: ID!, $missing: ID!) { post(id: $id) { ...Shown } missing: post(id: $missing) { ...Shown } }
          fragment Shown on Post { id title comments(limit: 5) { text } }
        `,
        { id: created.data.createPost.id, missing: '999999' },
      )
      .toPromise();
    t.match(read.data, { post: { title: 'From urql', comments: [] }, missing: null });
    t.ok(read.error instanceof CombinedError);
    t.match(read.error?.graphQLErrors[0], { path: ['missing'], extensions: { code: 'NOT_FOUND', statusCode: 404 } });
    t.equal(read.error?.networkError, undefined);
  });
});

t.test('with trusted documents, other documents are refused', async (t) => {
  const folder = temporaryFolder(t);
  const documents = join(folder, 'documents');
  mkdirSync(join(documents, 'below'), { recursive: true });
  const [read, create] = [
    'query Read($id: ID!) { user(id: $id) { name } }\n',
    'mutation Write { createPost(title: "T") { title } }',
  ];
  writeFileSync(join(documents, 'read.graphql'), read);
  writeFileSync(join(documents, 'below', 'codegen.json'), JSON.stringify({ 'an-id-of-codegen': create }));
  const apollo = {
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: [{ id: 'an-id-of-apollo', name: 'Me', type: 'query', body: '{ me { name } }' }],
  };
  writeFileSync(join(folder, 'apollo.json'), JSON.stringify(apollo));
  writeFileSync(join(folder, 'broken.graphql'), 'query Broken { nope }');

  const out = join(folder, 'trusted.json');
  const refused = await accord(t, ['trust', documents, join(folder, 'broken.graphql'), '--out', out]);
  t.equal(refused.code, 1);
  t.match(refused.stderr, /broken\.graphql: Cannot query field "nope"/);
  t.throws(() => readFileSync(out), 'nothing is written');
  writeFileSync(join(folder, 'numbers.json'), JSON.stringify({ 'an-id': 1 }));
  const numbers = await accord(t, ['trust', join(folder, 'numbers.json'), '--out', out]);
  t.match(numbers.stderr, /numbers\.json: is not an object from ids to documents/);
  const registered = await accord(t, ['trust', documents, join(folder, 'apollo.json'), '--out', out]);
  t.equal(registered.code, 0);
  t.match(registered.stdout, `${sha256(read)}  Read\n`);
  t.match(registered.stdout, 'an-id-of-codegen  Write\n');

  onEachDatabase(t, async (t, open) => {
    const database = await open();
    const { url, admin } = await startService(t, database, { TRUSTED_DOCUMENTS: out });
    const post = poster(url, admin);
    const variables = { id: admin.id };
    t.equal(
      (await post({ documentId: `sha256:${sha256(read)}`, variables })).body.data.user.name,
      'Admin',
      'by its hash',
    );
    const persistedQuery = { version: 1, sha256Hash: sha256(read) };
    t.equal(
      (await post({ extensions: { persistedQuery }, variables })).body.data.user.name,
      'Admin',
      'as Apollo sends it',
    );
    t.equal((await post({ query: read, variables })).body.data.user.name, 'Admin', 'word for word');
    t.equal((await post({ documentId: 'an-id-of-codegen' })).body.data.createPost.title, 'T');
    t.equal((await post({ documentId: 'an-id-of-apollo' })).body.data.me.name, 'Admin');
    t.equal((await post({ documentId: sha256(create) })).body.data.createPost.title, 'T', 'the hash is always an id');
    for (const query of ['{ me { id } }', `${read} `, '{ __typename }', '{ __schema { types { name } } }']) {
      const persisted = { version: 1, sha256Hash: sha256(query) };
      for (const body of [
        { query },
        { query, extensions: { persistedQuery: persisted } },
        { documentId: sha256(query) },
      ]) {
        const { statements, result } = await statementsOf(() => post({ ...body, variables }));
        t.same([result.code, result.body.data, statements], ['BAD_REQUEST', undefined, []], JSON.stringify(body));
      }
    }
  });

  t.test('a file of trusted documents that is invalid stops the start', async (t) => {
    await t.rejects(
      startService(t, await memoryDatabase(t), { TRUSTED_DOCUMENTS: folder }),
      /broken\.graphql: Cannot query field/,
    );
  });
});

t.test('`accord schema` prints the schema without introspection', async (t) => {
  const print = (...args: string[]) =>
    run(t, [process.execPath, 'src/platform/server/cli/bin.js', 'schema', ...args]).ended;
  const [sdl, json] = await Promise.all([print(), print('--json')]);
  t.same([sdl.code, json.code, sdl.stdout], [0, 0, contract]);
  t.equal(printSchema(buildClientSchema(JSON.parse(json.stdout).data)), printSchema(buildSchema(contract)));
  const folder = temporaryFolder(t);
  const absent = await print('--root', folder);
  t.match([absent.code, absent.stderr], [1, /^There is no generated\/contract\.json\. Run/]);
  mkdirSync(join(folder, 'generated'));
  const invalid = JSON.stringify({ sources: {}, schema: 'type Query { a: Nope }' });
  writeFileSync(join(folder, 'generated/contract.json'), invalid);
  const broken = await print('--root', folder);
  t.match([broken.code, broken.stderr], [1, /^Unknown type "Nope"/]);
});
