import fc from 'fast-check';
import t from 'tap';
import type { EveryField } from '../../generated/graphql.js';
import { policy } from '../../generated/policy.js';
import { application } from '../../src/application/application.js';
import { defineTables } from '../../src/platform/index.js';
import { memoryDatabase, onEachDatabase } from '../support/databases.js';
import type { Json } from '../support/people.js';
import { startInstance, startService } from '../support/service.js';
import { statementsOf } from '../support/statements.js';

/** What is no member, no type, no field or no action does not compile. */
const define = defineTables<EveryField, typeof policy>;
define({ Post: { model: 'Post', fields: { author: { one: 'User', by: 'authorId', action: 'users.read' } } } });
// @ts-expect-error
define({ Post: { model: 'Post', fields: { author: { one: 'User', by: 'writerId', action: 'users.read' } } } });
// @ts-expect-error
define({ Post: { model: 'Post', fields: { writer: { one: 'User', by: 'authorId', action: 'users.read' } } } });
// @ts-expect-error
define({ Post: { model: 'Post', fields: { author: { one: 'User', by: 'authorId', action: 'users.see' } } } });
// @ts-expect-error
define({ Post: { model: 'Post', fields: { comments: { many: 'Comment', by: 'parentId', action: 'posts.read' } } } });
// @ts-expect-error
define({ Article: { model: 'Post', fields: {} } });

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
  ['usersConnection(last: 3)', 'User', (one) => `{ edges { cursor node ${one} } pageInfo { hasNextPage endCursor } }`],
  ['usersConnection(last: 2)', 'User', (one) => `{ edges { node ${one} } b: edges { node { posts { id } } } }`],
  ['post(id: $post)', 'Post'],
  ['posts(limit: 3)', 'Post'],
  ['posts(offset: $one)', 'Post'],
  ['messages(channelId: "drawn")', 'User', (one) => `{ id author ${one} }`],
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
    .map((parts) => `{ ${parts.map((one, n) => (n === 0 || one.startsWith('.') ? one : `n${n}: ${one}`)).join(' ')} }`);
}
const root = fc
  .constantFrom(...ROOTS)
  .chain(([field, type, around = (one) => one]) => selection(type, 3).map((one) => `${field} ${around(one)}`));
const drawn = fc.record({
  roots: fc.array(root, { minLength: 1, maxLength: 2 }),
  conditions: fc.record({ yes: fc.boolean(), no: fc.boolean() }),
});

