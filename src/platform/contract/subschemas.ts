import type { Schema } from './document.js';
import { isObject } from './references.js';

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
