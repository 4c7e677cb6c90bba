import type { DocumentCase } from './diff-documents.js';

/** A foreign SDL with most kinds of definitions. */
export const GALLERY = `directive @cacheControl(maxAge: Int, scope: String) on FIELD_DEFINITION | OBJECT
directive @tag(name: String!) repeatable on FIELD_DEFINITION | OBJECT | ENUM_VALUE
scalar Date @specifiedBy(url: "https://scalars.test/date")
enum Style { OIL INK }
enum Sort { NEW OLD }
interface Node { id: ID! }
interface Named { name: String }
type Artist implements Node & Named {
  id: ID!
  name: String
  born: Date
  works(first: Int = 10, sort: Sort = NEW): [Work!]!
}
type Work implements Node @cacheControl(maxAge: 60) @tag(name: "a") @tag(name: "b") {
  id: ID!
  style: Style
  price: Int @cacheControl(maxAge: 5, scope: "all")
  old: String @deprecated(reason: "Use style.")
}
type Frame { width: Int }
union Item = Artist | Work
input By { id: ID, name: String }
input Filter { style: Style = OIL, from: Date, sizes: [Int!], range: Range = { least: 1, most: 2 }, after: ID = "7", among: Among = { years: [2] } }
input Among { years: [Int] }
input Range { least: Int, most: Int }
type Query {
  artist(by: By!): Artist
  items(filter: Filter, first: Int!): [Item]
  node(id: ID!): Node
}
type Mutation { sell(work: ID!, note: String): Work }
`;

