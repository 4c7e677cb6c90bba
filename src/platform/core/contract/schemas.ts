import { isObject, keysOf, type OpenApiDocument, resolveReference, type Schema, valueAt } from './document.js';

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
  replace: (subschema: Schema, inPlace: boolean, keyword: string) => AnySchema,
): Schema {
  const copy = { ...schema };
  for (const keyword of Object.values(SUBSCHEMA_KEYWORDS).flat()) {
    const value = schema[keyword];
    if (!isObject(value)) continue;
    const replaced = (member: unknown) => (isObject(member) ? replace(member, IN_PLACE.has(keyword), keyword) : member);
    if (Array.isArray(value)) copy[keyword] = value.map(replaced);
    else if (SUBSCHEMA_KEYWORDS.single.includes(keyword)) copy[keyword] = replaced(value);
    else copy[keyword] = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member)]));
  }
  return copy;
}

/** Returns the direct subschemas except booleans. References are not followed. */
export function subschemasOf(schema: Schema): { schema: Schema; inPlace: boolean }[] {
  const found: { schema: Schema; inPlace: boolean }[] = [];
  withSubschemas(schema, (subschema, inPlace) => {
    found.push({ schema: subschema, inPlace });
    return subschema;
  });
  return found;
}

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
  const alternatives = { anyOf: oneOf.map((subschema) => structureOf(subschema)) };
  return kept.anyOf === undefined ? { ...kept, ...alternatives } : { allOf: [kept, alternatives] };
}

function structureOfAll<Each extends AnySchema>(schemas: Record<string, Each>): Record<string, Each> {
  const entries = Object.entries(schemas).map(([name, schema]) => [name, structureOf(schema) as Each]);
  return Object.fromEntries(entries);
}

const LOWER_BOUNDS = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const UPPER_BOUNDS = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

function combineKeyword(keyword: string, value: unknown, other: unknown): unknown {
  if (LOWER_BOUNDS.has(keyword)) return Math.max(Number(value), Number(other));
  if (UPPER_BOUNDS.has(keyword)) return Math.min(Number(value), Number(other));
  if (keyword === 'required') return [...new Set([...(value as string[]), ...(other as string[])])];
  if (keyword === 'type' || keyword === 'enum') {
    const [first, second] = [[value].flat(), [other].flat()];
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
  if (keyword === 'additionalProperties') return value === false || other === false ? false : other;
  if (keyword !== 'properties') return other;
  const [first, second] = [value, other] as [Record<string, Schema>, Record<string, Schema>];
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

/** Yields the references in a schema at any depth. @param onlyInPlace excludes those for members of the value */
function* referencesIn(schema: Schema, onlyInPlace = false): Generator<string> {
  if (schema.$ref !== undefined) yield schema.$ref;
  for (const { schema: subschema, inPlace } of subschemasOf(schema)) {
    if (inPlace || !onlyInPlace) yield* referencesIn(subschema, onlyInPlace);
  }
}

/** Returns all references that a reference leads to, including itself in a cycle. */
function reachableFrom(document: unknown, reference: string, onlyInPlace = false): Set<string> {
  const reached = new Set<string>();
  const pending = [reference];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const next of referencesIn(resolveReference(document, at) as Schema, onlyInPlace)) {
      if (reached.has(next)) continue;
      reached.add(next);
      pending.push(next);
    }
  }
  return reached;
}

/** Returns a function that returns true for a reference to a recursive schema. */
function cycleDetector(document: unknown, onlyInPlace = false): (reference: string) => boolean {
  const known = new Map<string, boolean>();
  return (reference) => {
    const found = known.get(reference) ?? reachableFrom(document, reference, onlyInPlace).has(reference);
    known.set(reference, found);
    return found;
  };
}

const isAnnotation = (keyword: string): boolean =>
  ['title', 'description', 'default', 'example', 'examples', 'deprecated', 'readOnly', 'writeOnly'].includes(keyword) ||
  ['$comment', 'externalDocs', 'xml'].includes(keyword);

