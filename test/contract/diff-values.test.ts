import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import t from 'tap';
import { changesBetween } from '../../src/workbench/diff/report.js';
import type { ProjectVersion } from '../../src/workbench/diff/versions.js';
import { contractsOf } from '../../src/workbench/model/contracts.js';

/**
 * Whatever the rules say of an edit, values tell: one that was taken and is refused now is a break, and one that is answered
 * and could not be before is no safe change. Schemas are drawn, and held to all of these values by Ajv.
 */
const SOME = [0, 1, 1.5, 'a', 'ab', null, true];
const MEMBERS = ['a', 'b', 'c'] as const;
const VALUES: unknown[] = [
  ...[null, true, false, -1, 0, 1, 2, 3, 4, 0.5, 1.5, 2.5, '', 'a', 'b', 'ab', 'abc', 'bcde', [], {}],
  ...SOME.flatMap((one) => [[one], ...SOME.map((other) => [one, other]), [one, one, one]]),
  ...MEMBERS.flatMap((name) => SOME.map((one) => ({ [name]: one }))),
  ...SOME.flatMap((a) =>
    SOME.flatMap((b) => [
      { a, b },
      { b: a, c: b },
      { a, b, c: a },
    ]),
  ),
  ...[[{ a: 1 }], [[1]], [['a']], { a: [] }, { a: ['a'] }, { a: {} }, { a: { a: 1 } }, { b: { a: 'a' } }, { d: 1 }],
];

interface Schema {
  [keyword: string]: unknown;
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const of = (keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Schema> =>
  fc.record(keywords).map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
const count = optional(fc.nat(3));

const text = of({
  ...{ type: fc.constant('string'), minLength: count, maxLength: count },
  pattern: optional(fc.constantFrom('^a', 'b$', '^[ab]+$', '.*', '^.{1,2}$')),
});
const number = of({
  ...{ type: fc.constantFrom('integer', 'number'), minimum: count, maximum: count, exclusiveMinimum: count },
  multipleOf: optional(fc.constantFrom(0.5, 1, 2)),
});
const scalar = fc.constantFrom(...VALUES.slice(0, 18));
const listed = fc.oneof(
  of({ const: scalar }),
  fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }).map((all) => ({ enum: all })),
);
const types = fc
  .uniqueArray(fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((type) => ({ type }));

const { schema } = fc.letrec<{ schema: Schema }>((tie) => {
  const one = tie('schema');
  const items = { type: fc.constant('array'), items: optional(one), minItems: count, maxItems: count };
  const list = of({ ...items, uniqueItems: optional(fc.boolean()), contains: optional(one) });
  // Ajv takes an empty tuple for one that contains something.
  const tuple = of({ ...items, prefixItems: fc.array(one, { minLength: 1, maxLength: 2 }) });
  // Of an object that is open, who sends it is not held to what it does not name: it says what else it has.
  const object = of({
    type: fc.constant('object'),
    properties: fc.dictionary(fc.constantFrom(...MEMBERS), one, { maxKeys: 3 }),
    additionalProperties: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: one }),
    required: fc.subarray([...MEMBERS]),
    ...{ minProperties: count, maxProperties: count },
    dependentRequired: optional(fc.constantFrom({ a: ['b'] }, { a: ['c'], b: ['c'] })),
    patternProperties: optional(fc.dictionary(fc.constantFrom('^a', '.*', '^[bc]$'), one, { maxKeys: 1 })),
    propertyNames: optional(fc.constantFrom({ enum: ['a', 'b'] }, { maxLength: 1 }, { pattern: '^a' })),
  });
  const several = (keyword: string) => fc.array(one, { minLength: 1, maxLength: 3 }).map((all) => ({ [keyword]: all }));
  const nullable = one.map((other) => ({ anyOf: [other, { type: 'null' }] }));
  const asked = fc
    .tuple(one, one, optional(one))
    .map((all) => Object.fromEntries(['if', 'then', 'else'].flatMap((key, at) => (all[at] ? [[key, all[at]]] : []))));
  const conditional = fc.array(asked, { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf }));
  const containing = fc.tuple(one, one).map((all) => ({ type: 'array', allOf: all.map((contains) => ({ contains })) }));
  const refusing = fc.tuple(one, one).map(([all, not]) => ({ ...all, not }));
  return {
    schema: fc.oneof(
      { maxDepth: 2 },
      ...[
        text,
        number,
        listed,
        types,
        list,
        tuple,
        object,
        several('anyOf'),
        several('allOf'),
        nullable,
        refusing,
        conditional,
        containing,
      ],
    ),
  };
});

/** What in a schema is a schema. @param without a keyword in which none is looked for */
function schemasIn(value: unknown, without = '', found: Schema[] = []): Schema[] {
  if (typeof value !== 'object' || value === null) return found;
  const isSchema =
    !Array.isArray(value) && ['type', 'enum', 'const', 'anyOf', 'allOf', 'oneOf'].some((key) => key in value);
  if (isSchema) found.push(value as Schema);
  for (const [keyword, one] of Object.entries(value)) if (keyword !== without) schemasIn(one, without, found);
  return found;
}

