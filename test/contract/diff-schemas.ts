/**
 * Schemas before and after an edit, as YAML, and the worst that the edit does to who sends them and to who gets them; the
 * second pair is of taking it back. Of the kinds that the documented rules of oasdiff, openapi-diff and Optic tell apart.
 * The components that they refer to are those of `diff-verdicts.test.ts`.
 */
export type Worst = 'breaking' | 'risky' | 'safe' | 'nothing';
export type SchemaCase = [
  name: string,
  before: string,
  after: string,
  forwards: [sent: Worst, got: Worst],
  backwards: [sent: Worst, got: Worst],
];

const NOTHING: [Worst, Worst] = ['nothing', 'nothing'];
/** What allows less: who sends it is refused, who gets it is not surprised. */
const LESS: [Worst, Worst] = ['breaking', 'safe'];
const MORE: [Worst, Worst] = ['safe', 'risky'];
/** What allows more of another kind than clients were written for. */
const WORSE: [Worst, Worst] = ['safe', 'breaking'];
const OTHER: [Worst, Worst] = ['breaking', 'breaking'];

const object = (members: string, more = '') =>
  `{ type: object, properties: { ${members} }${more === '' ? '' : `, ${more}`} }`;
const AB = 'a: { type: string }, b: { type: integer }';

