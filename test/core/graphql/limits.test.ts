import { readFileSync } from 'node:fs';
import { type DocumentNode, getIntrospectionQuery, type OperationDefinitionNode, parse } from 'graphql';
import t from 'tap';
import { policy } from '../../../generated/policy.js';
import { resolvers } from '../../../src/application/graphql/resolvers.js';
import { models } from '../../../src/application/models.js';
import { notWritten } from '../../../src/platform/core/calls/errors.js';
import { checkDocument, checkOperation } from '../../../src/platform/core/graphql/limits.js';
import { executableSchema } from '../../../src/platform/core/graphql/schema.js';
import { onEachDatabase } from '../../support/databases.js';
import { many } from '../../support/many.js';
import { schemaServices } from '../../support/schema-services.js';
import { startService } from '../../support/service.js';
import { statementsOf } from '../../support/statements.js';

/** A chain of `levels` fields. */
const nested = (levels: number, leaf = 'id') =>
  many(levels - 1, (n) => `${['author', 'posts(limit: 1)'][n % 2]} {`).replace('author', 'user(id: 1)') +
  ` ${leaf} ${'}'.repeat(levels - 1)}`;

/** Nine fields of a user, all in all. */
const POST = 'posts(limit: 1) { id title content author { id name email role } }';
/** A selection of `count` fragments that ask for the same. */
const fragments = (count: number, body: string) =>
  `{ me { ${many(count, (n) => `...f${n}`)} } } ${many(count, (n) => `fragment f${n} on User { ${body} }`)}`;

/** What can be asked for of a user or post, so many levels of it, without an alias or a repeat. */
const wide = (levels: number): string =>
  levels === 0
    ? '{ id }'
    : `{ id name posts(limit: 1) { id title author ${wide(levels - 1)} comments(limit: 1) { id text author ${wide(levels - 1)} } } }`;

