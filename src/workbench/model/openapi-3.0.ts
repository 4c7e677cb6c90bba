/** Converts the published edition from OpenAPI 3.1 to 3.0, for tools that read 3.0 only. @module */

import { isPlain, keysOf, type OpenApiDocument, type Schema, valueAt } from '@accord-api/platform/contract/document';
import { SUBSCHEMA_KEYWORDS, subschemasOf } from '@accord-api/platform/contract/schemas';
import { elementsOf } from './elements.js';

type Node = Record<string, unknown>;

const KEYWORDS = new Set([
  ...['title', 'description', 'default', 'example', 'externalDocs', 'deprecated', 'readOnly', 'writeOnly', 'xml'],
  ...['type', 'format', 'enum', 'nullable', 'discriminator', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'items'],
  ...['properties', 'additionalProperties', 'required', 'minProperties', 'maxProperties', 'pattern', 'multipleOf'],
  ...['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'uniqueItems'],
]);

/** Keywords that restrict no value, or that `downgrade` rewrites. */
const REWRITABLE = new Set([
  ...['$anchor', '$comment', '$defs', '$id', '$schema', 'const', 'examples'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema'],
]);

const isNull = (schema: unknown): boolean => isPlain(schema) && JSON.stringify(schema['enum']) === '[null]';

function addToAllOf(schema: Schema, part: Schema): void {
  schema.allOf = [part, ...(schema.allOf ?? [])];
}

const asObject = (schema: unknown) => (typeof schema === 'boolean' ? (schema ? {} : { not: {} }) : schema);

/** Converts boolean schemas, except `additionalProperties`, which may be a boolean in 3.0 too. */
function convertBooleans(schema: Schema): void {
  for (const keyword of ['items', 'not'] as const)
    if (keyword in schema) schema[keyword] = asObject(schema[keyword]) as Schema;
  for (const keyword of [...SUBSCHEMA_KEYWORDS.named, ...SUBSCHEMA_KEYWORDS.listed]) {
    const members = schema[keyword];
    if (Array.isArray(members)) schema[keyword] = members.map(asObject);
    else if (isPlain(members))
      schema[keyword] = Object.fromEntries(Object.entries(members).map(([name, one]) => [name, asObject(one)]));
  }
}

/** Converts several types to alternatives, and `null` to `nullable`. */
function convertTypes(schema: Schema): void {
  const { type } = schema;
  const types = [type ?? []].flat();
  let isNullable = types.includes('null') || (type === undefined && schema.enum?.includes(null) === true);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const alternatives = schema[keyword];
    if (!alternatives?.some(isNull)) continue;
    const others = alternatives.filter((one) => !isNull(one)) as Schema[];
    delete schema[keyword];
    const [alone, ...more] = others;
    if (more.length > 0) schema[keyword] = others;
    else if (alone === undefined) schema.enum = [null];
    else if ('$ref' in alone || Object.keys(alone).some((name) => name in schema)) addToAllOf(schema, alone);
    else Object.assign(schema, alone);
    isNullable ||= type === undefined || types.includes('null');
  }
  const [only, ...further] = types.filter((one) => one !== 'null');
  if (types.includes('null') && only === undefined) schema.enum = [null];
  if (isNullable && schema.enum?.includes(null) !== false) schema['nullable'] = true;
  if (only === undefined) {
    if (type !== undefined) delete schema.type;
    return;
  }
  delete schema.type;
  const typed = (type: string): Schema => ({ type, ...(type === 'array' && { items: schema.items ?? {} }) });
  if (further.length === 0) Object.assign(schema, typed(only));
  else if (schema.anyOf === undefined) schema.anyOf = [only, ...further].map(typed);
  else addToAllOf(schema, { anyOf: [only, ...further].map(typed) });
}

/** Converts an exclusive limit to a boolean next to the limit. Keeps the narrower of two limits. */
function convertLimits(schema: Schema): void {
  for (const [limit, exclusive, sign] of [
    ['minimum', 'exclusiveMinimum', 1],
    ['maximum', 'exclusiveMaximum', -1],
  ] as const) {
    const [bound, other] = [schema[exclusive], schema[limit]];
    if (typeof bound !== 'number') continue;
    delete schema[exclusive];
    if (typeof other !== 'number' || other * sign <= bound * sign)
      Object.assign(schema, { [limit]: bound, [exclusive]: true });
  }
}

function convertContent(schema: Schema): void {
  const { contentEncoding: encoding, contentMediaType: type } = schema;
  const isBinary = typeof type === 'string' && !/^text\/|[/+](json|xml|yaml)\b/.test(type);
  const format = encoding === 'base64' ? 'byte' : encoding === undefined && isBinary ? 'binary' : undefined;
  if (format !== undefined) schema['format'] ??= format;
}

const unsupportedKeywords = (schema: Schema): string[] =>
  Object.keys(schema).filter((name) => !KEYWORDS.has(name) && !name.startsWith('x-'));

/** Returns the schemas that allow more values in OpenAPI 3.0, because it lacks a keyword of them or their subschemas. */
function widerSchemas(document: Node, schemas: readonly Schema[]): Set<unknown> {
  const wider = new Set<unknown>();
  let previousSize = -1;
  while (previousSize < wider.size) {
    previousSize = wider.size;
    for (const schema of schemas) {
      const { $ref } = schema;
      const isLossy = unsupportedKeywords(schema).some((name) => !REWRITABLE.has(name));
      const isReferrer = $ref !== undefined && wider.has(valueAt(document, keysOf($ref)));
      if (isLossy || isReferrer || subschemasOf(schema).some((one) => wider.has(one.schema))) wider.add(schema);
    }
  }
  return wider;
}

/**
 * Rewrites the keywords of a schema. The subschemas must be rewritten first.
 * @param wider the schemas that allow more values in OpenAPI 3.0
 */
function downgrade(schema: Schema, wider: Set<unknown>): void {
  const isWider = (one: unknown) => wider.has(one);
  // `not` a wider schema would reject more values, and so would `oneOf` wider schemas.
  if (isWider(schema['not'])) delete schema['not'];
  if (schema.oneOf?.some(isWider)) {
    if (schema.anyOf === undefined) schema.anyOf = schema.oneOf;
    else addToAllOf(schema, { anyOf: schema.oneOf });
    delete schema.oneOf;
  }
  if ('prefixItems' in schema) delete schema.items;
  if ('patternProperties' in schema) delete schema.additionalProperties;
  convertBooleans(schema);
  const { $ref, $defs, examples } = schema;
  if ($ref !== undefined) {
    const reference = { $ref: $ref.replaceAll('/$defs/', '/x-defs/') };
    if (Object.keys(schema).length === 1) Object.assign(schema, reference);
    else addToAllOf(schema, reference);
  }
  if ($defs !== undefined) schema['x-defs'] = $defs;
  if ('const' in schema) schema.enum = [schema.const];
  if (Array.isArray(examples) && examples.length > 0) schema['example'] ??= examples[0];
  if (schema.required?.length === 0) delete schema.required;
  convertTypes(schema);
  convertLimits(schema);
  convertContent(schema);
  for (const name of unsupportedKeywords(schema)) delete schema[name];
  if (schema.allOf !== undefined) delete schema.$ref;
}

/**
 * Converts a valid document from OpenAPI 3.1 to 3.0.3. The schemas allow at least the same values. Webhooks, members next to a reference
 * and constraints without an equivalent are left out.
 */
export function openApi30(document: OpenApiDocument): Node {
  const {
    jsonSchemaDialect: _dialect,
    webhooks: _webhooks,
    ...copy
  } = structuredClone(document) as OpenApiDocument & Node;
  const elements = elementsOf(copy).reverse();
  const schemas = elements.flatMap(({ kind, object }) => (kind === 'schema' ? [object as Schema] : []));
  const wider = widerSchemas(copy, schemas);
  for (const { kind, object } of elements) {
    if (kind === 'schema') downgrade(object, wider);
    else if (typeof object.$ref === 'string') {
      const { $ref, ...own } = object;
      for (const name of Object.keys(object)) delete object[name];
      Object.assign(object, kind === 'pathItem' ? { ...(valueAt(copy, keysOf($ref)) as object), ...own } : { $ref });
    } else if ('schema' in object) object.schema = asObject(object.schema);
    else if (kind === 'operation' && Object.keys(object.responses ?? {}).length === 0)
      object.responses = { default: { description: 'Not described.' } };
  }
  const {
    summary: _summary,
    license,
    ...info
  } = copy.info as OpenApiDocument['info'] & { license?: Node; summary?: string };
  const { identifier: _identifier, ...named } = license ?? {};
  const { pathItems: _items, ...components } = (copy.components ?? {}) as Node;
  return {
    ...copy,
    openapi: '3.0.3',
    info: { ...info, ...(license && { license: named }) },
    paths: copy.paths ?? {},
    ...(copy.components && { components }),
  };
}
