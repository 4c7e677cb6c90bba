/** Returns a reference to a schema for the cases. */
export const REFERENCE = '#/components/schemas/';
const A = { $ref: `${REFERENCE}A` };

interface Case {
  was: unknown;
  is: Record<string, unknown>;
  /** True if it allows more values. */
  loose?: true;
  /** True if `nullable` allows null in tools, but not by the specification. */
  onlyTools?: true;
}

/** Schemas in 3.1 and in 3.0. */
export const CASES: readonly Case[] = [
  // Types
  { was: { type: ['string', 'null'], maxLength: 1 }, is: { type: 'string', nullable: true, maxLength: 1 } },
  { was: { type: 'null', description: 'None.' }, is: { description: 'None.', enum: [null], nullable: true } },
  { was: { type: ['string'] }, is: { type: 'string' } },
  {
    was: { type: ['integer', 'number'], minimum: 1 },
    is: { anyOf: [{ type: 'integer' }, { type: 'number' }], minimum: 1 },
  },
  {
    was: { type: ['string', 'integer'], minimum: 1, maxLength: 1, description: 'Both.' },
    is: {
      description: 'Both.',
      minimum: 1,
      maxLength: 1,
      anyOf: [{ type: 'string' }, { type: 'integer' }],
    },
  },
  {
    was: { type: ['array', 'string', 'null'] },
    is: { anyOf: [{ type: 'array', items: {} }, { type: 'string' }], nullable: true },
    onlyTools: true,
  },
  {
    was: { type: ['array', 'string'], anyOf: [{ minItems: 1 }, { minLength: 1 }] },
    is: {
      anyOf: [{ minItems: 1 }, { minLength: 1 }],
      allOf: [{ anyOf: [{ type: 'array', items: {} }, { type: 'string' }] }],
    },
  },
  { was: { type: ['string', 'null'], enum: ['a', null] }, is: { type: 'string', nullable: true, enum: ['a', null] } },
  { was: { type: ['string', 'null'], enum: ['a'] }, is: { type: 'string', enum: ['a'] } },
  { was: { enum: ['a', null] }, is: { enum: ['a', null], nullable: true } },
  // Null as an alternative
  { was: { anyOf: [{ type: 'string' }, { type: 'null' }] }, is: { type: 'string', nullable: true } },
  {
    was: { oneOf: [{ type: 'string', maxLength: 1 }, { type: 'integer' }, { const: null }], title: 'Either' },
    is: {
      title: 'Either',
      oneOf: [{ type: 'string', maxLength: 1 }, { type: 'integer' }],
      nullable: true,
    },
    onlyTools: true,
  },
  { was: { anyOf: [A, { type: 'null' }] }, is: { allOf: [A], nullable: true }, onlyTools: true },
  {
    was: { description: 'Ours.', oneOf: [{ type: 'string', description: 'Its.' }, { enum: [null] }] },
    is: { description: 'Ours.', allOf: [{ type: 'string', description: 'Its.' }], nullable: true },
    onlyTools: true,
  },
  { was: { type: 'string', anyOf: [{ minLength: 1 }, { type: 'null' }] }, is: { type: 'string', minLength: 1 } },
  { was: { anyOf: [{ type: 'null' }] }, is: { enum: [null], nullable: true } },
  // Values
  { was: { const: 'a' }, is: { enum: ['a'] } },
  { was: { const: null }, is: { enum: [null], nullable: true } },
  { was: { type: 'number', exclusiveMinimum: 0 }, is: { type: 'number', minimum: 0, exclusiveMinimum: true } },
  {
    was: { type: 'number', exclusiveMaximum: 5, maximum: 5 },
    is: { type: 'number', maximum: 5, exclusiveMaximum: true },
  },
  { was: { type: 'number', exclusiveMinimum: 0, minimum: 1 }, is: { type: 'number', minimum: 1 } },
  {
    was: { type: ['integer', 'null'], exclusiveMaximum: 1 },
    is: { type: 'integer', nullable: true, maximum: 1, exclusiveMaximum: true },
  },
  { was: { type: 'string', examples: ['a', 'b'] }, is: { type: 'string', example: 'a' } },
  {
    was: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
    is: { type: 'string', format: 'byte' },
  },
  { was: { type: 'string', contentMediaType: 'application/octet-stream' }, is: { type: 'string', format: 'binary' } },
  { was: { type: 'string', contentMediaType: 'application/json', contentSchema: A }, is: { type: 'string' } },
  // References
  { was: A, is: A },
  {
    was: { ...A, description: 'The first.', maxLength: 1 },
    is: { description: 'The first.', maxLength: 1, allOf: [A] },
  },
  { was: { ...A, allOf: [{ minLength: 1 }] }, is: { allOf: [A, { minLength: 1 }] } },
  { was: { $ref: `${REFERENCE}WithDefinitions/$defs/Part` }, is: { $ref: `${REFERENCE}WithDefinitions/x-defs/Part` } },
  { was: { $ref: `${REFERENCE}Node/properties/b` }, is: { $ref: `${REFERENCE}Node/properties/b` } },
  // Lists
  { was: { type: 'array' }, is: { type: 'array', items: {} } },
  { was: { type: 'array', items: false }, is: { type: 'array', items: { not: {} } } },
  {
    was: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
    is: { type: 'array', items: {} },
    loose: true,
  },
  {
    was: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'string' } },
    is: { type: 'array', items: {} },
    loose: true,
  },
  { was: { type: 'array', prefixItems: [{ type: 'string' }] }, is: { type: 'array', items: {} }, loose: true },
  {
    was: { type: 'array', contains: { type: 'string' }, unevaluatedItems: false },
    is: { type: 'array', items: {} },
    loose: true,
  },
  // Members
  {
    was: { type: 'object', properties: { a: true, b: false } },
    is: { type: 'object', properties: { a: {}, b: { not: {} } } },
  },
  {
    was: { type: 'object', additionalProperties: false, required: [] },
    is: { type: 'object', additionalProperties: false },
  },
  {
    was: { type: 'object', patternProperties: { '^a': { type: 'integer' } }, additionalProperties: false },
    is: { type: 'object' },
    loose: true,
  },
  {
    was: { type: 'object', patternProperties: { '^a': { type: 'integer' } }, additionalProperties: { type: 'string' } },
    is: { type: 'object' },
    loose: true,
  },
  { was: { type: 'object', patternProperties: { '^a': { type: 'string' } } }, is: { type: 'object' }, loose: true },
  {
    was: {
      type: 'object',
      propertyNames: { maxLength: 1 },
      dependentRequired: { a: ['b'] },
      dependentSchemas: { a: { minProperties: 2 } },
      unevaluatedProperties: false,
      if: { required: ['a'] },
      else: false,
    },
    is: { type: 'object' },
    loose: true,
  },
  // Wider schemas in `not` and `oneOf`
  { was: { not: { type: 'null' } }, is: { not: { enum: [null], nullable: true } } },
  { was: { not: { required: ['a'], propertyNames: { const: 'a' } } }, is: {}, loose: true },
  {
    was: {
      oneOf: [
        { type: 'array', contains: { const: 1 } },
        { type: 'array', items: { type: 'string' } },
        { type: 'null' },
      ],
    },
    is: {
      anyOf: [
        { type: 'array', items: {} },
        { type: 'array', items: { type: 'string' } },
      ],
      nullable: true,
    },
    loose: true,
    onlyTools: true,
  },
  { was: { not: { $ref: `${REFERENCE}Loose` }, type: 'array' }, is: { type: 'array', items: {} }, loose: true },
  {
    was: { oneOf: [{ $ref: `${REFERENCE}Loose` }, { maxItems: 1 }], type: 'array' },
    is: { type: 'array', items: {}, anyOf: [{ $ref: `${REFERENCE}Loose` }, { maxItems: 1 }] },
    loose: true,
  },
  // Annotations; extensions stay
  {
    was: { $comment: 'x', $id: 'https://b.test', $anchor: 'b', type: 'string', 'x-word': 1 },
    is: { type: 'string', 'x-word': 1 },
  },
  {
    was: { properties: { const: { const: 1 } }, default: { const: 1 } },
    is: { properties: { const: { enum: [1] } }, default: { const: 1 } },
  },
];

/** The components of the cases. */
export const REFERRED = {
  A: { type: 'string' },
  Loose: { type: 'array', contains: { type: 'string' } },
  WithDefinitions: { $defs: { Part: { type: ['string', 'null'] } }, type: 'object' },
  Node: { properties: { b: { anyOf: [{ $ref: `${REFERENCE}Node/properties/b` }, { type: 'null' }] } } },
};

/** Values to validate. */
export const VALUES = [
  ...[null, true, 0, 1, 5, 6, 1.5, 'a', '', 'ab', [], [1], ['a'], ['a', 1], ['a', 1, 2], [null], ['a', 'b']],
  ...[
    {},
    { a: 1 },
    { a: 'x' },
    { b: 1 },
    { b: 'x' },
    { a: 1, b: 2 },
    { ab: 1, c: 2 },
    { const: 1 },
    { b: { b: null } },
  ],
];