/** A schema, and the same with another one somewhere in it. */
const edit = fc.tuple(schema, schema, fc.nat()).map(([before, other, at]) => {
  const after = structuredClone(before);
  const all = schemasIn(after);
  const place = all[at % all.length] as Schema;
  for (const keyword of Object.keys(place)) delete place[keyword];
  Object.assign(place, structuredClone(other));
  return [before, after] as const;
});

const versionOf = (schema: Schema): ProjectVersion => {
  const content = { 'application/json': { schema } };
  const openapi = {
    ...{ openapi: '3.1.0', info: { title: 'It', version: '1.0.0' } },
    paths: {
      '/sent': {
        post: {
          operationId: 'send',
          requestBody: { required: true, content },
          responses: { 204: { description: 'Done.' } },
        },
      },
      '/got': { get: { operationId: 'get', responses: { 200: { description: 'It.', content } } } },
    },
  };
  return { label: 'it', contracts: contractsOf({ openapi: JSON.stringify(openapi) }), migrations: [] };
};

const ajv = new Ajv2020({ strict: false, logger: false });

t.test('no value that is refused now, or is new, is missed', async (t) => {
  await fc.assert(
    fc.asyncProperty(edit, async ([before, after]) => {
      const [was, is] = [before, after].map((one) => VALUES.map((value) => ajv.validate(one, value))) as [
        boolean[],
        boolean[],
      ];
      // What nothing meets nobody sends.
      if (!was.includes(true) || !is.includes(true)) return;
      const refused = VALUES.filter((_, at) => was[at] && !is[at]);
      const fresh = VALUES.filter((_, at) => !was[at] && is[at]);
      const changes = await changesBetween(versionOf(before), versionOf(after));
      const verdicts = (element: string) =>
        changes.filter(({ elements }) => elements.includes(element)).map(({ verdict }) => verdict);
      const sent = verdicts('send').includes('breaking');
      const got = verdicts('get').some((verdict) => verdict !== 'safe');
      if (refused.length > 0 && !sent)
        throw new Error(`${JSON.stringify(refused[0])} is refused, and that is no break`);
      if (fresh.length > 0 && !got) throw new Error(`${JSON.stringify(fresh[0])} is new, and that is safe`);
    }),
    { numRuns: 500, seed: Number(process.env['SEED'] ?? 1) },
  );
  t.pass('of 500 edits');
});

/** Ways to say the same: undefined where there is nothing of which they could. */
const REWRITES: Record<string, (schema: Schema) => Schema | undefined> = {
  'one of one': (schema) => ({ oneOf: [schema] }),
  'all of one': (schema) => ({ allOf: [schema] }),
  'any of one': (schema) => ({ anyOf: [schema] }),
  'with what holds anyway': (schema) => ({
    minLength: 0,
    minItems: 0,
    uniqueItems: false,
    deprecated: false,
    ...schema,
  }),
  'what is not what it is not': (schema) => ({ not: { not: schema } }),
  'said twice': (schema) => ({ allOf: [schema, structuredClone(schema)] }),
  'a list of one type': ({ type, ...rest }) => (typeof type === 'string' ? { type: [type], ...rest } : undefined),
  'a list of one value': ({ const: value, ...rest }) => (value === undefined ? undefined : { ...rest, enum: [value] }),
  'turned round': ({ anyOf, enum: values, required, ...rest }) => ({
    ...rest,
    ...(Array.isArray(anyOf) && { anyOf: anyOf.toReversed() }),
    ...(Array.isArray(values) && { enum: values.toReversed() }),
    ...(Array.isArray(required) && { required: required.toReversed() }),
  }),
  'in parts': ({ type, ...rest }) => (type === undefined ? undefined : { type, allOf: [rest] }),
};

t.test('the same in other words is no change', async (t) => {
  const way = fc.constantFrom(...Object.keys(REWRITES));
  await fc.assert(
    fc.asyncProperty(schema, way, fc.nat(), async (before, way, at) => {
      const after = structuredClone(before);
      // What is refused is compared as it is written.
      const all = schemasIn(after, 'not');
      const place = all[at % all.length] as Schema;
      const rewritten = REWRITES[way]?.({ ...place });
      // What closes an object knows the members beside it alone.
      const isSplit = way === 'in parts' && 'additionalProperties' in place && 'properties' in place === false;
      if (rewritten === undefined || isSplit) return;
      for (const keyword of Object.keys(place)) delete place[keyword];
      Object.assign(place, rewritten);
      const changes = await changesBetween(versionOf(before), versionOf(after));
      const told = changes.map(({ verdict, message }) => `${verdict} ${message}`);
      if (told.length > 0) throw new Error(`${way}: ${told.join('; ')}`);
    }),
    { numRuns: 500, seed: Number(process.env['SEED'] ?? 1) },
  );
  t.pass('500 of them');
});