/** The same said in another way: no edit of these is a change. */
const same: [string, string, string][] = [
  ['whole numbers', '{ type: number, multipleOf: 1 }', '{ type: integer }'],
  [
    'what all alternatives say, said once',
    '{ oneOf: [{ type: object, required: [t], properties: { t: { const: a } } }, { type: object, required: [t], properties: { t: { const: b } } }] }',
    '{ type: object, required: [t], oneOf: [{ properties: { t: { const: a } } }, { properties: { t: { const: b } } }] }',
  ],
  [
    'an alternative that another one holds',
    '{ anyOf: [{ type: string }, { type: string, maxLength: 5 }] }',
    '{ type: string }',
  ],
  [
    'a default whose members stand otherwise',
    '{ type: object, default: { title: 1, b: 2 } }',
    '{ type: object, default: { b: 2, title: 1 } }',
  ],
  [
    'alternatives in another order',
    '{ oneOf: [{ type: string }, { type: integer }] }',
    '{ oneOf: [{ type: integer }, { type: string }] }',
  ],
  [
    'an alternative moved to a component',
    `{ oneOf: [${object(AB)}, { type: string }] }`,
    `{ oneOf: [{ $ref: '#/components/schemas/Pair' }, { type: string }] }`,
  ],
  [
    'alternatives moved to components, in another order',
    `{ oneOf: [${object(AB)}, ${object('c: { type: string }', 'required: [c]')}] }`,
    `{ oneOf: [{ $ref: '#/components/schemas/Single' }, { $ref: '#/components/schemas/Pair' }] }`,
  ],
  [
    'an alternative gets a title',
    '{ anyOf: [{ type: string }, { type: integer }] }',
    '{ anyOf: [{ type: string, title: Text }, { type: integer, title: Number }] }',
  ],
  [
    'alternatives get titles and places',
    `{ oneOf: [${object(AB)}, ${object('c: { type: string }')}] }`,
    `{ oneOf: [{ title: One, type: object, properties: { c: { type: string } } }, { title: Two, type: object, properties: { ${AB} } }] }`,
  ],
  ['a schema moved to a component', object(AB), `{ $ref: '#/components/schemas/Pair' }`],
  ['a member moved to a component', object(`p: ${object(AB)}`), object(`p: { $ref: '#/components/schemas/Pair' }`)],
  [
    'items moved to a component',
    `{ type: array, items: ${object(AB)} }`,
    `{ type: array, items: { $ref: '#/components/schemas/Pair' } }`,
  ],
  [
    'flattened allOf',
    `{ allOf: [{ type: object, properties: { a: { type: string } } }, { properties: { b: { type: integer } } }] }`,
    object(AB),
  ],
  ['an allOf of one', `{ allOf: [{ $ref: '#/components/schemas/Pair' }] }`, `{ $ref: '#/components/schemas/Pair' }`],
  [
    'a required in allOf',
    `{ allOf: [{ $ref: '#/components/schemas/Pair' }, { required: [a] }] }`,
    object(AB, 'required: [a]'),
  ],
  [
    'members beside $ref and the same in allOf',
    `{ $ref: '#/components/schemas/Pair', required: [a] }`,
    `{ allOf: [{ $ref: '#/components/schemas/Pair' }, { required: [a] }] }`,
  ],
  [
    'bounds in allOf',
    '{ allOf: [{ type: integer, minimum: 1 }, { maximum: 9, minimum: 0 }] }',
    '{ type: integer, minimum: 1, maximum: 9 }',
  ],
  ['an exclusive bound of whole numbers', '{ type: integer, exclusiveMinimum: 0 }', '{ type: integer, minimum: 1 }'],
  [
    'an exclusive upper bound of whole numbers',
    '{ type: integer, exclusiveMaximum: 10 }',
    '{ type: integer, maximum: 9 }',
  ],
  ['a bound with a part of whole numbers', '{ type: integer, minimum: 0.5 }', '{ type: integer, minimum: 1 }'],
  [
    'an inclusive bound beside a stricter one',
    '{ type: number, minimum: 0, exclusiveMinimum: 0 }',
    '{ type: number, exclusiveMinimum: 0 }',
  ],
  ['a pattern that refuses nothing', '{ type: string }', "{ type: string, pattern: '.*' }"],
  ['an anchored pattern that refuses nothing', '{ type: string }', "{ type: string, pattern: '^.*$' }"],
  ['a pattern that asks for one character', '{ type: string, minLength: 1 }', "{ type: string, pattern: '^.+$' }"],
  [
    'defaults of the specification stated',
    object(AB),
    object(
      `a: { type: string, minLength: 0 }, b: { type: integer, deprecated: false, readOnly: false }`,
      'required: [], additionalProperties: true, minProperties: 0',
    ),
  ],
  ['defaults of an array stated', '{ type: array, items: {} }', '{ type: array, minItems: 0, uniqueItems: false }'],
  ['an open object that says so by a schema', object(AB), object(AB, 'additionalProperties: {}')],
  ['const and an enum of one', '{ type: string, const: a }', '{ type: string, enum: [a] }'],
  ['the type that the values imply', '{ enum: [a, b] }', '{ type: string, enum: [b, a] }'],
  ['both truth values listed', '{ type: boolean }', '{ type: boolean, enum: [true, false] }'],
  [
    'null as a type and as an alternative',
    "{ type: [string, 'null'] }",
    "{ anyOf: [{ type: string }, { type: 'null' }] }",
  ],
  [
    'null beside a reference',
    `{ oneOf: [{ $ref: '#/components/schemas/Pair' }, { type: 'null' }] }`,
    `{ type: [object, 'null'], properties: { ${AB} } }`,
  ],
  [
    'null in the list',
    "{ type: [string, 'null'], enum: [a, null] }",
    '{ anyOf: [{ type: string, enum: [a] }, { const: null }] }',
  ],
  [
    'types as a list and as alternatives',
    '{ type: [string, integer] }',
    '{ anyOf: [{ type: string }, { type: integer }] }',
  ],
  ['alternatives of listed values', '{ type: string, enum: [a, b] }', '{ oneOf: [{ const: a }, { const: b }] }'],
  ['what says nothing of the type', '{ type: integer }', '{ type: integer, minLength: 3, maxItems: 4 }'],
  ['a multiple of one', '{ type: integer }', '{ type: integer, multipleOf: 1 }'],
  [
    'words',
    object(AB),
    `{ title: T, description: D, type: object, examples: [{}], properties: { a: { type: string, description: A }, b: { type: integer, example: 1 } } }`,
  ],
  ['members in another order', object(AB), object('b: { type: integer }, a: { type: string }')],
  ['required in another order', object(AB, 'required: [a, b]'), object(AB, 'required: [b, a]')],
  [
    'closed by what is not evaluated',
    object(AB, 'additionalProperties: false'),
    object(AB, 'unevaluatedProperties: false'),
  ],
  [
    'nested alternatives',
    '{ oneOf: [{ type: string }, { oneOf: [{ type: integer }, { type: boolean }] }] }',
    '{ oneOf: [{ type: boolean }, { type: integer }, { type: string }] }',
  ],
];

