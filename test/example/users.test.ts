import t from 'tap';
import { onEachDatabase } from '../support/databases.js';
import { PASSWORD } from '../support/people.js';
import { basic } from '../support/process.js';
import { codeOf, type Service, startService } from '../support/service.js';

const USERS = '/api/v1/users';
let made = 0;

/** A new user, as the administrator makes one. */
async function create({ rest, admin }: Service, fields: object = {}) {
  made += 1;
  const body = { name: `User ${made}`, email: `user${made}@example.com`, role: 'developer', ...fields };
  return rest('POST', USERS, { as: admin, body });
}

onEachDatabase(t, async (t, open) => {
  const service = await startService(t, await open());
  const { rest, admin, developer, viewer, database } = service;

  t.test('an account is created, read, replaced, updated and deleted', async (t) => {
    const created = await create(service, {
      name: '  Katherine Johnson ',
      email: 'Katherine@Example.com',
      password: PASSWORD,
    });
    const { id } = created.body;
    const path = `${USERS}/${id}`;
    t.equal(created.status, 201);
    t.equal(created.headers.get('location'), path);
    t.match(created.body, {
      name: 'Katherine Johnson',
      email: 'Katherine@Example.com',
      role: 'developer',
      createdAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
      _links: { self: { href: path }, orders: { href: `${path}/orders` } },
    });
    t.same((await rest('GET', path, { as: viewer })).body, created.body);

    const replacement = { name: 'K. Johnson', email: 'kj@example.com', role: 'viewer' };
    const replaced = await rest('PUT', path, { as: admin, body: replacement });
    t.match([replaced.status, replaced.body], [200, replacement]);
    const patch = { 'content-type': 'application/merge-patch+json' };
    const patched = await rest('PATCH', path, { as: admin, headers: patch, body: '{"name":"Katherine"}' });
    t.match([patched.status, patched.body], [200, { ...replacement, name: 'Katherine' }]);

    t.equal((await rest('DELETE', path, { as: admin })).status, 204);
    t.same(codeOf(await rest('DELETE', path, { as: admin })), [404, 'NOT_FOUND'], 'a repeated delete');
    t.same(codeOf(await rest('GET', path, { as: admin })), [410, 'GONE']);
    t.same(codeOf(await rest('PUT', path, { as: admin, body: replacement })), [410, 'GONE']);
    t.same(codeOf(await rest('PATCH', path, { as: admin, body: {} })), [410, 'GONE']);
    const tombstone = await database.client.tombstone.findFirstOrThrow({ where: { kind: 'USER', id } });
    t.same(Object.keys(tombstone).sort(), ['deletedAt', 'id', 'kind'], 'nothing personal is kept');
  });

  t.test('deleting an account deletes its rows, and leaves a tombstone of each', async (t) => {
    const { body } = await create(service);
    const own = { authorId: body.id };
    const { id: postId } = await database.client.post.create({ data: { ...own, title: 'T' } });
    await database.client.comment.create({ data: { authorId: admin.id, postId, text: 'on it' } });
    await database.client.message.create({ data: { ...own, channelId: 'c', text: 'm' } });
    await database.client.order.create({ data: { userId: body.id, amount: 1, currency: 'EUR', status: 'PAID' } });
    const prefer = { prefer: 'return=representation' };
    const deleted = await rest('DELETE', `${USERS}/${body.id}`, { as: admin, headers: prefer });
    t.match(
      [deleted.status, deleted.body, deleted.headers.get('preference-applied')],
      [200, body, 'return=representation'],
    );
    t.equal(await database.client.post.count({ where: own }), 0);
    t.equal(await database.client.comment.count({ where: { postId } }), 0);
    t.equal(await database.client.message.count({ where: own }), 0);
    t.equal(await database.client.order.count({ where: { userId: body.id } }), 0);
    const kinds = await database.client.tombstone.findMany({
      where: { kind: { not: 'USER' } },
      select: { kind: true },
    });
    t.same(kinds.map(({ kind }) => kind).sort(), ['COMMENT', 'MESSAGE', 'ORDER', 'POST']);
  });

  t.test('administrators change every account, and others only their own', async (t) => {
    const other = (await create(service)).body;
    const name = { name: 'New Name' };
    const rows = [
      ['list', (as) => rest('GET', USERS, { as }), 200, 200, 200],
      ['read', (as) => rest('GET', `${USERS}/${other.id}`, { as }), 200, 200, 200],
      ['change own', (as) => rest('PATCH', `${USERS}/${as.id}`, { as, body: name }), 200, 200, 200],
      ['change another', (as) => rest('PATCH', `${USERS}/${other.id}`, { as, body: name }), 403, 403, 200],
      [
        'replace another',
        (as) =>
          rest('PUT', `${USERS}/${other.id}`, {
            as,
            body: { ...other, _links: undefined, id: undefined, createdAt: undefined },
          }),
        403,
        403,
        200,
      ],
      ['set own role', (as) => rest('PATCH', `${USERS}/${as.id}`, { as, body: { role: 'developer' } }), 403, 200, 409],
      ['delete another', (as) => rest('DELETE', `${USERS}/${other.id}`, { as }), 403, 403, 204],
    ] as [string, (as: typeof admin) => ReturnType<typeof rest>, number, number, number][];
    for (const [what, act, ...expected] of rows) {
      const found = [];
      for (const person of [viewer, developer, admin]) found.push((await act(person)).status);
      t.same(found, expected, what);
    }
    const denied = await rest('POST', USERS, {
      as: developer,
      body: { name: 'N', email: 'n@example.com', role: 'viewer' },
    });
    t.same(codeOf(denied), [403, 'FORBIDDEN']);
    t.match(denied.headers.get('www-authenticate'), 'error="insufficient_scope"');
  });

  t.test('the last administrator cannot be deleted or demoted', async (t) => {
    const demotion = await rest('PATCH', `${USERS}/${admin.id}`, { as: admin, body: { role: 'viewer' } });
    t.same(codeOf(demotion), [409, 'CONFLICT']);
    t.same(codeOf(await rest('DELETE', `${USERS}/${admin.id}`, { as: admin })), [409, 'CONFLICT']);
    const second = (await create(service, { role: 'admin', password: PASSWORD })).body;
    const both = await Promise.all(
      [admin.id, second.id].map((id) => rest('PATCH', `${USERS}/${id}`, { as: admin, body: { role: 'viewer' } })),
    );
    const statuses = both.map(({ status }) => status).sort();
    // The other demotion may have been the caller's own: 401 when it had been heard of, 403 when the row told it.
    t.ok(statuses[0] === 200 && [401, 403, 409].includes(Number(statuses[1])), `two demotions at once: ${statuses}`);
    const left = await database.client.user.findMany({ where: { role: 'ADMIN' } });
    t.equal(left.length, 1, 'leave one');
    const login = async (email: string) => {
      const { body } = await rest('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
      return { authorization: `Bearer ${body.access_token}` };
    };
    const headers = await login(left[0]?.email as string);
    if (left[0]?.id !== admin.id) {
      const promotion = { headers, body: { role: 'admin' } };
      t.equal((await rest('PATCH', `${USERS}/${admin.id}`, promotion)).status, 200);
    }
    admin.headers = await login(admin.email);
  });

  t.test(
    'a bad request to an account fails by its syntax, then its caller, then the account, then its content',
    async (t) => {
      const taken = (await create(service)).body;
      const path = `${USERS}/${taken.id}`;
      const absent = `${USERS}/999999`;
      const bad = '{"name":';
      const invalid = { name: ' ', email: 'nobody', role: 'king' };
      const valid = { name: 'N', email: 'free@example.com', role: 'viewer' };
      const steps: [string, Awaited<ReturnType<typeof rest>>, [number, string]][] = [
        [
          '400 before 401',
          await rest('PUT', path, { body: bad, headers: { 'content-type': 'application/json' } }),
          [400, 'BAD_REQUEST'],
        ],
        ['401 before 403', await rest('PUT', path, { body: invalid }), [401, 'UNAUTHENTICATED']],
        ['403 before 404', await rest('PUT', absent, { as: viewer, body: invalid }), [403, 'FORBIDDEN']],
        ['404 before 422', await rest('PUT', absent, { as: admin, body: invalid }), [404, 'NOT_FOUND']],
        [
          '412 before 409',
          await rest('PUT', path, {
            as: admin,
            body: { ...valid, email: admin.email },
            headers: { 'if-match': '"x"' },
          }),
          [412, 'PRECONDITION_FAILED'],
        ],
        [
          '409 before 422',
          await rest('PUT', path, { as: admin, body: { ...invalid, email: admin.email.toUpperCase() } }),
          [409, 'CONFLICT'],
        ],
        ['422', await rest('PUT', path, { as: admin, body: invalid }), [422, 'VALIDATION_FAILED']],
        ['405 after 401', await rest('POST', path, {}), [401, 'UNAUTHENTICATED']],
        ['405', await rest('POST', path, { as: viewer }), [405, 'METHOD_NOT_ALLOWED']],
      ];
      for (const [what, answer, expected] of steps) t.same(codeOf(answer), expected, what);
      t.same((await rest('GET', path, { as: admin })).body, taken, 'and nothing has changed');
    },
  );

  t.test('an unreadable request is 400 with a place', async (t) => {
    const rows: [object | string, RegExp][] = [
      [{ name: 'N', email: 'n@example.com' }, /\/role/],
      [{ name: 7, email: 'n@example.com', role: 'viewer' }, /\/name/],
      [{ name: null, email: 'n@example.com', role: 'viewer' }, /\/name/],
      ['[]', /""/],
      ['"text"', /""/],
      ['', /""/],
      ['{"__proto__":{"admin":true},"name":"N","email":"n@example.com","role":"viewer"}', /"pointer":"\/__proto__"/],
    ];
    for (const [body, place] of rows) {
      const answer = await rest('POST', USERS, { as: admin, body, headers: { 'content-type': 'application/json' } });
      t.same(codeOf(answer), [400, 'BAD_REQUEST'], JSON.stringify(body));
      t.match(answer.text, place);
    }
    for (const path of [
      '/0',
      '/-1',
      '/abc',
      '/1.5',
      '/0x10',
      '/01',
      '/1e2',
      '/%00',
      '?limit=x',
      '?limit=',
      '?limit=1&limit=2',
      '?colour=red',
      '?page=1&offset=2',
      '?after=&page=1',
      '?limit=5&per_page=5',
      '?after=forged',
    ]) {
      t.same(codeOf(await rest('GET', USERS + path, { as: admin })), [400, 'BAD_REQUEST'], path);
    }
    t.same(codeOf(await rest('GET', `${USERS}/99999999999999999999`, { as: admin })), [404, 'NOT_FOUND']);
  });

  t.test('broken rules are 422, all in one answer, and store nothing', async (t) => {
    const before = await database.client.user.count();
    const body = { name: 'x'.repeat(101), email: 'no address', role: 'king', password: 'short', nick: 'n' };
    const answer = await rest('POST', USERS, { as: admin, body });
    t.same(codeOf(answer), [422, 'VALIDATION_FAILED']);
    const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    t.same(pointers.sort(), ['/email', '/name', '/nick', '/password', '/role']);
    for (const fields of [{ name: 'a\u0000b' }, { name: 'a\ud800b' }, { email: 'a\u0000@example.com' }]) {
      const sent = { name: 'N', email: 'n@example.com', role: 'viewer', ...fields };
      t.same(
        codeOf(await rest('POST', USERS, { as: admin, body: sent })),
        [422, 'VALIDATION_FAILED'],
        JSON.stringify(fields),
      );
    }
    for (const query of ['?limit=0', '?limit=101', '?offset=-1', '?page=0', '?per_page=101']) {
      t.same(codeOf(await rest('GET', USERS + query, { as: admin })), [422, 'VALIDATION_FAILED'], query);
    }
    const sneaky = { id: 1, createdAt: '2020-01-01T00:00:00.000Z', passwordHash: 'x' };
    t.same(codeOf(await rest('PATCH', `${USERS}/${viewer.id}`, { as: viewer, body: sneaky })), [
      422,
      'VALIDATION_FAILED',
    ]);
    t.equal(await database.client.user.count(), before);
  });

  t.test('an e-mail address has one account, in any case and under concurrency', async (t) => {
    const spellings = ['race@example.com', 'Race@Example.com', 'RACE@EXAMPLE.COM', 'rAcE@example.com'];
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, i) => create(service, { email: spellings[i % spellings.length] })),
    );
    t.equal(all.filter(({ status }) => status === 201).length, 1);
    t.equal(all.filter(({ status }) => status === 409).length, 39);
  });

  t.test('a unique member of the application has its own conflict', async (t) => {
    await database.client.$executeRawUnsafe(
      "CREATE UNIQUE INDEX users_badge ON users (name) WHERE name LIKE 'Badge %'",
    );
    const person = (email: string) => ({ name: 'Badge 7', email, role: 'viewer' });
    const [first, second] = [person('badge@example.com'), person('other-badge@example.com')];
    t.equal((await rest('POST', USERS, { as: admin, body: first })).status, 201);
    const { status, body } = await rest('POST', USERS, { as: admin, body: second });
    t.match([status, body.code, body.detail], [409, 'CONFLICT', /a value that must be unique/]);
    const again = await rest('POST', USERS, { as: admin, body: { ...first, name: 'No badge' } });
    t.match(again.body.detail, /e-mail address/);
    await database.client.$executeRawUnsafe('DROP INDEX users_badge');
  });

  t.test('an entity tag spares a reader the body, and a writer the loss of an update', async (t) => {
    const { body, headers } = await create(service);
    const path = `${USERS}/${body.id}`;
    const etag = headers.get('etag') as string;
    t.match(etag, /^"[^"]+"$/, 'strong');
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await rest('GET', path, { as: viewer, headers: { 'if-none-match': given } });
      t.same([answer.status, answer.text, answer.headers.get('etag')], [304, '', etag], given);
    }
    const list = await rest('GET', USERS, { as: viewer });
    const again = { as: viewer, headers: { 'if-none-match': list.headers.get('etag') as string } };
    t.equal((await rest('GET', USERS, again)).status, 304);
    const puts = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        rest('PUT', path, {
          as: admin,
          headers: { 'if-match': etag, prefer: 'return=minimal' },
          body: { name: `Writer ${i}`, email: body.email, role: body.role },
        }),
      ),
    );
    t.equal(puts.filter(({ status }) => status === 204).length, 1);
    t.equal(puts.filter(({ status }) => status === 412).length, 49);
    const star = await rest('PATCH', path, { as: admin, headers: { 'if-match': '*' }, body: { name: 'Any' } });
    t.equal(star.status, 200);
    const quiet = { as: admin, headers: { prefer: 'return=minimal' }, body: { name: 'Quiet' } };
    t.match(await rest('PATCH', path, quiet), { status: 204, text: '' });
    const whole = { ...quiet, body: { name: 'Quieter', email: body.email, role: body.role } };
    t.match(await rest('PUT', path, whole), { status: 204, text: '' });
    t.same(codeOf(await rest('DELETE', path, { as: admin, headers: { 'if-match': etag } })), [
      412,
      'PRECONDITION_FAILED',
    ]);
  });

  t.test('three styles of paging visit every row once', async (t) => {
    for (let i = 0; i < 12; i++) await create(service);
    const all = (await rest('GET', `${USERS}?limit=100`, { as: viewer })).body.map(({ id }: { id: number }) => id);
    t.same(
      all,
      [...all].sort((a, b) => a - b),
      'by id',
    );
    for (const first of [`${USERS}?limit=5`, `${USERS}?page=1&per_page=5`]) {
      const seen: number[] = [];
      for (let next: string | undefined = first; next; ) {
        const page = await rest('GET', next, { as: viewer });
        t.equal(page.headers.get('x-total-count'), String(all.length));
        seen.push(...page.body.map(({ id }: { id: number }) => id));
        t.match(page.headers.get('link'), /rel="first".*rel="last"/);
        next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      }
      t.same(seen, all, first);
    }
    const seen: number[] = [];
    for (let after = '', more = true; more; ) {
      const { body } = await rest('GET', `${USERS}?limit=5&after=${after}`, { as: viewer });
      seen.push(...body.data.map(({ id }: { id: number }) => id));
      ({ next: after, hasMore: more } = body.cursor);
      t.equal(after === '', !more, 'next is empty at the end');
    }
    t.same(seen, all, 'cursor');
    t.same((await rest('GET', `${USERS}?offset=2147483648`, { as: viewer })).body, [], 'past the end is empty');
  });

  t.test('HEAD answers like GET without a body, and credentials may come by Basic', async (t) => {
    const head = await rest('HEAD', USERS, { headers: basic(admin.email, PASSWORD) });
    const get = await rest('GET', USERS, { headers: basic(admin.email.toUpperCase(), PASSWORD) });
    t.same([head.status, head.text], [200, '']);
    t.equal(head.headers.get('etag'), get.headers.get('etag'));
  });
});