/**
 * Returns a document whose schemas contain no references to components, as Ajv needs them. Recursive and large schemas
 * become `$defs` of each schema that uses them. All uses share one object.
 * @throws Error for a reference without a target, and for a schema that refers to itself for the same value
 */
export function inlineSchemas(document: OpenApiDocument): OpenApiDocument {
  const inlineSchema = schemaInliner(document);
  const copies = new Map<object, unknown>();
  const copy = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    if (!copies.has(value)) copies.set(value, Array.isArray(value) ? value.map(copy) : copyOf(value));
    return copies.get(value);
  };
  const copyOf = (value: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        key === 'schema' && isObject(member) ? inlineSchema(member) : copy(member),
      ]),
    );
  const { schemas } = document.components ?? {};
  const named = schemas && Object.fromEntries(Object.entries(schemas).map(([name, def]) => [name, inlineSchema(def)]));
  const { components, ...others } = document;
  const inlined = copy({ ...others, ...(components && { components: { ...components, schemas: {} } }) });
  const result = inlined as OpenApiDocument;
  return named ? { ...result, components: { ...result.components, schemas: named } } : result;
}

const DEFINITIONS = '#/$defs/';

/**
 * The number of subschemas above which a schema becomes one of `$defs`. Inlining all would grow exponentially, and Ajv
 * compiles large functions slowly.
 */
const MAX_INLINED_SUBSCHEMAS = 64;

function schemaInliner(document: unknown): (schema: Schema) => Schema {
  const isRecursive = cycleDetector(document);
  const isCircular = cycleDetector(document, true);
  const inlined = new Map<Schema, Schema>();
  const results = new Map<Schema, Schema>();
  const sizes = new Map<Schema, number>();
  const definitions = new Map<string, { target: Schema; reference: Schema }>();

  const inline = (schema: Schema): Schema => {
    const known = inlined.get(schema);
    if (known) return known;
    const { $ref, ...siblings } = withSubschemas(schema, inline);
    const result = $ref === undefined ? siblings : resolved($ref, siblings);
    inlined.set(schema, result);
    return result;
  };

  /** Combines the target of a reference with its sibling keywords. */
  function resolved(reference: string, siblings: Schema): Schema {
    const target = resolveReference(document, reference) as Schema;
    if (isCircular(reference)) throw new Error(`Circular reference: ${reference}`);
    const staysReference = isRecursive(reference) || sizeOf(inline(target)) >= MAX_INLINED_SUBSCHEMAS;
    const all = staysReference ? definitionReference(reference, target) : inline(target);
    const keywords = Object.keys(siblings);
    if (keywords.length === 0) return all;
    if (all.$ref !== undefined || keywords.every(isAnnotation)) return { ...all, ...siblings };
    return { ...siblings, allOf: [all, ...(siblings.allOf ?? [])] };
  }

  function sizeOf(schema: Schema): number {
    const known = sizes.get(schema);
    if (known !== undefined) return known;
    const size = subschemasOf(schema).reduce((sum, { schema: subschema }) => sum + sizeOf(subschema), 1);
    sizes.set(schema, size);
    return size;
  }

  function definitionReference(reference: string, target: Schema): Schema {
    const name = keysOf(reference).slice(2).join('.');
    const known = definitions.get(name) ?? { target, reference: { $ref: DEFINITIONS + name } };
    definitions.set(name, known);
    return known.reference;
  }

  function definitionsOf(schema: Schema, found: Record<string, Schema> = {}): Record<string, Schema> {
    for (const reference of referencesIn(schema)) {
      const name = reference.slice(DEFINITIONS.length);
      const target = definitions.get(name)?.target;
      if (target === undefined || name in found) continue;
      found[name] = inline(target);
      definitionsOf(found[name], found);
    }
    return found;
  }

  return (schema) => {
    const result = inline(schema);
    const known = results.get(result);
    if (known) return known;
    const $defs = definitions.size === 0 ? {} : definitionsOf(result);
    const isReference = Object.keys(result).join() === '$ref';
    const own = isReference ? $defs[String(result.$ref).slice(DEFINITIONS.length)] : result;
    const whole = Object.keys($defs).length === 0 ? result : { ...own, $defs };
    results.set(result, whole);
    return whole;
  };
}
