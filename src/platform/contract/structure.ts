import type { Schema } from './document.js';

type AnySchema = Schema | boolean;

/** Keywords that decide structure, with what becomes of their value. What is not named here decides content. */
const STRUCTURAL: Record<string, (value: never) => unknown> = {
  $ref: (reference: string) => reference,
  type: (types: string | string[]) => types,
  required: (names: string[]) => names,
  properties: structureOfAll,
  patternProperties: structureOfAll,
  $defs: structureOfAll,
  items: structureOf,
  prefixItems: (schemas: AnySchema[]) => schemas.map(structureOf),
  allOf: (schemas: AnySchema[]) => schemas.map(structureOf),
  anyOf: (schemas: AnySchema[]) => schemas.map(structureOf),
};

/**
 * The part of a JSON Schema that decides structure: types and required members, at any depth. A value that fails it is
 * malformed (400); one that passes it and fails the whole schema has the right shape and invalid content (422).
 *
 * Left out are format, pattern, enum, const, not, every minimum and maximum, uniqueItems and `additionalProperties: false`
 * (an unknown member is content). `oneOf` becomes `anyOf`, since without their contents two alternatives may both match.
 * References stay: pass the components through here too, or a schema whose references were inlined.
 */
export function structureOf(schema: Schema): Schema;
export function structureOf(schema: AnySchema): AnySchema;
export function structureOf(schema: AnySchema): AnySchema {
  // A schema `false` forbids a value; which values a place takes is content.
  if (typeof schema === 'boolean') return true;
  const kept: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const convert = STRUCTURAL[keyword];
    if (convert !== undefined) kept[keyword] = convert(value as never);
  }
  const { additionalProperties, oneOf } = schema;
  if (typeof additionalProperties === 'object') kept.additionalProperties = structureOf(additionalProperties);
  if (oneOf === undefined) return kept;
  const alternatives = { anyOf: oneOf.map((one) => structureOf(one)) };
  return kept.anyOf === undefined ? { ...kept, ...alternatives } : { allOf: [kept, alternatives] };
}

/** `structureOf` for each member: a schema's properties, or a document's named schemas. */
function structureOfAll<Each extends AnySchema>(schemas: Record<string, Each>): Record<string, Each> {
  const entries = Object.entries(schemas).map(([name, schema]) => [name, structureOf(schema) as Each]);
  return Object.fromEntries(entries);
}