/** Two root fields fail in the order of their answers. */
const inOrder = (errors: Json[]) => errors.toSorted((a, b) => String(a.path).localeCompare(String(b.path)));

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const limits = { GRAPHQL_MAX_COMPLEXITY: '1000000', GRAPHQL_MAX_ALIASES: '1000', GRAPHQL_MAX_DEPTH: '20' };
  const service = await startService(t, database, limits);
  const { viewer, developer, admin } = service;
  const byLevels = await startInstance(t, database, limits, { changed: { ...application, tables: {} } });
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

  t.test('a selection is answered as it is without tables, in no more statements', async (t) => {
    const sent = { along: 0, byLevels: 0 };
    let failed = 0;
    for (const { roots, conditions } of fc.sample(drawn, { seed: 13, numRuns: 100 })) {
      const fields = roots.map((one, n) => `r${n}: ${one}`).join(' ');
      const query = `query(${VARIABLES}) { ${fields} ...All } ${FRAGMENTS}
        fragment All on Query { user(id: $user) { ...OfUser } post(id: $post) { ...OfPost comments { ...OfComment } } ...Used }
        fragment Used on Query { users(limit: $tooMany, offset: $one) @skip(if: true) @include(if: $no) { id } }`;
      const variables = { ...ids, one: 1, two: 2, tooMany: 101, ...conditions };
      const expected = await statementsOf(() => byLevels.graphql(developer, query, variables));
      const found = await statementsOf(() => service.graphql(developer, query, variables));
      t.strictSame(found.result.data, expected.result.data, query);
      t.strictSame(inOrder(found.result.errors), inOrder(expected.result.errors));
      if (found.statements.length > expected.statements.length) t.fail(`${found.statements.length} statements`);
      sent.along += found.statements.length;
      sent.byLevels += expected.statements.length;
      if (found.result.errors.length > 0) failed += 1;
    }
    t.ok(failed > 5, 'some fail');
    t.ok(failed < 50, 'most do not');
    t.ok(2 * sent.along < sent.byLevels, `${sent.along} statements, and ${sent.byLevels} by levels`);
  });

  t.test(
    'a field with a resolver that the tables do not mention is left to it, with all that leads there',
    async (t) => {
      const Comment = {
        ...(application.resolvers as Json).Comment,
        text: ({ text, postId }: Json) => `${text} on ${postId}`,
      };
      const changed = { ...application, resolvers: { ...application.resolvers, Comment } };
      const other = await startInstance(t, database, limits, { changed });
      const ask = (field: string) =>
        statementsOf(() =>
          other.graphql(
            viewer,
            `query($id: ID!) { post(id: $id) { author { name } comments(limit: 1) { ${field} } } }`,
            { id: ids.post },
          ),
        );
      t.equal((await ask('id')).statements.length, 1);
      const { result, statements } = await ask('text');
      t.match(result.data.post, {
        author: { name: 'Developer' },
        comments: [{ text: new RegExp(`^Comment .* on ${ids.post}$`) }],
      });
      t.equal(statements.length, 2, 'the post with its author, and the comments');
    },
  );

  t.test('nobody has rows read along that the role may not read', async (t) => {
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

  t.test('who has used up all requests has no more read than it takes to say so', async (t) => {
    const other = await startInstance(t, database, { ...limits, RATE_LIMIT: '1' });
    const ask = () => statementsOf(() => other.graphql(viewer, '{ me { posts { title } } }'));
    t.same((await ask()).result.codes, []);
    const { result, statements } = await ask();
    t.same(result.codes, ['RATE_LIMITED']);
    t.notOk(statements.some((sql) => sql.includes('posts')));
  });

  t.test('a short document that unfolds to a thousand reads is no statement of a thousand reads', async (t) => {
    const three = (field: string, below: string) => `${field} ${below} b: ${field} ${below} c: ${field} ${below}`;
    const query = `{ me { few: posts(limit: 1) { author { id } } ...A } }
      fragment A on User { ${three('posts(limit: 1)', '{ ...B }')} } fragment B on Post { ${three('author', '{ ...C }')} }
      fragment C on User { ${three('posts(limit: 1)', '{ ...D }')} } fragment D on Post { ${three('author', '{ ...E }')} }
      fragment E on User { ${three('posts(limit: 1)', '{ id }')} }`;
    const expected = await byLevels.graphql(developer, query);
    for (const _ of [1, 2, 3]) {
      const { result, statements } = await statementsOf(() => service.graphql(developer, query));
      t.strictSame(result.data, expected.data);
      t.ok(
        statements.some((sql) => sql.includes('AS row_2')),
        'what is little is read along',
      );
      t.notOk(statements.some((sql) => sql.includes('AS row_33')));
    }
  });

  t.test('names in a document are no part of a statement', async (t) => {
    const { result, statements } = await statementsOf(() =>
      service.graphql(viewer, '{ me { __proto__: id constructor: posts(limit: 1) { secretAlias: title } } }'),
    );
    t.same(result.codes, []);
    t.match(result.data.me.constructor, [{ secretAlias: 'Post 0 "\\ 😀' }]);
    t.equal(statements.length, 1);
    t.notMatch(statements[0], /proto|constructor|secretAlias/);
  });
});

t.test('tables that are not as they are said to be do not start, and all that is wrong is told', async (t) => {
  const changed = {
    ...application,
    tables: {
      Nobody: { model: 'User', fields: {} },
      User: {
        model: 'User',
        fields: {
          nickname: 'name',
          name: 'nickname',
          posts: { many: 'Post', by: 'writerId', action: 'posts.read' },
        },
      },
      Post: { model: 'Post', fields: { comments: { many: 'Comment', by: 'postId', action: 'posts.read' } } },
      Comment: { model: 'Message', fields: { author: { many: 'User', by: 'id', action: 'users.read' } } },
    },
  } as never as typeof application;
  const failed = startInstance(t, await memoryDatabase(t), {}, { changed });
  await t.rejects(failed, {
    message: `The tables of the schema are not as they are said to be:
  Nobody is no type of objects
  User.nickname is no field of the schema
  User.name reads nickname, which its model does not have
  User.posts has arguments and no \`page\`, or the reverse
  User.posts reads writerId, which its model does not have
  Post.comments leads to Comment, which is no Comment
  Post.comments has arguments and no \`page\`, or the reverse
  Post.comments reads postId, which its model does not have
  Comment.author is a list where it leads to one row, or the reverse`,
  });
});
