import type { Schema } from './document.js';
import { isObject, valueAt } from './references.js';

type AnySchema = Schema | boolean;

/** The keywords of JSON Schema 2020-12 that hold schemas: by name, as a list, or one. What any other holds is data. */
export const SCHEMAS_IN: Readonly<Record<'named' | 'listed' | 'single', readonly string[]>> = {
  named: ['properties', 'patternProperties', 'dependentSchemas', '$defs'],
  listed: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  single: [
    ...['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
    ...['unevaluatedItems', 'unevaluatedProperties'],
  ],
};

/** Those among them whose schemas are held against the value itself, and not against what is inside it. */
const IN_PLACE = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** A copy of a schema in which each object that stands right within it as a schema is replaced. @param replace told the keyword, too */
export function withSubschemas(
  schema: Schema,
  replace: (one: Schema, inPlace: boolean, keyword: string) => AnySchema,
): Schema {
  const copy = { ...schema };
  for (const keyword of Object.values(SCHEMAS_IN).flat()) {
    const held = schema[keyword];
    if (!isObject(held)) continue;
    const replaced = (one: unknown) => (isObject(one) ? replace(one, IN_PLACE.has(keyword), keyword) : one);
    if (Array.isArray(held)) copy[keyword] = held.map(replaced);
    else if (SCHEMAS_IN.single.includes(keyword)) copy[keyword] = replaced(held);
    else copy[keyword] = Object.fromEntries(Object.entries(held).map(([name, one]) => [name, replaced(one)]));
  }
  return copy;
}

/** The objects that stand right within a schema as schemas; references are not followed. */
export function subschemasOf(schema: Schema): { schema: Schema; inPlace: boolean }[] {
  const found: { schema: Schema; inPlace: boolean }[] = [];
  withSubschemas(schema, (one, inPlace) => {
    found.push({ schema: one, inPlace });
    return one;
  });
  return found;
}

/**
 * The schema of an answer, which holds nothing that the contract does not name, though clients must expect that it may one day:
 * where an object's members are told and nothing is said of others, there are no others.
 * @param schema with its references followed, but those of what holds itself: they lead to its `$defs`
 */
export const closed = (schema: Schema): Schema => close(schema, true);

/** @param isWhole whether it says all of a value, and is not one part of what is said of it */
function close(schema: Schema, isWhole: boolean): Schema {
  // What is named by a reference is closed by who refers to it, for it may be a part there.
  const copy = withSubschemas(schema, (one, inPlace, keyword) => close(one, !inPlace && keyword !== '$defs'));
  const isOpen = schema.additionalProperties === undefined && schema['unevaluatedProperties'] === undefined;
  if (!isWhole || !isOpen || !tellsMembers(schema)) return copy;
  const isOfParts = '$ref' in schema || subschemasOf(schema).some(({ inPlace }) => inPlace);
  return { ...copy, [isOfParts ? 'unevaluatedProperties' : 'additionalProperties']: false };
}

/** Whether a schema, or a part of it, names members of its value. */
const tellsMembers = (schema: Schema): boolean =>
  'properties' in schema ||
  '$ref' in schema ||
  subschemasOf(schema).some(({ schema: one, inPlace }) => inPlace && tellsMembers(one));

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

const LARGEST = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const SMALLEST = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

/** The value that two parts of a schema give one keyword together. */
function together(keyword: string, one: unknown, other: unknown): unknown {
  if (LARGEST.has(keyword)) return Math.max(Number(one), Number(other));
  if (SMALLEST.has(keyword)) return Math.min(Number(one), Number(other));
  if (keyword === 'required') return [...new Set([...(one as string[]), ...(other as string[])])];
  if (keyword === 'type' || keyword === 'enum') {
    const [first, second] = [[one].flat(), [other].flat()];
    // An integer is a number.
    const isAmong = (value: unknown, values: unknown[]) =>
      values.includes(value) || (keyword === 'type' && value === 'integer' && values.includes('number'));
    const both = [
      ...new Set([
        ...first.filter((value) => isAmong(value, second)),
        ...second.filter((value) => isAmong(value, first)),
      ]),
    ];
    return keyword === 'type' && both.length === 1 ? both[0] : both;
  }
  if (keyword === 'additionalProperties') return one === false || other === false ? false : other;
  if (keyword !== 'properties') return other;
  const [first, second] = [one, other] as [Record<string, Schema>, Record<string, Schema>];
  const shared = Object.keys(first).filter((name) => name in second);
  return {
    ...first,
    ...second,
    ...Object.fromEntries(shared.map((name) => [name, { allOf: [first[name], second[name]] }])),
  };
}

/**
 * A schema as one, for who reads what it asks for and does not decide by it: its reference into its own `$defs` and its `allOf` are
 * laid beside the rest, as far as keywords can be put together.
 * @param root where `$defs` are, for a schema from within another one
 */
export function laidOpen({ $ref, allOf = [], ...own }: Schema, root: Schema = own): Schema {
  const target = $ref === undefined ? undefined : valueAt(root, $ref.split('/').slice(1));
  const parts = [...(target === undefined ? [] : [target as Schema]), ...allOf];
  const met: Schema = { ...own };
  for (const part of parts) {
    if (typeof part === 'boolean') continue;
    for (const [keyword, value] of Object.entries(laidOpen(part, root)))
      met[keyword] = keyword in met ? together(keyword, value, met[keyword]) : value;
  }
  return met;
}
