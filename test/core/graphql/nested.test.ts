import fc from 'fast-check';
import t from 'tap';
import { policy } from '../../../generated/policy.js';
import { application } from '../../../src/application/application.js';
import type { GraphQLContext } from '../../../src/platform/index.js';
import { onEachDatabase } from '../../support/databases.js';
import type { Json } from '../../support/people.js';
import { startInstance, startService } from '../../support/service.js';
import { dialAs } from '../../support/socket.js';
import { statementsOf } from '../../support/statements.js';

type Page = { limit?: number | null; offset?: number | null };
const pageOf = ({ limit, offset }: Page) => ({ orderBy: { id: 'asc' }, take: limit ?? 20, skip: offset ?? 0 }) as const;
const authorOf = ({ authorId }: { authorId: number }, _: unknown, { db }: GraphQLContext) =>
  db.user.findUniqueOrThrow({ where: { id: authorId } });

/** Each relation by a resolver that reads with plain Prisma. */
const byResolvers = {
  ...application.resolvers,
  User: {
    ...(application.resolvers as Json).User,
    posts: ({ id: authorId }: Json, page: Page, { db }: GraphQLContext) =>
      db.post.findMany({ where: { authorId }, ...pageOf(page) }),
  },
  Post: {
    author: authorOf,
    comments: ({ id: postId }: Json, page: Page, { db }: GraphQLContext) =>
      db.comment.findMany({ where: { postId }, ...pageOf(page) }),
  },
  Comment: { author: authorOf },
  Message: { author: authorOf },
};

/** What a selection of a type is drawn from: fields, and the types that stand below them. */
const FIELDS: Record<string, [field: string, below?: string][]> = {
  User: [['id'], ['name'], ['email'], ['role'], ['createdAt'], ['__typename'], ['posts', 'Post'], ['posts', 'Post']],
  Post: [['id'], ['title'], ['content'], ['createdAt'], ['author', 'User'], ['comments', 'Comment']],
  Comment: [['id'], ['text'], ['createdAt'], ['__typename'], ['author', 'User']],
};
type Root = [field: string, type: string, around?: (selected: string) => string];
const ROOTS: Root[] = [
  ['me', 'User'],
  ['user(id: $user)', 'User'],
  ['user(id: 999999)', 'User'],
  ['users(limit: 3, offset: 3)', 'User'],
  ['users(limit: $two, offset: $one)', 'User'],
  ['users(limit: $tooMany)', 'User'],
  [
    'usersConnection(last: 3)',
    'User',
    (fields) => `{ edges { cursor node ${fields} } pageInfo { hasNextPage endCursor } }`,
  ],
  ['usersConnection(last: 2)', 'User', (fields) => `{ edges { node ${fields} } b: edges { node { posts { id } } } }`],
  ['post(id: $post)', 'Post'],
  ['posts(limit: 3)', 'Post'],
  ['posts(offset: $one)', 'Post'],
  ['messages(channelId: "drawn")', 'User', (fields) => `{ id author ${fields} }`],
];
const PAGES = [
  '',
  '(limit: 2)',
  '(limit: $two)',
  '(offset: $one)',
  '(limit: null, offset: $one)',
  '(limit: 1, offset: 1)',
];
const WRONG = ['(limit: $tooMany)', '(limit: 0)', '(offset: -1)', '(offset: 2147483647)'];
const CONDITIONS = ['', '', '', '', '@include(if: $yes)', '@skip(if: $yes)', '@skip(if: $no)', '@include(if: $no)'];
const FRAGMENTS = `
  fragment OfUser on User { name posts(limit: 2) { ...OfPost } }
  fragment OfPost on Post { title again: comments(limit: $two) { text author { name @skip(if: $yes) id } } }
  fragment OfComment on Comment { text author { role } }`;
const VARIABLES = '$user: ID!, $post: ID!, $one: Int, $two: Int, $tooMany: Int, $yes: Boolean!, $no: Boolean!';

const pages = fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...PAGES) }, fc.constantFrom(...WRONG));