const changed: SchemaCase[] = [
  ['a multiple with parts', '{ type: number, multipleOf: 0.1 }', '{ type: number, multipleOf: 0.3 }', LESS, MORE],
  ['a member that may not be there', object('a: { type: string }'), object('a: false'), LESS, MORE],
  [
    'a member of what holds itself',
    "{ $ref: '#/components/schemas/Tree' }",
    "{ $ref: '#/components/schemas/Numbers' }",
    OTHER,
    OTHER,
  ],
  // What was missed.
  [
    'required in a part of allOf',
    `{ allOf: [{ $ref: '#/components/schemas/Pair' }, { properties: { z: {} } }] }`,
    `{ allOf: [{ $ref: '#/components/schemas/Pair' }, { properties: { z: {} }, required: [a] }] }`,
    LESS,
    WORSE,
  ],
  [
    'a bound in a part of allOf',
    '{ allOf: [{ type: string }, { maxLength: 9 }] }',
    '{ allOf: [{ type: string }, { maxLength: 5 }] }',
    LESS,
    MORE,
  ],
  [
    'a looser bound beside a strict one in allOf',
    '{ allOf: [{ type: string, maxLength: 5 }, { maxLength: 9 }] }',
    '{ allOf: [{ type: string, maxLength: 5 }, { maxLength: 7 }] }',
    NOTHING,
    NOTHING,
  ],
  [
    'a member beside $ref',
    `{ $ref: '#/components/schemas/Text' }`,
    `{ $ref: '#/components/schemas/Text', maxLength: 5 }`,
    LESS,
    MORE,
  ],
  [
    'required beside $ref',
    `{ $ref: '#/components/schemas/Pair' }`,
    `{ $ref: '#/components/schemas/Pair', required: [b] }`,
    LESS,
    WORSE,
  ],
  ['dependentSchemas', object(AB), object(AB, 'dependentSchemas: { a: { required: [b] } }'), LESS, WORSE],
  ['dependentRequired', object(AB), object(AB, 'dependentRequired: { a: [b] }'), LESS, WORSE],
  ['unevaluatedProperties', object(AB), object(AB, 'unevaluatedProperties: false'), LESS, MORE],
  [
    'unevaluatedProperties over allOf',
    `{ allOf: [{ $ref: '#/components/schemas/Pair' }] }`,
    `{ allOf: [{ $ref: '#/components/schemas/Pair' }], unevaluatedProperties: false }`,
    LESS,
    MORE,
  ],
  [
    'unevaluatedProperties over alternatives',
    `{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Single' }] }`,
    `{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Single' }], unevaluatedProperties: false }`,
    LESS,
    MORE,
  ],
  [
    'prefixItems',
    '{ type: array, prefixItems: [{ type: string }] }',
    '{ type: array, prefixItems: [{ type: integer }] }',
    OTHER,
    OTHER,
  ],
  [
    'one more prefix item',
    '{ type: array, prefixItems: [{ type: string }] }',
    '{ type: array, prefixItems: [{ type: string }, { type: integer }] }',
    LESS,
    WORSE,
  ],
  [
    'prefix items in another order',
    '{ type: array, prefixItems: [{ type: string }, { type: integer }] }',
    '{ type: array, prefixItems: [{ type: integer }, { type: string }] }',
    OTHER,
    OTHER,
  ],
  [
    'the member that tells alternatives apart',
    `{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind } }`,
    `{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: name } }`,
    OTHER,
    OTHER,
  ],
  [
    'a discriminator',
    `{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }] }`,
    `{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind } }`,
    ['risky', 'safe'],
    OTHER,
  ],
  [
    'a value of the discriminator',
    `{ oneOf: [{ $ref: '#/components/schemas/Cat' }], discriminator: { propertyName: kind, mapping: { cat: Cat } } }`,
    `{ oneOf: [{ $ref: '#/components/schemas/Cat' }], discriminator: { propertyName: kind, mapping: { cat: Cat, tom: Cat } } }`,
    MORE,
    LESS,
  ],
  // Bounds.
  ['int32 to int64', '{ type: integer, format: int32 }', '{ type: integer, format: int64 }', WORSE, LESS],
  ['float to double', '{ type: number, format: float }', '{ type: number, format: double }', WORSE, LESS],
  ['integer to number', '{ type: integer }', '{ type: number }', WORSE, LESS],
  [
    'an exclusive bound where numbers have parts',
    '{ type: number, minimum: 0 }',
    '{ type: number, exclusiveMinimum: 0 }',
    LESS,
    MORE,
  ],
  ['a lower bound raised', '{ type: integer, minimum: 1 }', '{ type: integer, minimum: 2 }', LESS, MORE],
  ['a lower bound at all', '{ type: integer }', '{ type: integer, minimum: 2 }', LESS, MORE],
  ['items at least', '{ type: array, items: {} }', '{ type: array, items: {}, minItems: 1 }', LESS, MORE],
  ['items at most', '{ type: array, maxItems: 9 }', '{ type: array, maxItems: 5 }', LESS, MORE],
  ['members at most', '{ type: object, maxProperties: 9 }', '{ type: object, maxProperties: 5 }', LESS, MORE],
  ['unique items', '{ type: array }', '{ type: array, uniqueItems: true }', LESS, MORE],
  ['a multiple of a multiple', '{ type: integer, multipleOf: 2 }', '{ type: integer, multipleOf: 4 }', LESS, MORE],
  ['another multiple', '{ type: integer, multipleOf: 2 }', '{ type: integer, multipleOf: 3 }', OTHER, OTHER],
  ['a pattern', '{ type: string }', "{ type: string, pattern: '^a' }", LESS, MORE],
  ['another pattern', "{ type: string, pattern: '^a' }", "{ type: string, pattern: '^b' }", OTHER, OTHER],
  ['a format', '{ type: string }', '{ type: string, format: uuid }', LESS, MORE],
  ['a format that takes more', '{ type: string, format: uri }', '{ type: string, format: uri-reference }', WORSE, LESS],
  ['another format', '{ type: string, format: date }', '{ type: string, format: date-time }', OTHER, OTHER],
  // Values.
  ['one more value', '{ type: string, enum: [a, b] }', '{ type: string, enum: [a, b, c] }', MORE, LESS],
  ['a list of values at all', '{ type: string }', '{ type: string, enum: [a] }', LESS, MORE],
  [
    'a list of values that a pattern allowed',
    "{ type: string, pattern: '^[ab]$' }",
    '{ type: string, enum: [a, b, c] }',
    ['breaking', 'risky'],
    ['breaking', 'risky'],
  ],
  ['const that becomes one of several', '{ const: a }', '{ enum: [a, b] }', MORE, LESS],
  [
    'an open list of values',
    '{ type: string, x-extensible-enum: [a, b] }',
    '{ type: string, x-extensible-enum: [a, b, c] }',
    ['safe', 'safe'],
    ['breaking', 'safe'],
  ],
  ['a default', '{ type: integer, default: 1 }', '{ type: integer, default: 2 }', ['risky', 'safe'], ['risky', 'safe']],
  ['a default at all', '{ type: integer }', '{ type: integer, default: 2 }', ['safe', 'safe'], ['risky', 'safe']],
  // Types.
  ['one more type', '{ type: string }', '{ type: [string, integer] }', WORSE, LESS],
  ['another type', '{ type: string }', '{ type: integer }', OTHER, OTHER],
  ['any type', '{ type: string }', '{}', WORSE, LESS],
  [
    'null',
    `{ $ref: '#/components/schemas/Pair' }`,
    `{ oneOf: [{ $ref: '#/components/schemas/Pair' }, { type: 'null' }] }`,
    WORSE,
    LESS,
  ],
  ['null of a member', object('a: { type: string }'), object("a: { type: [string, 'null'] }"), WORSE, LESS],
  ['a scalar that becomes a list', '{ type: string }', '{ type: array, items: { type: string } }', OTHER, OTHER],
  // Members.
  ['an optional member', object('a: { type: string }'), object(AB), ['safe', 'safe'], ['risky', 'breaking']],
  [
    'an optional member of a closed object',
    object('a: { type: string }', 'additionalProperties: false'),
    object(AB, 'additionalProperties: false'),
    ['safe', 'risky'],
    ['breaking', 'breaking'],
  ],
  [
    'a required member',
    object('a: { type: string }'),
    object(AB, 'required: [b]'),
    ['breaking', 'safe'],
    ['risky', 'breaking'],
  ],
  [
    'a required member with a default',
    object('a: { type: string }'),
    object('a: { type: string }, b: { type: integer, default: 1 }', 'required: [b]'),
    ['breaking', 'safe'],
    ['risky', 'breaking'],
  ],
  ['a member becomes required', object(AB), object(AB, 'required: [b]'), LESS, WORSE],
  ['a name required that no member has', object(AB), object(AB, 'required: [z]'), LESS, WORSE],
  [
    'a member becomes read only',
    object(AB),
    object('a: { type: string }, b: { type: integer, readOnly: true }'),
    ['risky', 'nothing'],
    ['safe', 'nothing'],
  ],
  [
    'a read-only member becomes required',
    object('a: { type: string, readOnly: true }'),
    object('a: { type: string, readOnly: true }', 'required: [a]'),
    ['nothing', 'safe'],
    ['nothing', 'breaking'],
  ],
  [
    'a write-only member becomes required',
    object('a: { type: string, writeOnly: true }'),
    object('a: { type: string, writeOnly: true }', 'required: [a]'),
    ['breaking', 'nothing'],
    ['safe', 'nothing'],
  ],
  [
    'a bound on a read-only member',
    object('a: { type: string, readOnly: true }'),
    object('a: { type: string, readOnly: true, maxLength: 4 }'),
    ['nothing', 'safe'],
    ['nothing', 'risky'],
  ],
  ['other members', object(AB), object(AB, 'additionalProperties: false'), LESS, MORE],
  [
    'other members of one schema',
    '{ type: object, additionalProperties: { type: string } }',
    '{ type: object, additionalProperties: { type: integer } }',
    OTHER,
    OTHER,
  ],
  [
    'members by pattern',
    '{ type: object }',
    "{ type: object, patternProperties: { '^x': { type: string } } }",
    LESS,
    WORSE,
  ],
  ['names of members', '{ type: object }', "{ type: object, propertyNames: { pattern: '^a' } }", LESS, MORE],
  [
    'a member deep inside',
    object(`o: ${object('l: { type: array, items: { type: string } }')}`),
    object(`o: ${object('l: { type: array, items: { type: integer } }')}`),
    OTHER,
    OTHER,
  ],
  [
    'a member deprecated',
    object('a: { type: string }'),
    object('a: { type: string, deprecated: true }'),
    ['safe', 'safe'],
    ['safe', 'safe'],
  ],
  // Alternatives.
  [
    'one more alternative',
    '{ oneOf: [{ type: string }] }',
    '{ oneOf: [{ type: string }, { type: integer }] }',
    MORE,
    LESS,
  ],
  [
    'one more object',
    `{ oneOf: [{ $ref: '#/components/schemas/Cat' }] }`,
    `{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }] }`,
    MORE,
    LESS,
  ],
  [
    'an alternative inside',
    `{ anyOf: [${object('a: { type: string }', 'required: [a]')}, { type: integer }] }`,
    `{ anyOf: [${object('a: { type: integer }', 'required: [a]')}, { type: integer }] }`,
    OTHER,
    OTHER,
  ],
  [
    'one of them, not any',
    `{ anyOf: [{ $ref: '#/components/schemas/Pair' }, { $ref: '#/components/schemas/Single' }] }`,
    `{ oneOf: [{ $ref: '#/components/schemas/Pair' }, { $ref: '#/components/schemas/Single' }] }`,
    LESS,
    MORE,
  ],
  [
    'one of them that exclude each other, not any',
    '{ anyOf: [{ type: string }, { type: integer }] }',
    '{ oneOf: [{ type: string }, { type: integer }] }',
    NOTHING,
    NOTHING,
  ],
  [
    'one more part that must hold',
    `{ allOf: [{ $ref: '#/components/schemas/Pair' }] }`,
    `{ allOf: [{ $ref: '#/components/schemas/Pair' }, { $ref: '#/components/schemas/Single' }] }`,
    ['breaking', 'safe'],
    ['risky', 'breaking'],
  ],
  ['what must not hold', '{ type: string }', '{ type: string, not: { const: a } }', LESS, MORE],
  [
    'less that must not hold',
    '{ type: string, not: { enum: [a, b] } }',
    '{ type: string, not: { enum: [a] } }',
    MORE,
    LESS,
  ],
  [
    'a condition',
    object(AB),
    object(AB, 'if: { required: [a] }, then: { required: [b] }'),
    ['breaking', 'safe'],
    ['safe', 'breaking'],
  ],
  ['an item that must be there', '{ type: array }', '{ type: array, contains: { type: string } }', LESS, MORE],
  // What is not known here.
  ['a keyword nobody knows', '{ type: string }', '{ type: string, foo: 1 }', LESS, MORE],
  [
    'an extension',
    '{ type: string, x-mask: false }',
    '{ type: string, x-mask: true }',
    ['safe', 'safe'],
    ['safe', 'safe'],
  ],
  [
    'how it is written in XML',
    object('a: { type: string }'),
    object('a: { type: string, xml: { attribute: true } }'),
    ['risky', 'risky'],
    ['risky', 'risky'],
  ],
  [
    'another media type inside',
    '{ type: string, contentMediaType: application/json }',
    '{ type: string, contentMediaType: text/plain }',
    OTHER,
    OTHER,
  ],
];

export const schemaCases: SchemaCase[] = [
  ...same.map(([name, before, after]): SchemaCase => [name, before, after, NOTHING, NOTHING]),
  ...changed,
];