/** A sound document of so many tokens: `__typename` in as many selections as it takes. */
function ofTokens(count: number): string {
  const body = `{ me ${wide(2)} ${many(19, (n) => `a${n}: me ${wide(2)}`)} }`;
  let missing = count - (parse(body).tokenCount as number);
  const filled = body.replace(/\{ id/g, (start) => (missing-- > 0 ? `${start} __typename` : start));
  if (missing > 0) throw new Error(`${missing} tokens are missing.`);
  return filled;
}

interface Row {
  what: string;
  document: string;
  variables?: object;
  /** Refused for what, or not at all. */
  refused?: RegExp;
}

const DEEP = /deeper than 10 levels/;
const COSTLY = /costs more than 5000/;
const ALIASES = /more than 30 aliases/;
const PAIRS = /more than 465 pairs of repeated fields/;
const page = 'query($n: Int, $m: Int) { users(limit: $n) { posts(limit: 48) { id } } posts(limit: $m) { id } }';
const bomb = (body: string) =>
  `{ me { ...f0 } } ${many(60, (n) => `fragment f${n} on User { ...f${n + 1} ${body} ...f${n + 1} }`)} fragment f60 on User { id }`;

const rows: Row[] = [
  { what: '10 levels', document: `{ ${nested(10)} }` },
  { what: '11 levels', document: `{ ${nested(11)} }`, refused: DEEP },
  {
    what: '11 levels by an inline fragment',
    document: `{ ${nested(10, '... { posts(limit: 1) { id } }')} }`,
    refused: DEEP,
  },
  {
    what: '11 levels by a fragment',
    document: `{ ${nested(9, '...F')} } fragment F on Post { author { posts(limit: 1) { id } } }`,
    refused: DEEP,
  },
  {
    what: '11 levels of which one is skipped',
    document: `query($yes: Boolean = true) { ${nested(10, 'id ... on User @skip(if: $yes) { posts { id } }')} }`,
  },
  {
    what: 'the same, not skipped',
    document: `query($yes: Boolean = true) { ${nested(10, 'id ... on User @skip(if: $yes) { posts { id } }')} }`,
    variables: { yes: false },
    refused: DEEP,
  },
  { what: 'a cost of 5000', document: page, variables: { n: 100, m: 98 } },
  { what: 'a cost of 5001', document: page, variables: { n: 100, m: 99 }, refused: COSTLY },
  {
    what: '5001 by the defaults of variables',
    document: page.replace('$n: Int, $m: Int', '$n: Int = 100, $m: Int = 99'),
    refused: COSTLY,
  },
  {
    what: 'a negative limit, which pays for no other list',
    document: '{ free: users(limit: -5000) { id } users { posts { comments { id } } } }',
    refused: COSTLY,
  },
  { what: 'lists without a limit, 20 each', document: '{ users { posts { comments { id } } } }', refused: COSTLY },
  { what: 'with null, 20 as well', document: '{ users(limit: null) { posts { comments { id } } } }', refused: COSTLY },
  { what: 'shorter lists', document: '{ users(limit: 10) { posts { comments { id } } } }' },
  {
    what: 'a connection: its edges are as many as first says',
    document: '{ usersConnection(first: 100) { edges { node { posts(limit: 47) { id } } } pageInfo { endCursor } } }',
  },
  {
    what: 'a costly connection',
    document:
      '{ usersConnection(first: 100) { ...F } } fragment F on UserConnection { edges { node { posts(limit: 48) { id } } } }',
    refused: COSTLY,
  },
  {
    what: 'a costly connection from its end',
    document: '{ usersConnection(last: 100) { ... { edges { node { posts(limit: 48) { id } } } } } }',
    refused: COSTLY,
  },
  {
    what: 'a connection without a number',
    document: '{ usersConnection { edges { node { posts(limit: 100) { id title } } } } }',
  },
  {
    what: 'a list of the longest texts',
    document: '{ posts(limit: 100) { content } users(limit: 100) { posts(limit: 1) { title } } }',
  },
  {
    what: 'two lists of the longest texts',
    document: `{ ${many(2, (n) => `a${n}: posts(limit: 100) { content }`)} }`,
    refused: COSTLY,
  },
  { what: 'many short texts', document: '{ me { posts(limit: 50) { comments(limit: 24) { text } } } }' },
  {
    what: 'a long response name in a list',
    document: `{ users(limit: 100) { posts(limit: 2) { ${'a'.repeat(60_000)}: id } } }`,
    refused: COSTLY,
  },
  {
    what: 'the same of __typename',
    document: `{ users(limit: 100) { posts(limit: 2) { ${'a'.repeat(60_000)}: __typename } } }`,
    refused: COSTLY,
  },
  { what: '30 aliases', document: `{ ${many(30, (n) => `a${n}: me { id }`)} }` },
  { what: '31 aliases of root fields', document: `{ ${many(31, (n) => `a${n}: me { id }`)} }`, refused: ALIASES },
  { what: '31 aliases below', document: `{ me { ${many(31, (n) => `a${n}: id`)} } }`, refused: ALIASES },
  {
    what: '31 aliases, most in a fragment',
    document: `{ b: me { ...F } } fragment F on User { ${many(30, (n) => `a${n}: id`)} }`,
    refused: ALIASES,
  },
  { what: '31 aliases of __typename', document: `{ ${many(31, (n) => `a${n}: __typename`)} }`, refused: ALIASES },
  {
    what: '30 aliases of fields and as many of introspection',
    document: `{ ${many(30, (n) => `a${n}: me { id } b${n}: __typename`)} }`,
  },
  {
    what: '50 directives',
    document: `{ ${many(30, (n) => `a${n}: __typename @include(if: true) ${n < 20 ? '@skip(if: false)' : ''}`)} }`,
  },
  {
    what: '51 directives',
    document: `{ ${many(30, (n) => `a${n}: __typename @include(if: true) ${n < 21 ? '@skip(if: false)' : ''}`)} }`,
    refused: /more than 50 directives/,
  },
  {
    what: '51 directives at one field',
    document: `{ __typename ${'@a'.repeat(51)} }`,
    refused: /more than 50 directives/,
  },
  { what: '2,000 tokens', document: ofTokens(2000) },
  { what: '2,001 tokens', document: ofTokens(2001), refused: /tokens/ },
  { what: 'a field asked for 31 times', document: `{ me { ${'id '.repeat(31)} } }` },
  { what: 'a field asked for 32 times', document: `{ me { ${'id '.repeat(32)} } }`, refused: PAIRS },
  { what: 'the same in inline fragments', document: `{ me { ${'... { id } '.repeat(32)} } }`, refused: PAIRS },
  { what: 'a field asked for 31 times through fragments', document: fragments(31, 'id') },
  { what: 'a field asked for 32 times through fragments', document: fragments(32, 'id'), refused: PAIRS },
  {
    what: 'the same through fragments of fragments',
    document: `{ me { ...f0 } } ${many(31, (n) => `fragment f${n} on User { id ...f${n + 1} }`)} fragment f31 on User { id }`,
    refused: PAIRS,
  },
  {
    what: 'some here, some in a fragment',
    document: `{ me { ${'id '.repeat(20)} ...F } } fragment F on User { ${'id '.repeat(12)} }`,
    refused: PAIRS,
  },
  {
    what: 'several fields that share the pairs',
    document: `{ me { ${'id '.repeat(22)} ${'name '.repeat(22)} } }`,
  },
  {
    what: 'several fields with too many pairs together',
    document: `{ me { ${'id '.repeat(22)} ${'name '.repeat(23)} } }`,
    refused: PAIRS,
  },
  { what: 'what is merged below counts as well', document: `{ ${'me { id } '.repeat(22)} }` },
  { what: 'and can be too much', document: `{ ${'me { id } '.repeat(23)} }`, refused: PAIRS },
  { what: '10 fragments of nine fields', document: fragments(10, POST) },
  { what: '11 fragments of nine fields', document: fragments(11, POST), refused: PAIRS },
  {
    what: 'one fragment, over and over, and in many places',
    document: `{ me { ${'...F '.repeat(100)} } ${many(29, (n) => `a${n}: me { ...F }`)} } fragment F on User { ${'id '.repeat(31)} }`,
  },
  {
    what: 'as many of introspection besides',
    document: `{ me { ${'id '.repeat(31)} ${'__typename '.repeat(31)} } }`,
  },
  { what: 'too many of introspection', document: `{ me { ${'__typename '.repeat(32)} } }`, refused: PAIRS },
  {
    what: 'too many of introspection, below',
    document: `{ __schema { ${'queryType { name } '.repeat(23)} } }`,
    refused: PAIRS,
  },
  {
    what: 'fragments that are not there',
    document: `{ me { ${many(900, (n) => `...f${n}`)} } }`,
    refused: /^Unknown fragment "f0"/,
  },
  { what: 'a bomb of fragments', document: bomb('posts { id }'), refused: PAIRS },
  { what: 'a bomb of fragments that repeat nothing', document: bomb(''), refused: COSTLY },
  {
    what: 'a circle of fragments',
    document: '{ me { ...A } } fragment A on User { ...B } fragment B on User { id ...A }',
    refused: /within itself/,
  },
  {
    what: 'a circle through fields',
    document: '{ me { ...A } } fragment A on User { posts { author { ...A } } }',
    refused: /within itself/,
  },
  {
    what: 'a circle that nothing uses',
    document: '{ me { id } } fragment A on User { ...A }',
    refused: /itself|never used/,
  },
  {
    what: 'introspection as tools ask for it',
    document: getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true }),
  },
  {
    what: 'introspection that goes round',
    document: '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
    refused: /introspection depth/i,
  },
];

