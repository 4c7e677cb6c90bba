import fc from 'fast-check';
import { buildSchema, GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import t from 'tap';
import { connection, list, model, record, User } from '../../../src/platform/index.js';
import { onEachDatabase } from '../../support/databases.js';
import { DIRECTIVES, route, serve } from '../../support/own-application.js';
import type { Json, Person } from '../../support/people.js';

const Post = model('Post', { read: 'users.read' });
const Comment = model('Comment', { read: 'users.read' });

const PERMISSION = '@permission(action: "users.read", viewer: ANY, developer: ANY, admin: ANY)';
const PAGE = 'limit: Int = 20 @constraint(min: 1, max: 100), offset: Int = 0 @constraint(min: 0)';

/** Types that the rows of the database fit, and types that they do not fit. No two fields race to null an object. */
const SDL = `
  directive @constraint(min: Int, max: Int) on ARGUMENT_DEFINITION
  scalar Moment
  enum Rank { ADMIN VIEWER }
  interface Entry { id: ID! }
  type User implements Entry { id: ID!  name: String!  email: ID  role: Rank  version: Float!  createdAt: Moment
    posts(${PAGE}): [Post]!  comments(${PAGE}): [Comment]  shout: String }
  type Post implements Entry { id: ID!  authorId: String  title: Int  content: String!  createdAt: String!
    author: User!  comments(${PAGE}): [Comment!]! }
  type Comment implements Entry { id: ID!  postId: Boolean  text: String  createdAt: ID  author: User  post: Post! }
  type PageInfo { hasNextPage: Boolean!  hasPreviousPage: Boolean!  startCursor: String  endCursor: String }
  type UserEdge { cursor: String!  node: User! }
  type UserConnection { edges: [UserEdge!]!  pageInfo: PageInfo! }
  type Query {
    user(id: ID!): User ${PERMISSION}
    users(${PAGE}): [User!] ${PERMISSION}
    some(${PAGE}): [User] ${PERMISSION}
    surely(id: ID!): Post! ${PERMISSION}
    post(id: ID!): Post ${PERMISSION}
    posts(${PAGE}): [Post!] ${PERMISSION}
    usersConnection(first: Int, after: String, last: Int, before: String): UserConnection ${PERMISSION}
    handled: [User!] ${PERMISSION}
  }`;

const allUsers = route({ target: list(User) });
const resolvers = {
  Query: {
    user: route({ target: record(User, 'id') }),
    users: allUsers,
    some: allUsers,
    surely: route({ target: record(Post, 'id') }),
    post: route({ target: record(Post, 'id') }),
    posts: route({ target: list(Post) }),
    usersConnection: route({ target: connection(User) }),
    handled: route({ target: list(User), handler: (_, { db }) => db.user.findMany({ take: 2 }) }),
  },
  User: { shout: ({ name }: Json) => `${name}!` },
};

/** The arguments that are drawn for a field, by its name. */
const PAGES = ['', '(limit: 2)', '(limit: $two)', '(offset: $one)', '(limit: null, offset: 1)'];
const ROOT_PAGES = [...PAGES, '(limit: $tooMany)'];
const IDS = ['(id: 1)', '(id: $id)', '(id: 999)', '(id: "x")'];
const ARGUMENTS: Record<string, string[]> = {
  ...{ user: IDS, post: IDS, surely: IDS, users: ROOT_PAGES, some: ROOT_PAGES, posts: PAGES, comments: PAGES },
  usersConnection: ['(first: 2)', '(last: $two)', ''],
};
const CONDITIONS = ['$yes', '$no', '$byDefault', 'true', 'false'].flatMap((value) => [
  `@include(if: ${value})`,
  `@skip(if: ${value})`,
]);
/** By name, because a document must use those that it declares. */
const VARIABLES = {
  $id: 'ID!',
  $one: 'Int',
  $two: 'Int',
  $tooMany: 'Int',
  $yes: 'Boolean!',
  $no: 'Boolean!',
  $byDefault: 'Boolean = true',
};

const mostly = <T>(weight: number, usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other });
const conditions = mostly(6, fc.constant(''), fc.constantFrom(...CONDITIONS));
const TYPES = ['User', 'Post', 'Comment'];
const contract = buildSchema(DIRECTIVES + SDL);

