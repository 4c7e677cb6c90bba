import t from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import type { Json } from '../../support/people.js';
import { startService } from '../../support/service.js';
import { statementsOf } from '../../support/statements.js';

const USERS = 20;
const POSTS = 5;
const COMMENTS = 4;

onEachDatabase(t, async (t, open) => {
  const { graphql, rest, database, admin, viewer } = await startService(t, await open());
  const { client } = database;
  await client.user.createMany({
    data: Array.from({ length: USERS }, (_, n) => {
      const email = `writer${n}@example.com`;
      return { name: `Writer ${n}`, email, emailKey: email, role: 'DEVELOPER' as const };
    }),
  });
  const writers = await client.user.findMany({ where: { name: { startsWith: 'Writer' } }, orderBy: { id: 'asc' } });
  const writer = (n: number) => (writers[n % USERS] as (typeof writers)[number]).id;
  // One post of each in turn, so that the posts of one user lie far apart; likewise the comments.
  await client.post.createMany({
    data: Array.from({ length: USERS * POSTS }, (_, n) => ({
      authorId: writer(n),
      title: `Post ${Math.floor(n / USERS)} of ${writer(n)}`,
      content: `Content ${n}`,
    })),
  });
  const posts = await client.post.findMany({ orderBy: { id: 'asc' } });
  await client.comment.createMany({
    data: Array.from({ length: COMMENTS }, (_, n) => n).flatMap((n) =>
      posts.map(({ id }) => ({ postId: id, authorId: writer(id + n), text: `Comment ${n} on ${id}` })),
    ),
  });
  const comments = await client.comment.findMany({ orderBy: { id: 'asc' } });

  const read = async (document: string, variables?: object) => {
    const { result, statements } = await statementsOf(() => graphql(viewer, document, variables));
    t.same(result.errors, [], document);
    return { data: result.data, statements };
  };

  t.test('a nested read is one statement, for any number of rows', async (t) => {
    const document = `query($users: Int, $posts: Int, $skipped: Int, $comments: Int, $passed: Int) {
      users(limit: $users, offset: 3) {
        id
        posts(limit: $posts, offset: $skipped) { id title comments(limit: $comments, offset: $passed) { text author { id name } } }
      }
    }`;
    const counts = new Set<number>();
    for (const variables of [
      { users: 1, posts: 1, skipped: 0, comments: 1, passed: 0 },
      { users: 20, posts: 3, skipped: 1, comments: 2, passed: 1 },
    ]) {
      const { data, statements } = await read(document, variables);
      counts.add(statements.length);
      t.equal(data.users.length, variables.users);
      for (const user of data.users) {
        const { posts: most, skipped, comments: mostComments, passed } = variables;
        const expected = posts
          .filter(({ authorId }) => String(authorId) === user.id)
          .slice(skipped, skipped + most)
          .map(({ id, title }) => ({
            id: String(id),
            title,
            comments: comments
              .filter(({ postId }) => postId === id)
              .slice(passed, passed + mostComments)
              .map(({ text, authorId }) => ({
                text,
                author: { id: String(authorId), name: writers.find((writer) => writer.id === authorId)?.name },
              })),
          }));
        t.equal(expected.length, most);
        t.strictSame(user.posts, expected);
      }
    }
    t.strictSame([...counts], [1], 'users, posts, comments, authors');
  });

  t.test('relations of rows from a handler are one statement', async (t) => {
    await client.message.createMany({
      data: [1, 2, 3].map((n) => ({ channelId: 'below', authorId: writer(n), text: `${n}` })),
    });
    const { data, statements } = await read(
      '{ messages(channelId: "below") { id author { posts(limit: 2) { title comments(limit: 1) { author { name } } } } } }',
    );
    t.equal(data.messages.length, 3);
    for (const { author } of data.messages)
      t.match(author.posts, [{ comments: [{ author: { name: /^Writer/ } }] }, {}]);
    t.equal(statements.length, 2, 'messages; their authors with posts, comments and authors');
  });

  t.test('aliases of one field have separate arguments', async (t) => {
    const selection = `{
      a: posts(limit: 1) { ...Title } b: posts(limit: 1) { ...Title } c: posts(limit: 1, offset: 4) { ...Title }
      d: posts(offset: 5) { id }
    }`;
    const title = 'fragment Title on Post { title }';
    const { data, statements } = await read(`{ users(limit: 20, offset: 3) ${selection} } ${title}`);
    const below = await read(
      `{ posts(limit: 20) { author ${selection} } messages(channelId: "below") { author ${selection} } } ${title}`,
    );
    const others = [...below.data.posts, ...below.data.messages].map(({ author }) => author);
    t.equal(others.length, 23);
    for (const { a, b, c, d } of [...data.users, ...others]) {
      t.same(a, b);
      t.match([a, c], [[{ title: /^Post 0/ }], [{ title: /^Post 4/ }]]);
      t.same(d, []);
    }
    // Prisma's `select` has one place for a relation: each further alias is one statement for all parents.
    t.equal(statements.length, 4, 'users with `a`, then `b`, `c` and `d`');
    t.equal(
      below.statements.length,
      9,
      'posts and authors with `a`; messages; authors with `a`; and three for each list',
    );
  });

  t.test('unselected columns are not read', async (t) => {
    const readsContent = async (selection: string, variables?: object) => {
      const whole = selection.includes('Whole') ? 'fragment Whole on Post { title ... on Post { text: content } }' : '';
      const { data, statements } = await read(
        `query($yes: Boolean = true, $no: Boolean = false) {
          posts(limit: 2) { id author { posts(limit: 1) { ${selection} __typename @skip(if: $no) @include(if: $yes) } } }
        } ${whole}`,
        variables,
      );
      const isRead = statements.some((sql) => sql.includes('"content"'));
      t.equal(Object.values(data.posts[0].author.posts[0]).includes('Content 0'), isRead, selection);
      return isRead;
    };
    t.ok(await readsContent('content'));
    t.ok(await readsContent('alias: title text: content'));
    t.ok(await readsContent('...Whole'));
    t.ok(await readsContent('... @include(if: $yes) { content }'));
    t.ok(await readsContent('content @skip(if: $yes)', { yes: false }));
    t.notOk(await readsContent('title'));
    t.notOk(await readsContent('content: title'), 'another field under its name');
    t.notOk(await readsContent('title content @skip(if: $yes)'));
    t.notOk(await readsContent('title ...Whole @include(if: $no)'));
  });

  t.test('the selection of a mutation sees the change', async (t) => {
    const { data } = await graphql(
      admin,
      `mutation($id: ID!) {
        a: createPost(title: "A") { author { name posts { title } } }
        updateUser(id: $id, name: "Renamed") { posts { title } }
        b: createPost(title: "B") { author { name posts { title } } }
      }`,
      { id: admin.id },
    );
    t.strictSame(data, {
      a: { author: { name: 'Admin', posts: [{ title: 'A' }] } },
      updateUser: { posts: [{ title: 'A' }] },
      b: { author: { name: 'Renamed', posts: [{ title: 'A' }, { title: 'B' }] } },
    });
  });

  t.test('a bad argument of a nested list makes the nearest nullable field null', async (t) => {
    const { data, errors } = await graphql(
      viewer,
      'query($n: Int) { me { id } users(limit: 2) { posts(limit: $n) { id } } user(id: 1) { posts(offset: -1) { id } } }',
      { n: 101 },
    );
    t.same(data, { me: { id: String(viewer.id) }, users: null, user: null });
    const found = errors.map(({ path, extensions }) => [path, extensions.code, extensions.errors?.[0]?.pointer]);
    t.match(
      found.sort((a, b) => String(a[0]).localeCompare(String(b[0]))),
      [
        [['user', 'posts'], 'VALIDATION_FAILED', '/offset'],
        [['users', 0, 'posts'], 'VALIDATION_FAILED', '/limit'],
      ],
    );
    t.type(errors.find(({ path }) => path?.length === 3)?.path?.[1], 'number', 'list positions are numbers');
    const huge = await graphql(viewer, '{ posts(offset: 2147483647) { id } users(limit: null, offset: null) { id } }');
    t.same([huge.errors, huge.data.posts, huge.data.users.length], [[], [], 20]);
  });

  t.test('cursors page through users from both ends', async (t) => {
    const connection = async (args: string): Promise<Json> =>
      (
        await read(`{
          usersConnection${args} {
            edges { cursor node { id name posts(limit: 1) { title } } }
            pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
          }
        }`)
      ).data.usersConnection;
    const ids = (page: Json): number[] => page.edges.map((edge: Json) => Number(edge.node.id));
    const all = (await client.user.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id);

    for (const [count, cursor, end] of [
      ['first', 'after', 'endCursor'],
      ['last', 'before', 'startCursor'],
    ] as const) {
      let seen: number[] = [];
      let page = await connection(`(${count}: 7)`);
      for (let more = true; more; ) {
        const { edges, pageInfo } = page;
        t.same([pageInfo.startCursor, pageInfo.endCursor], [edges.at(0).cursor, edges.at(-1).cursor]);
        seen = count === 'first' ? [...seen, ...ids(page)] : [...ids(page), ...seen];
        more = count === 'first' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage;
        t.equal(more, seen.length < all.length);
        t.equal(count === 'first' ? pageInfo.hasPreviousPage : pageInfo.hasNextPage, seen.length > 7);
        if (more) page = await connection(`(${count}: 7, ${cursor}: "${pageInfo[end]}")`);
      }
      t.strictSame(seen, all, `${count}: every user once, in ascending order`);
    }

    t.equal(ids(await connection('')).length, 20, 'the first 20 without a number');
    t.same(ids(await connection('(first: null, last: 2)')), all.slice(-2), 'null is as if left out');
    const { edges } = await connection('(first: 5)');
    const between = await connection(`(last: 2, after: "${edges[0].cursor}", before: "${edges[4].cursor}")`);
    t.same(ids(between), all.slice(2, 4));
    t.match(between.pageInfo, { hasNextPage: true, hasPreviousPage: true });
    const nothing = await connection(`(first: 2, after: "${edges[3].cursor}", before: "${edges[4].cursor}")`);
    t.same(nothing, {
      edges: [],
      pageInfo: { hasNextPage: true, hasPreviousPage: true, startCursor: null, endCursor: null },
    });

    await client.user.delete({ where: { id: all[4] as number } });
    t.same(
      ids(await connection(`(first: 2, after: "${edges[4].cursor}")`)),
      all.slice(5, 7),
      'a cursor stays right when its user is gone',
    );

    const refusal = async (args: string) =>
      (await graphql(viewer, `{ usersConnection(${args}) { edges { cursor } } }`)).errors.flatMap(({ extensions }) => [
        extensions.code,
        ...(extensions.errors?.map(({ pointer }) => pointer) ?? []),
      ]);
    t.same(await refusal('first: 1, last: 1'), ['BAD_REQUEST', '/first', '/last']);
    for (const forged of ['', 'x', 'MQ', Buffer.from('5').toString('base64url'), `${edges[0].cursor.slice(0, -2)}AA`]) {
      t.same(await refusal(`after: "${forged}"`), ['BAD_REQUEST', '/after'], forged);
      t.same(await refusal(`last: 1, before: "${forged}"`), ['BAD_REQUEST', '/before'], forged);
    }
    const { body } = await rest('GET', '/api/v1/users?after=&limit=1', { as: viewer });
    t.same(await refusal(`after: "${body.cursor.next}"`), ['BAD_REQUEST', '/after'], 'one of the list in REST');
    t.same(await refusal('first: 0'), ['VALIDATION_FAILED', '/first']);
    t.same(await refusal('last: 101'), ['VALIDATION_FAILED', '/last']);
  });
});