onEachDatabase(t, async (t, open) => {
  const service = await startService(t, await open());

  t.test('an operation beyond a limit is refused before it runs', async (t) => {
    for (const { what, document, variables, refused } of rows) {
      const ask = () => service.graphql(service.viewer, document, variables);
      const { result, statements } = await statementsOf(ask);
      const { data, errors } = result;
      if (!refused) {
        t.same(
          errors.filter(({ extensions: { code } }) => code !== 'NOT_FOUND'),
          [],
          what,
        );
        continue;
      }
      t.match(errors[0], { message: refused, extensions: { code: 'BAD_REQUEST', statusCode: 400 } }, what);
      t.same([data, statements], [undefined, []], `${what}: nothing ran`);
    }
  });

  t.test('an invalid limit is reported', async (t) => {
    const { codes } = await service.graphql(service.viewer, '{ users(limit: 1000000) { id name email role } }');
    t.same(codes, ['VALIDATION_FAILED']);
    const query = 'query($n: Int) { users(limit: $n) { id } }';
    const { errors } = await service.graphql(service.viewer, query, { n: 'a secret' });
    t.match(errors[0], { message: 'Variable "$n" has an invalid value: Int cannot represent non-integer value.' });
    t.notMatch(JSON.stringify(errors), 'a secret', 'without the value');
  });

  t.test('each operation of a document is measured separately', async (t) => {
    const query = `query Small { me { id } } query Large { users { posts { comments { id } } } }`;
    const ask = async (operationName: string) => {
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...service.viewer.headers },
        body: JSON.stringify({ query, operationName }),
      });
      return ((await response.json()) as { errors?: { message: string }[] }).errors;
    };
    t.equal(await ask('Small'), undefined);
    t.match(await ask('Large'), [{ message: COSTLY }]);
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('every limit can be set', async (t) => {
    const { graphql, viewer } = await startService(t, await open(), {
      GRAPHQL_MAX_DEPTH: '2',
      GRAPHQL_MAX_COMPLEXITY: '21',
      GRAPHQL_MAX_ALIASES: '1',
      GRAPHQL_MAX_TOKENS: '30',
    });
    const refusal = async (document: string) => (await graphql(viewer, document)).errors.map(({ message }) => message);
    t.same(await refusal('{ a: users { id } }'), []);
    t.match(await refusal('{ me { posts { id } } }'), [/deeper than 2/, /costs more than 21/]);
    t.match(await refusal('{ users { id } me { id } }'), [/costs more than 21/]);
    t.match(await refusal('{ a: me { id } b: me { id } }'), [/more than 1 aliases/]);
    t.match(await refusal(`{ ${'__typename '.repeat(29)} }`), [/tokens/]);
  });
});