/** Draws a selection. A response name is always the same field with the same arguments, so that documents are valid. */
function selectionOf(
  { name: of }: { name: string },
  depth: number,
  isDrawn: (field: string) => boolean,
  hasFragments = true,
): fc.Arbitrary<string> {
  const nested = (type: { name: string }) => selectionOf(type, depth - 1, isDrawn, hasFragments);
  const fields = Object.values((contract.getType(of) as GraphQLObjectType).getFields());
  const drawable = fields.filter(({ name, type }) => isDrawn(name) && (depth > 0 || !isObjectType(getNamedType(type))));
  if (drawable.length === 0) return fc.constant('{ __typename }');
  const field = fc.constantFrom(...drawable).chain(({ name, type, args }) => {
    const target = getNamedType(type);
    const given = (args.length > 0 && ARGUMENTS[name]) || [''];
    const selected = isObjectType(target) ? nested(target) : fc.constant('');
    const aliases = mostly(
      isObjectType(target) ? 9 : 2,
      fc.constant(''),
      fc.constantFrom(`${name}_: `, ...(name === 'id' ? ['__proto__: ', 'toJSON: '] : [])),
    );
    return fc
      .tuple(mostly(3, fc.constant(0), fc.nat(given.length - 1)), aliases, conditions, selected)
      .map(([n, alias, when, below]) => `${n > 0 ? `${name}${n}: ` : alias}${name}${given[n]} ${when} ${below}`);
  });
  const fragments = hasFragments && TYPES.includes(of) ? [`...${of}s`, '... on Entry { id __typename }'] : [];
  const inline = fc.tuple(conditions, depth > 0 ? nested({ name: of }) : fc.constant('{ __typename }'));
  const part = fc.oneof(
    { weight: 8, arbitrary: field },
    { weight: 1, arbitrary: inline.map(([when, below]) => `... ${when} ${below}`) },
    { weight: 1, arbitrary: fc.constantFrom('__typename', 'kind: __typename', ...fragments) },
  );
  return fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `{ ${parts.join(' ')} }`);
}

const isRead = (name: string) => !['handled', 'shout', 'surely'].includes(name);
const fragments = TYPES.map((name) =>
  selectionOf({ name }, 0, isRead, false).map((set) => `fragment ${name}s on ${name} ${set}`),
);
// Errors of several root fields have no order. A root field that cannot be null comes alone.
const roots = fc.oneof(
  { weight: 14, arbitrary: selectionOf({ name: 'Query' }, 3, isRead) },
  { weight: 1, arbitrary: selectionOf({ name: 'Query' }, 3, (name) => name !== 'surely') },
  { weight: 1, arbitrary: selectionOf({ name: 'Post' }, 2, isRead).map((set) => `{ surely(id: 1) ${set} }`) },
);
const documents = fc.tuple(roots, ...fragments).map(([root, ...parts]) => {
  const used = parts.filter((part) => root.includes(`...${part.split(' ')[1]}`)).join(' ');
  const declared = Object.entries(VARIABLES).filter(([name]) => `${root}${used}`.includes(name));
  const variables = declared.map(([name, type]) => `${name}: ${type}`).join(', ');
  return `query${variables && `(${variables})`} ${root} ${used}`;
});
const drawn = fc.record({ document: documents, flags: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }) });

/**
 * The text of the data, and the errors in the order of their texts, because several root fields fail in any order. Of
 * too many errors the first are sent.
 */
