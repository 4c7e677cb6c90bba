import type { Schema } from './document.js';
import { isObject, valueAt } from './references.js';

type AnySchema = Schema | boolean;

/** The keywords of JSON Schema 2020-12 that contain schemas: a map, a list, or one schema. */
export const SUBSCHEMA_KEYWORDS: Readonly<Record<'named' | 'listed' | 'single', readonly string[]>> = {
  named: ['properties', 'patternProperties', 'dependentSchemas', '$defs'],
  listed: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
  single: [
    ...['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
    ...['unevaluatedItems', 'unevaluatedProperties'],
  ],
};

/** The keywords whose schemas apply to the value itself. */
const IN_PLACE = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** Copies a schema, and replaces its direct subschemas except booleans. */
export function withSubschemas(
  schema: Schema,
  replace: (one: Schema, inPlace: boolean, keyword: string) => AnySchema,
): Schema {
  const copy = { ...schema };
  for (const keyword of Object.values(SUBSCHEMA_KEYWORDS).flat()) {
    const value = schema[keyword];
    if (!isObject(value)) continue;
    const replaced = (one: unknown) => (isObject(one) ? replace(one, IN_PLACE.has(keyword), keyword) : one);
    if (Array.isArray(value)) copy[keyword] = value.map(replaced);
    else if (SUBSCHEMA_KEYWORDS.single.includes(keyword)) copy[keyword] = replaced(value);
    else copy[keyword] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one)]));
  }
  return copy;
}

/** Returns the direct subschemas except booleans. References are not followed. */
export function subschemasOf(schema: Schema): { schema: Schema; inPlace: boolean }[] {
  const found: { schema: Schema; inPlace: boolean }[] = [];
  withSubschemas(schema, (one, inPlace) => {
    found.push({ schema: one, inPlace });
    return one;
  });
  return found;
}

/**
 * Closes the objects of a response: members that are not declared are not allowed, unless the schema says so.
 * @param schema inlined, with recursive schemas in `$defs`
 */
export const closedSchema = (schema: Schema): Schema => close(schema, true);

/** @param isWhole false for a part of another schema, such as `allOf` */
function close(schema: Schema, isWhole: boolean): Schema {
  // The users of a definition close it, because they may combine it with others.
  const copy = withSubschemas(schema, (one, inPlace, keyword) => close(one, !inPlace && keyword !== '$defs'));
  const isOpen = schema.additionalProperties === undefined && schema['unevaluatedProperties'] === undefined;
  if (!isWhole || !isOpen || !declaresMembers(schema)) return copy;
  const isOfParts = '$ref' in schema || subschemasOf(schema).some(({ inPlace }) => inPlace);
  return { ...copy, [isOfParts ? 'unevaluatedProperties' : 'additionalProperties']: false };
}

const declaresMembers = (schema: Schema): boolean =>
  'properties' in schema ||
  '$ref' in schema ||
  subschemasOf(schema).some(({ schema: one, inPlace }) => inPlace && declaresMembers(one));

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
 * Returns the structure of a schema: types and required members at any depth. A value that breaks it is malformed
 * (400); a value that breaks only other keywords has invalid content (422). `oneOf` becomes `anyOf`, because two
 * alternatives can have the same structure.
 */
export function structureOf(schema: Schema): Schema;
export function structureOf(schema: AnySchema): AnySchema;
export function structureOf(schema: AnySchema): AnySchema {
  // A schema `false` decides about content.
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

function structureOfAll<Each extends AnySchema>(schemas: Record<string, Each>): Record<string, Each> {
  const entries = Object.entries(schemas).map(([name, schema]) => [name, structureOf(schema) as Each]);
  return Object.fromEntries(entries);
}

const LOWER_BOUNDS = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const UPPER_BOUNDS = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

function combineKeyword(keyword: string, one: unknown, other: unknown): unknown {
  if (LOWER_BOUNDS.has(keyword)) return Math.max(Number(one), Number(other));
  if (UPPER_BOUNDS.has(keyword)) return Math.min(Number(one), Number(other));
  if (keyword === 'required') return [...new Set([...(one as string[]), ...(other as string[])])];
  if (keyword === 'type' || keyword === 'enum') {
    const [first, second] = [[one].flat(), [other].flat()];
    const includesType = (value: unknown, values: unknown[]) =>
      values.includes(value) || (keyword === 'type' && value === 'integer' && values.includes('number'));
    const both = [
      ...new Set([
        ...first.filter((value) => includesType(value, second)),
        ...second.filter((value) => includesType(value, first)),
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
 * Merges the `$ref` and `allOf` of a schema into it, as far as keywords can be combined. The result describes the
 * schema; it does not validate.
 * @param root contains `$defs`
 */
export function mergeSchema({ $ref, allOf = [], ...own }: Schema, root: Schema = own): Schema {
  const target = $ref === undefined ? undefined : valueAt(root, $ref.split('/').slice(1));
  const parts = [...(target === undefined ? [] : [target as Schema]), ...allOf];
  const merged: Schema = { ...own };
  for (const part of parts) {
    if (typeof part === 'boolean') continue;
    for (const [keyword, value] of Object.entries(mergeSchema(part, root)))
      merged[keyword] = keyword in merged ? combineKeyword(keyword, value, merged[keyword]) : value;
  }
  return merged;
}