/** Fields have aliases by their place, so that none of a selection contradicts another. */
function selection(type: string, levels: number): fc.Arbitrary<string> {
  const drawable = (FIELDS[type] ?? []).filter(([, below]) => below === undefined || levels > 0);
  const field = fc
    .constantFrom(...drawable)
    .chain(([name, below]) =>
      fc
        .tuple(
          name === 'posts' || name === 'comments' ? pages : fc.constant(''),
          fc.constantFrom(...CONDITIONS),
          below ? selection(below, levels - 1) : fc.constant(''),
        )
        .map((rest) => [name, ...rest].join(' ')),
    );
  const spread = fc.constantFrom(`...Of${type}`, `... on ${type} @include(if: $yes) { id }`);
  const part = fc.oneof({ weight: 8, arbitrary: field }, { weight: levels > 1 ? 1 : 0, arbitrary: spread });
  return fc
    .array(part, { minLength: 1, maxLength: 4 })
    .map(
      (parts) => `{ ${parts.map((part, n) => (n === 0 || part.startsWith('.') ? part : `n${n}: ${part}`)).join(' ')} }`,
    );
}
const root = fc
  .constantFrom(...ROOTS)
  .chain(([field, type, around = (text) => text]) => selection(type, 3).map((fields) => `${field} ${around(fields)}`));
const drawn = fc.record({
  roots: fc.array(root, { minLength: 1, maxLength: 2 }),
  conditions: fc.record({ yes: fc.boolean(), no: fc.boolean() }),
});