function comparable(bytes: Buffer) {
  const { data, errors = [], ...rest } = JSON.parse(String(bytes));
  const texts = errors.map((error: Json) => JSON.stringify(error).replace(/"requestId":"[^"]*"/, ''));
  const shown = rest.extensions?.omitted === undefined ? texts.sort() : texts.length;
  return JSON.stringify({ data: JSON.stringify(data), shown, rest });
}

/** Counts the look-ups of types that graphql-js makes for each object. */
async function lookUps<T>(work: () => Promise<T>): Promise<{ result: T; count: number }> {
  const { getFields } = GraphQLObjectType.prototype;
  let count = 0;
  GraphQLObjectType.prototype.getFields = function () {
    count += 1;
    return getFields.call(this);
  };
  try {
    return { result: await work(), count };
  } finally {
    GraphQLObjectType.prototype.getFields = getFields;
  }
}

let comments = 0;
/** Returns another text of a document, which graphql-js executes because it is new. */
const anew = (document: string) => `${document} # ${++comments}`;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const limits = { GRAPHQL_MAX_COMPLEXITY: '1000000', GRAPHQL_MAX_ALIASES: '1000', GRAPHQL_MAX_DIRECTIVES: '1000' };
  const own = { sdl: SDL, resolvers, models: [User, Post, Comment] };
  const { person, post } = await serve(t, database, own, { environment: limits });
  const people: Person[] = [];
  for (const [name, role] of [
    ['Ann', 'ADMIN'],
    ['7', 'VIEWER'],
    ['"\\\u2028😀', 'DEVELOPER'],
  ] as const)
    people.push(await person(name, role));
  const [ann, bob] = people as [Person, Person, Person];
  await client.post.createMany({
    data: Array.from({ length: 9 }, (_, n) => ({
      authorId: people[n % 2]?.id as number,
      title: n % 4 ? `${n}` : `Post ${n}`,
      content: n % 5 ? `Content ${n}\n` : null,
    })),
  });
  const [first] = await client.post.findMany({ orderBy: { id: 'asc' } });
  await client.comment.createMany({
    data: Array.from({ length: 12 }, (_, n) => ({
      postId: (first?.id as number) + (n % 5),
      authorId: people[n % 3]?.id as number,
      text: `Comment ${n}`,
    })),
  });

  t.test('drawn documents have the same answer when they are new and when they are kept', async (t) => {
    let failed = 0;
    let asking = ann;
    for (const [n, { document, flags }] of fc.sample(drawn, { seed: 45, numRuns: 60 }).entries()) {
      // The cache of documents has a share for each caller.
      if (n % 15 === 14) asking = await person(`Asking ${n}`, 'DEVELOPER');
      for (const [n, id] of [ann.id, bob.id, 1].entries()) {
        const [yes, no, byDefault] = flags.slice(3 * n) as [boolean, boolean, boolean];
        const variables = { id, one: n, two: n + 1, tooMany: 101, yes, no, ...(n < 2 && { byDefault }) };
        const ask = async (query: string) => comparable((await post(asking, '/graphql', { query, variables })).bytes);
        const expected = await ask(anew(document));
        await ask(document);
        const found = await ask(document);
        if (!expected.startsWith('{"data":"') || found !== expected) t.equal(found, expected, document);
        if (!found.includes('"shown":[]')) failed += 1;
      }
    }
    t.ok(failed > 50 && failed < 130, `${failed} of 180 answers have errors`);
  });

  t.test('a kept document is not walked: the number of rows adds no look-up of a field', async (t) => {
    const query = `query($n: Int) { users(limit: $n) { id name posts { title_: id comments { text author { id } } } } }`;
    /** Asks twice, because another number of rows has another cost. */
    const countOf = async (n: number, text = query) => {
      const ask = () => post(ann, '/graphql', { query: text, variables: { n } });
      await ask();
      return (await lookUps(ask)).count;
    };
    await countOf(1);
    t.equal(await countOf(2), await countOf(1));
    const walked = query.replace('id name', 'id shout');
    t.ok(
      (await countOf(2, walked)) > (await countOf(1, walked)),
      'a resolver of the application is called for each row',
    );
  });
});
