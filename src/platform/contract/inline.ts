import type { OpenApiDocument, Schema } from './document.js';
import { isObject, keysOf, resolveReference } from './references.js';
import { subschemasOf, withSubschemas } from './schemas.js';

/** Yields the references in a schema at any depth. @param onlyInPlace excludes those for members of the value */
function* referencesIn(schema: Schema, onlyInPlace = false): Generator<string> {
  if (schema.$ref !== undefined) yield schema.$ref;
  for (const { schema: one, inPlace } of subschemasOf(schema)) {
    if (inPlace || !onlyInPlace) yield* referencesIn(one, onlyInPlace);
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
  const named = schemas && Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, inlineSchema(one)]));
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
    const size = subschemasOf(schema).reduce((sum, { schema: one }) => sum + sizeOf(one), 1);
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