/** Errors by their path. The time of the answers decides which of several equal rows of a list fails first. */
const inOrder = (errors: Json[]) =>
  errors
    .map(({ extensions: { requestId: _id, type: _type, ...extensions }, ...error }) => ({
      ...error,
      extensions,
      path: error.path?.map((step: unknown) => (typeof step === 'number' ? '*' : step)),
    }))
    .toSorted((a, b) => String(a.path).localeCompare(String(b.path)));

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const limits = { GRAPHQL_MAX_COMPLEXITY: '1000000', GRAPHQL_MAX_ALIASES: '1000', GRAPHQL_MAX_DEPTH: '20' };
  const service = await startService(t, database, limits);
  const { viewer, developer, admin } = service;
  const resolved = await startInstance(t, database, limits, { changed: { ...application, resolvers: byResolvers } });
  const writers = [viewer, developer, admin];
  await client.post.createMany({
    data: Array.from({ length: 14 }, (_, n) => ({
      authorId: (writers[n % 2] as typeof viewer).id,
      title: `Post ${n} "\\ 😀`,
      content: n % 3 ? `Content ${n}\u0001\n` : null,
      createdAt: new Date(Date.UTC(1960 + 10 * n, 0, 2, 3, 4, 5, 70 * n)),
    })),
  });
  const posts = await client.post.findMany({ orderBy: { id: 'asc' } });
  await client.comment.createMany({
    data: Array.from({ length: 60 }, (_, n) => ({
      postId: (posts[(n * 7) % 11] as (typeof posts)[number]).id,
      authorId: (writers[n % 3] as typeof viewer).id,
      text: `Comment ${n}`,
    })),
  });
  await client.message.createMany({
    data: writers.map(({ id }) => ({ channelId: 'drawn', authorId: id, text: 'said' })),
  });
  const ids = { user: viewer.id, post: posts[1]?.id };

  t.test('selections give the answers of resolvers in fewer statements', async (t) => {
    const sent = { together: 0, resolved: 0 };
    let failed = 0;
    for (const { roots, conditions } of fc.sample(drawn, { seed: 13, numRuns: 100 })) {
      const fields = roots.map((root, n) => `r${n}: ${root}`).join(' ');
      const query = `query(${VARIABLES}) { ${fields} ...All } ${FRAGMENTS}
        fragment All on Query { user(id: $user) { ...OfUser } post(id: $post) { ...OfPost comments { ...OfComment } } ...Used }
        fragment Used on Query { users(limit: $tooMany, offset: $one) @skip(if: true) @include(if: $no) { id } }`;
      const variables = { ...ids, one: 1, two: 2, tooMany: 101, ...conditions };
      const expected = await statementsOf(() => resolved.graphql(developer, query, variables));
      const found = await statementsOf(() => service.graphql(developer, query, variables));
      t.strictSame(found.result.data, expected.result.data, query);
      t.strictSame(inOrder(found.result.errors), inOrder(expected.result.errors), query);
      const again = await statementsOf(() => service.graphql(developer, query, variables));
      t.strictSame(
        [again.result.data, inOrder(again.result.errors)],
        [found.result.data, inOrder(found.result.errors)],
      );
      if (found.result.errors.length === 0) t.equal(again.statements.length, found.statements.length);
      sent.together += found.statements.length;
      sent.resolved += expected.statements.length;
      if (found.result.errors.length > 0) failed += 1;
    }
    t.ok(failed > 5, 'some fail');
    t.ok(failed < 50, 'most do not');
    t.ok(2 * sent.together < sent.resolved, `${sent.together} statements, and ${sent.resolved} by resolvers`);
  });

  t.test('a written resolver runs on every path to its field', async (t) => {
    const Post = { title: ({ id, authorId }: Json) => `${id} by ${authorId}` };
    const resolvers = { ...application.resolvers, Post };
    const other = await startInstance(t, database, limits, { changed: { ...application, resolvers } });
    const paths: Record<string, string> = {
      'query($post: ID!) { post(id: $post) { title } }': 'post.title',
      '{ posts(limit: 1) { title } }': 'posts.0.title',
      '{ me { posts(limit: 1) { title } } }': 'me.posts.0.title',
      '{ users(limit: 1, offset: 1) { posts(limit: 1) { title } } }': 'users.0.posts.0.title',
      '{ usersConnection(first: 2) { edges { node { posts(limit: 1) { title } } } } }':
        'usersConnection.edges.1.node.posts.0.title',
      '{ messages(channelId: "drawn") { author { posts(limit: 1) { title } } } }': 'messages.0.author.posts.0.title',
      '{ posts(limit: 1) { author { a: id posts(limit: 1) { author { posts(limit: 1) { title } } } } } }':
        'posts.0.author.posts.0.author.posts.0.title',
      'mutation { createPost(title: "new") { title } }': 'createPost.title',
      'mutation { updateUser(id: $user, name: "Viewer") { posts(limit: 1) { title } } }': 'updateUser.posts.0.title',
    };
    for (const [text, path] of Object.entries(paths)) {
      const query = text.includes('$user') ? text.replace('mutation', 'mutation($user: ID!)') : text;
      const { data, codes } = await other.graphql(text.includes('mutation') ? admin : viewer, query, ids);
      t.same(codes, [], text);
      const value = path.split('.').reduce((value: Json, step) => value?.[step], data);
      t.match(value, /^\d+ by \d+$/, text);
    }
    await client.post.deleteMany({ where: { title: 'new' } });
  });

  t.test('a predicate of an owner filters lists before LIMIT, and refuses a single row, on every path', async (t) => {
    const changed = {
      ...application,
      policy: {
        ...policy,
        'posts.read': { VIEWER: 'own', DEVELOPER: 'any', ADMIN: 'any' },
        'users.read': { VIEWER: 'own', DEVELOPER: 'any', ADMIN: 'any' },
      },
    } as const;
    const other = await startInstance(t, database, limits, { changed });
    const last = await client.comment.create({
      data: { postId: ids.post as number, authorId: viewer.id, text: 'the last of the post' },
    });
    const ask = (query: string, as = viewer) => statementsOf(() => other.graphql(as, query, ids));
    const own = (await client.post.findMany({ where: { authorId: viewer.id }, orderBy: { id: 'asc' } })).map(String);
    const lists = await ask('{ me { posts(limit: 3) { comments(limit: 3) { id } } } posts(limit: 2) { id } }');
    t.same(lists.result.codes, []);
    t.same(lists.result.data.me.posts.length, Math.min(own.length, 3));
    t.equal(lists.result.data.posts.length, 2, 'own ones, though others come first');
    const all = await client.comment.count({ where: { authorId: viewer.id, post: { authorId: viewer.id } } });
    const shown = await ask('{ me { posts(limit: 100) { comments(limit: 100) { id } } } }');
    t.equal(shown.statements.length, 1);
    t.equal(shown.result.data.me.posts.flatMap(({ comments }: Json) => comments).length, all, 'own comments alone');
    t.same(
      (await other.graphql(developer, 'query($post: ID!) { post(id: $post) { comments(limit: 100) { id } } }', ids))
        .data.post.comments.length,
      await client.comment.count({ where: { postId: ids.post as number } }),
    );
    const single = await ask('{ messages(channelId: "drawn") { id author { name } } }');
    t.ok(single.result.codes.length > 0 && single.result.codes.every((code) => code === 'FORBIDDEN'));
    t.equal(single.result.errors[0]?.path?.at(-1), 'author');
    await client.comment.delete({ where: { id: last.id } });
  });

  t.test('a subscriber does not get an included row that only its owner may read', async (t) => {
    const changed = {
      ...application,
      policy: { ...policy, 'users.read': { VIEWER: 'own', DEVELOPER: 'any', ADMIN: 'any' } },
    } as const;
    const other = await startInstance(t, database, limits, { changed });
    const query = 'subscription { messageAdded(channelId: "drawn", since: 0) { author { id } } }';
    const shown = async (person: typeof viewer) => {
      const { send, take } = await dialAs(t, other.url, person);
      send({ type: 'subscribe', id: 'authors', payload: { query } });
      const results: unknown[] = [];
      for (const _ of writers) {
        const { data, errors } = (await take(({ type }) => type === 'next')).payload;
        results.push(errors?.[0].extensions.code ?? data.messageAdded.author.id);
      }
      return results;
    };
    t.same(await shown(viewer), [`${viewer.id}`, 'FORBIDDEN', 'FORBIDDEN']);
    t.same(
      await shown(developer),
      writers.map(({ id }) => `${id}`),
    );
  });

  t.test('nested rows that the role may not read are not read', async (t) => {
    const changed = {
      ...application,
      policy: { ...policy, 'posts.read': { VIEWER: 'none', DEVELOPER: 'own', ADMIN: 'any' } },
    } as const;
    const other = await startInstance(t, database, limits, { changed });
    for (const [person, expected] of [
      [viewer, ['FORBIDDEN']],
      // Reaches its own: sees those, which are none.
      [developer, []],
      [admin, []],
      [viewer, ['FORBIDDEN']],
    ] as const) {
      const { result, statements } = await statementsOf(() => other.graphql(person, '{ me { id posts { title } } }'));
      t.same(result.codes, expected);
      t.same(result.errors[0]?.path ?? [], expected.length > 0 ? ['me', 'posts'] : []);
      t.equal(
        statements.some((sql) => sql.includes('posts')),
        expected.length === 0,
      );
    }
  });

  t.test('a caller beyond the rate causes no reads of nested rows', async (t) => {
    const other = await startInstance(t, database, { ...limits, RATE_LIMIT: '1' });
    const ask = () => statementsOf(() => other.graphql(viewer, '{ me { posts { title } } }'));
    t.same((await ask()).result.codes, []);
    const { result, statements } = await ask();
    t.same(result.codes, ['RATE_LIMITED']);
    t.notOk(statements.some((sql) => sql.includes('posts')));
  });

  t.test('a short document cannot cause a statement with a thousand relations', async (t) => {
    const three = (field: string, below: string) => `${field} ${below} b: ${field} ${below} c: ${field} ${below}`;
    const query = `{ me { few: posts(limit: 1) { author { id } } ...A } }
      fragment A on User { ${three('posts(limit: 1)', '{ ...B }')} } fragment B on Post { ${three('author', '{ ...C }')} }
      fragment C on User { ${three('posts(limit: 1)', '{ ...D }')} } fragment D on Post { ${three('author', '{ ...E }')} }
      fragment E on User { ${three('posts(limit: 1)', '{ id }')} }`;
    const expected = await resolved.graphql(viewer, query);
    const { result, statements } = await statementsOf(() => service.graphql(viewer, query));
    t.strictSame(result.data, expected.data);
    for (const sql of statements) t.ok((sql.match(/LATERAL/g) ?? []).length <= 25, sql);
  });

  t.test('names of a document do not become part of SQL', async (t) => {
    const { result, statements } = await statementsOf(() =>
      service.graphql(viewer, '{ me { __proto__: id constructor: posts(limit: 1) { secretAlias: title } } }'),
    );
    t.same(result.codes, []);
    t.match(result.data.me.constructor, [{ secretAlias: 'Post 0 "\\ 😀' }]);
    t.equal(statements.length, 1);
    t.notMatch(statements[0], /proto|constructor|secretAlias/);
  });
});
