import { readFileSync } from 'node:fs';
import { getIntrospectionQuery, parse } from 'graphql';
import t from 'tap';
import { checkLimits } from '../../src/graphql/limits.js';
import { executableSchema } from '../../src/graphql/schema.js';
import { onEachDatabase } from '../support/databases.js';
import { startService } from '../support/service.js';
import { statementsOf } from '../support/statements.js';

const many = (count: number, item: (n: number) => string) => Array.from({ length: count }, (_, n) => item(n)).join(' ');
/** A chain of `levels` fields. */
const nested = (levels: number, leaf = 'id') =>
  many(levels - 1, (n) => `${['author', 'posts(limit: 1)'][n % 2]} {`).replace('author', 'user(id: 1)') +
  ` ${leaf} ${'}'.repeat(levels - 1)}`;

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
const page = 'query($n: Int, $m: Int) { users(limit: $n) { posts(limit: 48) { id } } posts(limit: $m) { id } }';
const bomb = (body: string) =>
  `{ me { ...f0 } } ${many(60, (n) => `fragment f${n} on User { ...f${n + 1} ${body} ...f${n + 1} }`)} fragment f60 on User { id }`;

const rows: Row[] = [
  { what: '10 levels', document: `{ ${nested(10)} }` },
  { what: '11 levels', document: `{ ${nested(11)} }`, refused: DEEP },
  { what: '11 levels by an inline fragment', document: `{ ${nested(10, '... { author { id } }')} }`, refused: DEEP },
  {
    what: '11 levels by a fragment',
    document: `{ ${nested(9, '...F')} } fragment F on User { posts { author { id } } }`,
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
  { what: '2,000 tokens', document: `{ ${'__typename '.repeat(1998)} }` },
  { what: '2,001 tokens', document: `{ ${'__typename '.repeat(1999)} }`, refused: /tokens/ },
  { what: 'a field asked for 31 times', document: `{ ${'me { id } '.repeat(31)} }` },
  { what: 'a field asked for 32 times', document: `{ ${'me { id } '.repeat(32)} }`, refused: /beside themselves/ },
  {
    what: 'the same in inline fragments',
    document: `{ ${'... { me { id } } '.repeat(32)} }`,
    refused: /beside themselves/,
  },
  { what: 'a bomb of fragments', document: bomb('posts { id }'), refused: COSTLY },
  {
    what: 'a circle of fragments',
    document: '{ me { ...A } } fragment A on User { ...B } fragment B on User { id ...A }',
    refused: /contains itself/,
  },
  {
    what: 'a circle through fields',
    document: '{ me { ...A } } fragment A on User { posts { author { ...A } } }',
    refused: /contains itself/,
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

  t.test('what exceeds a limit is refused before anything of it runs, and nothing else is', async (t) => {
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

  t.test('a limit that is out of range is told as such, however large', async (t) => {
    const { codes } = await service.graphql(service.viewer, '{ users(limit: 1000000) { id name email role } }');
    t.same(codes, ['VALIDATION_FAILED']);
  });

  t.test('each operation of a document is measured by itself', async (t) => {
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

t.test('no document takes long to be measured', async (t) => {
  const schema = executableSchema(readFileSync('schema.graphql', 'utf8'));
  const limits = { depth: 10, complexity: 5000, aliases: 30, directives: 50, tokens: 2000 };
  const hostile = {
    'fragments that double': bomb('posts { id }'),
    'fragments that double below lists': `{ me { ...f0 } } ${many(99, (n) => `fragment f${n} on User { posts { author { ...f${n + 1} } author { ...f${n + 1} } } }`)} fragment f99 on User { id }`,
    'circles in circles': `{ me { ...f0 } } ${many(30, (n) => `fragment f${n} on User { ${many(12, (m) => `...f${(n + m) % 30}`)} }`)}`,
    'as deep as can be': `${'{ me '.repeat(660)} { id ${'}'.repeat(661)}`,
    'a fragment below connections of every length': `{ ${many(90, (n) => `usersConnection(first: ${n + 1}) { ...F }`)} } fragment F on UserConnection { ${'edges { cursor } '.repeat(200)} }`,
    'one field, over and over': `{ ${'me { id } '.repeat(499)} }`,
    'one name, over and over': `{ ${'__typename '.repeat(1998)} }`,
  };
  for (const [what, text] of Object.entries(hostile)) {
    const document = parse(text, { maxTokens: limits.tokens });
    // The repeated fields of some are let through here, so that the rest has its turn.
    const lenient = { ...limits, aliases: 2000 };
    const spent: number[] = [];
    for (let round = 0; round < 3; round++) {
      const start = process.cpuUsage();
      checkLimits({ schema, document }, lenient);
      const { user, system } = process.cpuUsage(start);
      spent.push((user + system) / 1000);
    }
    t.ok(Math.min(...spent) < 50, `${what}: ${Math.min(...spent)} ms`);
  }
});
