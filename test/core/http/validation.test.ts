import t from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import type { Json } from '../../support/people.js';
import { codeOf, type RestAnswer, startService } from '../../support/service.js';

const USERS = '/api/v1/users';
const JSON_BODY = { 'content-type': 'application/json' };
const deep = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`;

onEachDatabase(t, async (t, open) => {
  const { rest, graphql, url, admin, viewer, database } = await startService(t, await open());
  const before = await database.client.user.findMany({ orderBy: { id: 'asc' } });
  const post = (body: string, headers = {}) =>
    rest('POST', USERS, { as: admin, body, headers: { ...JSON_BODY, ...headers } });
  const others = '"email":"n@example.com","role":"viewer"';

  t.test('hostile JSON is 4xx with its place', async (t) => {
    const rows: [what: string, body: string, status: number, pointer: string][] = [
      ['a member twice', `{"name":"A","name":"B",${others}}`, 400, '/name'],
      ['a member twice, spelled otherwise', `{"name":"A","n\\u0061me":"B",${others}}`, 400, '/name'],
      ['a member twice, further in', `{"name":"A",${others},"x":[{"a":1},{"b/c":1,"b/c":2}]}`, 400, '/x/1/b~1c'],
      ['__proto__', `{"__proto__":{"role":"admin"},"name":"A",${others}}`, 400, '/__proto__'],
      ['__proto__, escaped', `{"\\u005f_proto__":1,"name":"A",${others}}`, 400, '/__proto__'],
      ['constructor.prototype', `{"constructor":{"prototype":{}},"name":"A",${others}}`, 400, '/constructor/prototype'],
      ['constructor alone', `{"constructor":{},"name":"A",${others}}`, 422, '/constructor'],
      ['hasOwnProperty', `{"hasOwnProperty":1,"name":"A",${others}}`, 422, '/hasOwnProperty'],
      ['1e400', `{"name":1e400,${others}}`, 400, '/name'],
      ['-1e400 where nothing is known', `{"name":"A",${others},"x":[0,-1e400]}`, 400, '/x/1'],
      ['10,000 arrays', `{"name":"A",${others},"x":${deep(10_000, '[', ']')}}`, 400, `/x${'/0'.repeat(99)}`],
      ['10,000 objects', `{"name":"A",${others},"x":${deep(9_000, '{"a":', '}')}}`, 400, `/x${'/a'.repeat(99)}`],
      ['NUL', `{"name":"a\\u0000b",${others}}`, 422, '/name'],
      ['a lone high surrogate', `{"name":"a\\ud800",${others}}`, 422, '/name'],
      ['a lone low surrogate', `{"name":"\\udc00a",${others}}`, 422, '/name'],
      ['a lone surrogate in a name', `{"name":"A",${others},"a\\ud800":1}`, 422, '/a\ud800'],
      ['an unknown member', `{"name":"A",${others},"a~/b":1}`, 422, '/a~0~1b'],
    ];
    for (const [what, body, status, pointer] of rows) {
      const answer = await post(body);
      t.equal(answer.status, status, what);
      const pointers = answer.body.errors.map((error: Json) => error.pointer);
      t.ok(pointers.includes(pointer), `${what}: ${pointers[0]}`);
    }
    t.equal(
      (await post(`{"name":"\\ud83d\\ude00",${others}}`, { prefer: 'x' })).status,
      201,
      'a surrogate pair is one character',
    );
    await database.client.user.delete({ where: { emailKey: 'n@example.com' } });
  });

  t.test('names and titles are one line without invisible characters, over REST and GraphQL', async (t) => {
    const hidden = [
      ...['\u0000', '\u0007', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u009f', '\u2028', '\u2029'],
      ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'],
    ];
    const statusAndPlaces = ({ status, body }: RestAnswer) => [
      status,
      body.errors?.map((error: Json) => error.pointer),
    ];
    const asked = async (query: string, variables: object) => {
      const { errors } = await graphql(admin, query, variables);
      return errors.map(({ extensions: { code, errors: places = [] } }) => [
        code,
        ...places.map(({ pointer }) => pointer),
      ]);
    };
    const email = 'hidden@example.com';
    const { id: postId } = await database.client.post.create({ data: { authorId: viewer.id, title: 'T' } });
    for (const character of hidden) {
      for (const text of [`a${character}b`, `${character}ab`, `ab${character}`]) {
        const what = JSON.stringify(text).replace(
          /[^ -~]/g,
          (character) => `U+${character.charCodeAt(0).toString(16)}`,
        );
        const user = { name: text, email, role: 'viewer' };
        const body = { as: admin, body: user };
        const answers = [
          await rest('POST', USERS, body),
          await rest('PUT', `${USERS}/${viewer.id}`, body),
          await rest('PATCH', `${USERS}/${viewer.id}`, { as: admin, body: { name: text } }),
        ];
        for (const answer of answers) t.same([answer.status, statusAndPlaces(answer)[1]?.[0]], [422, '/name'], what);
        const input = { ...user, role: 'VIEWER' };
        const id = viewer.id;
        const results = [
          [
            await asked('mutation($input: CreateUserInput!) { createUser(input: $input) { id } }', { input }),
            '/input/name',
          ],
          [
            await asked('mutation($id: ID!, $n: String!) { updateUser(id: $id, name: $n) { id } }', { id, n: text }),
            '/name',
          ],
          [await asked('mutation($t: String!) { createPost(title: $t) { id } }', { t: text }), '/title'],
          [
            await asked('mutation($id: ID!, $t: String) { updatePost(id: $id, title: $t) { id } }', {
              id: postId,
              t: text,
            }),
            '/title',
          ],
        ] as const;
        for (const [[[code, pointer] = []], place] of results)
          t.same([code, pointer], ['VALIDATION_FAILED', place], what);
      }
    }
    await database.client.post.delete({ where: { id: postId } });
    for (const name of [
      'عمر\u200f',
      'می\u200cخواهم',
      '👩\u200d🚀',
      'Jose\u0301',
      '\u3000山田\u00a0太郎 ',
      "Siân O'Neill-Łukasz",
    ]) {
      const made = await rest('POST', USERS, { as: admin, body: { name, email, role: 'viewer' } });
      t.same([made.status, made.body.name], [201, name.trim()]);
      t.equal(
        (await graphql(admin, 'mutation($t: String!) { createPost(title: $t) { id } }', { t: name })).errors.length,
        0,
      );
      await database.client.user.delete({ where: { id: made.body.id } });
    }
    await database.client.post.deleteMany();
  });

  t.test('malformed JSON is 400 with its place, and no encoding but UTF-8 is read', async (t) => {
    for (const body of ['{"name":', 'nope', '[1,]', "{'a':1}", '{"a":NaN}', '\u0000', '{"a":1}{"a":1}', '{"a":"\t"}']) {
      t.same(codeOf(await post(body)), [400, 'BAD_REQUEST'], body);
    }
    t.match((await post('{"name" "secret of mine"}')).body.detail, /At line 1, column 9: expected a colon\.$/);
    t.notMatch((await post('{"name" "secret of mine"}')).text, 'secret', 'the body is not quoted');
    const raw = (bytes: Buffer, headers = {}) =>
      fetch(url + USERS, { method: 'POST', headers: { ...JSON_BODY, ...admin.headers, ...headers }, body: bytes });
    const latin1 = Buffer.from(`{"name":"Jos\xe9",${others}}`, 'latin1');
    t.equal((await raw(latin1)).status, 400, 'other encodings are not guessed');
    t.equal((await raw(latin1, { 'content-type': 'application/json; charset=latin1' })).status, 415);
    t.equal((await raw(latin1, { 'content-type': 'application/json;charset=x' })).status, 415);
    t.equal((await raw(latin1, { 'content-encoding': 'gzip' })).status, 415);
    t.equal(
      (await post('{}', { 'content-type': 'application/json; charset="UTF-8"' })).status,
      400,
      'the body is read, and lacks members',
    );
  });

  t.test('issues name unknown and hostile parameters', async (t) => {
    for (const [query, parameter] of [
      ['colour=red', 'colour'],
      ['limit=1&Limit=2', 'Limit'],
      ['__proto__=1', '__proto__'],
      ['constructor=1', 'constructor'],
      ['%00=1', '\u0000'],
      ['limit=1%00', 'limit'],
      ['limit=1e400', 'limit'],
      ['limit[]=1', 'limit[]'],
    ] as const) {
      const answer = await rest('GET', `${USERS}?${query}`, { as: viewer });
      t.same(codeOf(answer), [400, 'BAD_REQUEST'], query);
      t.ok(
        answer.body.errors.some((error: Json) => error.parameter === parameter),
        `${query}: ${JSON.stringify(answer.body.errors)}`,
      );
    }
    for (const path of ['/api/v1/orders/1', '/api/v1/auth/me', '/.well-known/jwks.json', '/livez', '/metrics', '/']) {
      t.equal((await rest('GET', `${path}?colour=red`, { as: viewer })).status, 400, path);
    }
    for (const path of ['/%', '/api/v1/users/%ff', '/api/v1/users/%E0%A4%A']) {
      t.equal((await fetch(url + path, { headers: viewer.headers })).status, 400, path);
    }
  });

  t.test('rejected requests store nothing', async (t) => {
    t.same(await database.client.user.findMany({ orderBy: { id: 'asc' } }), before);
  });

  t.test('GraphQL reads JSON by the same rules', async (t) => {
    const ask = async (body: string) => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { ...JSON_BODY, ...viewer.headers },
        body,
      });
      return [response.status, ((await response.json()) as Json).errors?.[0].extensions.code];
    };
    for (const body of [
      '{"query":"{ me { id } }","query":"{ __typename }"}',
      '{"query":"{ me { id } }","variables":{"__proto__":1}}',
      `{"query":"{ me { id } }","variables":{"a":${deep(10_000, '[', ']')}}}`,
      '{"query":"{ me { id } }","variables":{"a":1e400}}',
    ]) {
      t.same(await ask(body), [200, 'BAD_REQUEST'], body.slice(0, 60));
    }
  });
});