/** Edits of the SDL, by the kinds of graphql-inspector, GraphOS and the specification. */
export const sdlCases: DocumentCase[] = [
  ['an argument is deprecated', [['works(first: Int = 10,', 'works(first: Int = 10 @deprecated,']], 'safe', 'safe'],
  [
    'a member of an input is deprecated',
    [['name: String }\ninput', 'name: String @deprecated }\ninput']],
    'safe',
    'safe',
  ],
  [
    'a member more that has a default',
    [['{ least: Int, most: Int }', '{ least: Int, most: Int, step: Int! = 1 }']],
    'safe',
    'breaking',
  ],
  ['a list of one as a default', [['sizes: [Int!],', 'sizes: [Int!], more: [Int] = [1],']], 'safe', 'breaking'],
  // Regressions.
  ['one member of an input', [['input By {', 'input By @oneOf {']], 'breaking', 'safe'],
  ['what specifies a scalar', [['scalars.test/date', 'scalars.test/day']], 'risky', 'risky'],
  ['a directive that somebody else reads', [['maxAge: 60', 'maxAge: 90']], 'risky', 'risky'],
  ['a directive more', [['  born: Date', '  born: Date @tag(name: "x")']], 'risky', 'risky'],
  ['a directive of a value', [['OIL INK', 'OIL @tag(name: "x") INK']], 'risky', 'risky'],
  // Two changes of one element.
  ['an argument less, and words', [['works(first: Int = 10, sort', '"Works." works(sort']], 'breaking', 'safe'],
  [
    'another type, and words',
    [['  artist(by: By!): Artist', '  "One." artist(by: By!): Work']],
    'breaking',
    'breaking',
  ],
  [
    'a field less, and an interface',
    [['type Frame { width: Int }', 'type Frame implements Named { name: String }']],
    'breaking',
    'breaking',
  ],
  // The same.
  [
    'arguments of a directive in another order',
    [['(maxAge: 5, scope: "all")', '(scope: "all", maxAge: 5)']],
    'nothing',
    'nothing',
  ],
  [
    'directives in another order',
    [['@tag(name: "a") @tag(name: "b")', '@tag(name: "b") @tag(name: "a")']],
    'nothing',
    'nothing',
  ],
  [
    'fields in another order',
    [['  id: ID!\n  name: String\n  born', '  name: String\n  id: ID!\n  born']],
    'nothing',
    'nothing',
  ],
  ['values in another order', [['OIL INK', 'INK OIL']], 'nothing', 'nothing'],
  ['members of a union in another order', [['Artist | Work', 'Work | Artist']], 'nothing', 'nothing'],
  ['interfaces in another order', [['Node & Named', 'Named & Node']], 'nothing', 'nothing'],
  [
    'arguments in another order',
    [['first: Int = 10, sort: Sort = NEW', 'sort: Sort = NEW, first: Int = 10']],
    'nothing',
    'nothing',
  ],
  ['a default in another order', [['{ least: 1, most: 2 }', '{ most: 2, least: 1 }']], 'nothing', 'nothing'],
  ['an id as a number', [['after: ID = "7"', 'after: ID = 7']], 'nothing', 'nothing'],
  ['a list of one within a default', [['{ years: [2] }', '{ years: 2 }']], 'nothing', 'nothing'],
  [
    'types in another order',
    [
      ['type Frame { width: Int }\n', ''],
      ['scalar Date', 'type Frame { width: Int }\nscalar Date'],
    ],
    'nothing',
    'nothing',
  ],
  [
    'a field said in an extension',
    [
      ['  born: Date\n', ''],
      ['type Frame', 'extend type Artist { born: Date }\ntype Frame'],
    ],
    'nothing',
    'nothing',
  ],
  [
    'words',
    [
      ['type Frame {', '"A frame."\ntype Frame {'],
      ['  born: Date', '  "When."\n  born: Date'],
    ],
    'nothing',
    'nothing',
  ],
  [
    'the schema said in full',
    [['type Frame', 'schema { query: Query, mutation: Mutation }\ntype Frame']],
    'nothing',
    'nothing',
  ],
  [
    'a directive nobody may write in a query',
    [['type Frame', 'directive @mine on OBJECT\ntype Frame']],
    'nothing',
    'nothing',
  ],
  // Arguments and inputs.
  ['an argument more', [['sell(work: ID!,', 'sell(work: ID!, now: Boolean,']], 'safe', 'breaking'],
  [
    'an argument more, with a default that must be given',
    [['sell(work: ID!,', 'sell(work: ID!, now: Boolean! = true,']],
    'safe',
    'breaking',
  ],
  ['an argument that must be given', [['note: String)', 'note: String!)']], 'breaking', 'safe'],
  ['an argument of another type', [['work: ID!,', 'work: String!,']], 'breaking', 'breaking'],
  ['a default of a field', [['first: Int = 10', 'first: Int = 20']], 'risky', 'risky'],
  ['a member of an input', [['sizes: [Int!]', 'sizes: [Int!], depth: Int']], 'safe', 'breaking'],
  [
    'a member of an input that must be given',
    [['sizes: [Int!]', 'sizes: [Int!], depth: Int!']],
    'breaking',
    'breaking',
  ],
  ['a list that takes nothing else', [['sizes: [Int!]', 'sizes: [Int!]!']], 'breaking', 'safe'],
  ['items that may be null', [['sizes: [Int!]', 'sizes: [Int]']], 'safe', 'breaking'],
  ['a value of what is sent', [['NEW OLD', 'NEW OLD DEAR']], 'safe', 'breaking'],
  // Results.
  ['a value of what is got', [['OIL INK', 'OIL INK CHALK']], 'risky', 'breaking'],
  ['items that are always there', [['first: Int!): [Item]', 'first: Int!): [Item!]']], 'safe', 'breaking'],
  ['one for a list', [['first: Int!): [Item]', 'first: Int!): Item']], 'breaking', 'breaking'],
  ['an interface for a type', [['node(id: ID!): Node', 'node(id: ID!): Work']], 'breaking', 'breaking'],
  ['an interface less', [['implements Node & Named', 'implements Node']], 'breaking', 'risky'],
  [
    'a type more of an interface that is got',
    [['type Frame', 'type Print implements Node { id: ID! }\ntype Frame']],
    'risky',
    'breaking',
  ],
  [
    'a type more of an interface that nobody gets',
    [['type Frame', 'type Print implements Named { name: String }\ntype Frame']],
    'safe',
    'safe',
  ],
  ['a member of a union', [['Artist | Work', 'Artist | Work | Frame']], 'risky', 'breaking'],
  [
    'a field of an interface',
    [
      ['interface Node { id: ID! }', 'interface Node { id: ID!, rank: Int }'],
      ['  id: ID!\n', '  id: ID!\n  rank: Int\n'],
    ],
    'safe',
    'breaking',
  ],
  ['a type nothing uses', [['type Frame { width: Int }\n', '']], 'safe', 'safe'],
  ['a field', [['  price: Int @cacheControl(maxAge: 5, scope: "all")\n', '']], 'breaking', 'safe'],
  ['a deprecated field', [['  old: String @deprecated(reason: "Use style.")\n', '']], 'breaking', 'safe'],
  ['a reason of a deprecation', [['Use style.', 'Use style, please.']], 'safe', 'safe'],
  [
    'a scalar that becomes an enum',
    [['scalar Date @specifiedBy(url: "https://scalars.test/date")', 'enum Date { NOW }']],
    'breaking',
    'breaking',
  ],
  [
    'mutations under another name',
    [['type Mutation {', 'schema { query: Query, mutation: Changes }\ntype Changes {']],
    'breaking',
    'breaking',
  ],
  ['an operation', [['node(id: ID!): Node', 'node(id: ID!): Node\n  one: Int']], 'safe', 'breaking'],
];