/** A document that counts how often the members of its nodes are read. */
function watched(document: DocumentNode): { document: DocumentNode; reads: () => number } {
  let reads = 0;
  const known = new WeakMap<object, object>();
  const watch = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value;
    const proxy =
      known.get(value) ??
      new Proxy(value, {
        get(target, member, receiver) {
          reads++;
          return watch(Reflect.get(target, member, receiver));
        },
      });
    known.set(value, proxy);
    return proxy as T;
  };
  return { document: watch(document), reads: () => reads };
}

t.test('measuring a document is cheap', async (t) => {
  const schema = executableSchema(readFileSync('schema.graphql', 'utf8'), resolvers, {
    policy,
    services: schemaServices(models),
    ofParts: { 'Query.me': notWritten },
  });
  const limits = { depth: 10, complexity: 5000, aliases: 30, directives: 50, tokens: 2000, subscribe: 16_384 };
  const hostile = {
    'fragments that double': bomb('posts { id }'),
    'fragments that double below lists': `{ me { ...f0 } } ${many(99, (n) => `fragment f${n} on User { posts { author { ...f${n + 1} } author { ...f${n + 1} } } }`)} fragment f99 on User { id }`,
    'as deep as can be': `${'{ me '.repeat(660)} { id ${'}'.repeat(661)}`,
    'a fragment below connections of every length': `{ ${many(90, (n) => `usersConnection(first: ${n + 1}) { ...F }`)} } fragment F on UserConnection { ${'edges { cursor } '.repeat(200)} }`,
    'one field, over and over': `{ ${'me { id } '.repeat(499)} }`,
    'one name, over and over': `{ ${'__typename '.repeat(1998)} }`,
    'one name through fragments': fragments(140, 'id'),
    'a long fragment in many places': `{ ${many(190, (n) => `x${n} { ...F }`)} } fragment F on User { ${many(1000, (n) => `y${n}`)} }`,
  };
  for (const [what, text] of Object.entries(hostile)) {
    const { document, reads } = watched(parse(text, { maxTokens: limits.tokens }));
    const [operation] = document.definitions as [OperationDefinitionNode];
    // The repeated fields of some are let through here, so that the rest has its turn.
    checkDocument(document, { ...limits, aliases: 2000 });
    checkOperation({ schema, document, operation, variableValues: {} }, limits);
    t.ok(reads() < 2_000_000, `${what}: ${reads()} members of nodes are read`);
  }
});