onEachDatabase(t, async (t, open) => {
  const { graphql, rest, admin, developer, viewer } = await startService(t, await open());

  t.test('REST and GraphQL return the same user', async (t) => {
    const create = `mutation($input: CreateUserInput!) { createUser(input: $input) { id name email role createdAt } }`;
    const input = { name: ' Barbara Liskov ', email: 'Barbara@Example.com', role: 'DEVELOPER', password: PASSWORD };
    const { createUser } = (await graphql(admin, create, { input })).data;
    t.match(createUser, { name: 'Barbara Liskov', email: 'Barbara@Example.com', role: 'DEVELOPER' });
    const login = await rest('POST', '/api/v1/auth/login', { body: { email: input.email, password: PASSWORD } });
    t.equal(login.status, 200);
    const { body } = await rest('GET', `/api/v1/users/${createUser.id}`, { as: viewer });
    t.match(body, { id: Number(createUser.id), role: 'developer', createdAt: createUser.createdAt });

    const document = `
      query($id: ID!, $no: Boolean!) {
        one: user(id: $id) { ...Short email @include(if: $no) }
        me { ...Short @skip(if: $no) }
        users(limit: 2, offset: 1) { __typename id }
      }
      fragment Short on User { id name }`;
    const { data } = await graphql(viewer, document, { id: createUser.id, no: false });
    t.same(data.one, { id: createUser.id, name: 'Barbara Liskov' });
    t.equal(data.me.id, String(viewer.id));
    t.same(data.users, [
      { __typename: 'User', id: String(developer.id) },
      { __typename: 'User', id: String(viewer.id) },
    ]);

    const change = `mutation($id: ID!) {
      updateUser(id: $id, name: "Barbara") { name }
      deleteUser(id: $id) { success message }
      again: deleteUser(id: $id) { success }
      late: updateUser(id: $id, name: "B") { name }
    }`;
    const changed = await graphql(admin, change, { id: createUser.id });
    t.match(changed.data, {
      updateUser: { name: 'Barbara' },
      deleteUser: { success: true, message: String },
      again: null,
      late: null,
    });
    t.same(changed.codes, ['NOT_FOUND', 'GONE']);
    t.same(
      changed.errors.map(({ path }) => path),
      [['again'], ['late']],
    );
  });

  t.test('whoever may not change an account over REST may not change it over GraphQL', async (t) => {
    const create = 'mutation { createUser(input: { name: "N", email: "n@example.com", role: ADMIN }) { id } }';
    const rename = `mutation { updateUser(id: ${admin.id}, name: "Mine") { id } }`;
    const remove = `mutation { deleteUser(id: ${admin.id}) { success } }`;
    for (const person of [viewer, developer]) {
      for (const document of [create, rename, remove])
        t.same((await graphql(person, document)).codes, ['FORBIDDEN'], document);
      const own = await graphql(person, `mutation { updateUser(id: ${person.id}, name: "Own") { name } }`);
      t.equal(own.data.updateUser.name, 'Own');
    }
    t.same((await graphql(admin, remove)).codes, ['CONFLICT'], 'the last administrator');
  });
});
