import type { Schema } from '@accord-api/platform/contract/document';
import { isObject, isPlain } from '@accord-api/platform/contract/references';

/** The keywords of a schema of OpenAPI 3.0 that mean there what they mean in 3.1. */
const SHARED = new Set([
  ...['title', 'description', 'default', 'format', 'deprecated', 'readOnly', 'writeOnly', 'discriminator', 'xml'],
  ...[
    'enum',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'multipleOf',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'pattern',
  ],
  ...['items', 'minItems', 'maxItems', 'uniqueItems'],
  ...['properties', 'additionalProperties', 'required', 'minProperties', 'maxProperties', 'example', 'externalDocs'],
]);

/** Those that concern values of one type alone. */
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['multipleOf', 'minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'additionalProperties', 'required', 'minProperties', 'maxProperties'],
};

/** Those that OpenAPI 3.0 has no word for, or none that says as much. */
const WITHOUT_WORD: readonly string[] = [
  ...['if', 'contains', 'propertyNames', 'patternProperties', 'dependentRequired', 'dependentSchemas', 'dependencies'],
  ...['prefixItems', 'unevaluatedItems', 'unevaluatedProperties', '$dynamicRef', '$recursiveRef'],
];

/** Whether a schema, by its own keywords, allows more once it is told in OpenAPI 3.0. */
export const allowsMore = (schema: Schema): boolean => WITHOUT_WORD.some((keyword) => keyword in schema);

const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat());
const takesNull = (schema: Schema): boolean => schema.type === undefined || typesOf(schema).includes('null');

const isNull = (schema: unknown): boolean =>
  isPlain(schema) &&
  (typesOf(schema).join() === 'null' ||
    ('const' in schema && schema['const'] === null) ||
    JSON.stringify(schema['enum']) === '[null]');

const NULL: Schema = { enum: [null], nullable: true };

/** With a part that has to hold as well. */
const withPart = (schema: Schema, part: Schema): Schema => ({ ...schema, allOf: [...(schema.allOf ?? []), part] });

/** Laid beside each other where no keyword is said twice, and otherwise as a part. */
const together = (schema: Schema, part: Schema): Schema =>
  '$ref' in part || Object.keys(part).some((keyword) => keyword in schema)
    ? withPart(schema, part)
    : { ...part, ...schema };

/** That `null` is taken, too; said of an alternative as well, for strictly read `nullable` counts beside `type` alone. */
function nullable(schema: Schema): Schema {
  const copy = { ...schema, nullable: true };
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const listed = schema[keyword] as Schema[] | undefined;
    const first = listed?.findIndex((one) => one.type !== undefined) ?? -1;
    if (schema.type === undefined && listed !== undefined && first >= 0) {
      copy[keyword] = listed.map((one, at) => (at === first ? { ...one, nullable: true } : one));
    }
  }
  return copy;
}

/** A limit that is no value itself: in 3.0 a flag of the other one, of which the narrower is kept. */
function limits(schema: Schema, source: Schema): void {
  for (const [limit, exclusive, sign] of [
    ['minimum', 'exclusiveMinimum', 1],
    ['maximum', 'exclusiveMaximum', -1],
  ] as const) {
    const [bound, other] = [source[exclusive], source[limit]];
    if (typeof bound !== 'number' || (typeof other === 'number' && other * sign > bound * sign)) continue;
    Object.assign(schema, { [limit]: bound, [exclusive]: true });
  }
}

/** Bytes: as text in base64, or as they are. */
function formatOf({ contentEncoding, contentMediaType }: Schema): string | undefined {
  if (contentEncoding !== undefined) return contentEncoding === 'base64' ? 'byte' : undefined;
  const isText = typeof contentMediaType !== 'string' || /^text\/|[/+](json|xml|yaml)\b/.test(contentMediaType);
  return isText ? undefined : 'binary';
}

/** Keywords about single values that 3.0 says by others. */
function values(schema: Schema, source: Schema): void {
  limits(schema, source);
  if ('const' in source) schema.enum = [source.const];
  const { examples } = source;
  if (Array.isArray(examples) && examples.length > 0) schema['example'] ??= examples[0];
  const format = formatOf(source);
  if (format !== undefined) schema['format'] ??= format;
  if (schema.required?.length === 0) delete schema.required;
}

const anyOf = (schemas: Schema[]): Schema => {
  const [first, ...others] = [...new Map(schemas.map((one) => [JSON.stringify(one), one])).values()];
  return others.length === 0 ? (first ?? {}) : { anyOf: [first as Schema, ...others] };
};

/** Items by their place are told as items of which each may stand in any place. */
function places(schema: Schema, inner: Schema, source: Schema): void {
  const first = inner.prefixItems as Schema[] | undefined;
  if (first === undefined) return;
  const further = source.items ?? true;
  schema.items = further === true ? {} : anyOf([...first, ...(further === false ? [] : [inner.items as Schema])]);
  if (further === false) schema['maxItems'] = Math.min(first.length, Number(source['maxItems'] ?? first.length));
}

/** A member whose name fits a pattern is told as a further one; where these were refused, those that fit may not be. */
function members(schema: Schema, inner: Schema, source: Schema): void {
  const { additionalProperties: further = true, patternProperties: patterns } = source;
  if (typeof further === 'boolean' && 'additionalProperties' in source) schema.additionalProperties = further;
  if (!isObject(patterns) || Object.keys(patterns).length === 0 || further === true) return;
  const fitting = Object.values(inner['patternProperties'] as Record<string, Schema>);
  const others = further === false ? [] : [inner.additionalProperties as Schema];
  schema.additionalProperties = anyOf([...fitting, ...others]);
}

/** What allows more than it did may fit where another alternative fits, too: then it is any of them. */
function loosened({ oneOf = [], ...schema }: Schema): Schema {
  return schema.anyOf === undefined ? { ...schema, anyOf: oneOf } : withPart(schema, { anyOf: oneOf });
}

/** Alternatives of which one is `null`: the others, and `nullable`. */
function withoutNull(schema: Schema, source: Schema): { schema: Schema; isNullable: boolean } {
  let [result, isNullable] = [schema, false];
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const listed = source[keyword];
    if (!listed?.some(isNull)) continue;
    const { [keyword]: all = [], ...others } = result;
    const rest = all.filter((_, at) => !isNull(listed[at])) as Schema[];
    isNullable = takesNull(source);
    const [only] = rest;
    if (only === undefined) result = together(others, NULL);
    else result = rest.length === 1 ? together(others, only) : { ...others, [keyword]: rest };
  }
  return { schema: result, isNullable };
}

/** One of several types, with the keywords that concern it. */
function typed(schema: Schema, types: string[]): Schema {
  const words = (type: string) => OF_TYPE[type === 'integer' ? 'number' : type] ?? [];
  const taken = new Set(types.flatMap(words));
  const own = Object.entries(schema);
  const each = types.map((type) =>
    ofType(Object.fromEntries(own.filter(([word]) => words(type).includes(word))), type),
  );
  return together(Object.fromEntries(own.filter(([word]) => !taken.has(word))), { anyOf: each });
}

/** An array says in 3.0 what it holds. */
const ofType = (schema: Schema, type: string): Schema => ({
  type,
  ...schema,
  ...(type === 'array' && { items: schema.items ?? {} }),
});

function withType(schema: Schema, source: Schema): Schema {
  const types = typesOf(source).filter((one) => one !== 'null');
  const told = types.includes('number') ? types.filter((one) => one !== 'integer') : types;
  const [only] = told;
  if (only === undefined) return source.type === undefined ? schema : { ...schema, ...NULL };
  return told.length === 1 ? ofType(schema, only) : typed(schema, told);
}

/**
 * A schema of OpenAPI 3.1 (JSON Schema 2020-12) in the words of OpenAPI 3.0. What 3.0 has no word for (conditions, `contains`, names
 * of members and dependencies among them, items by their place, what is `unevaluated`) is left out, so that it allows more, and never
 * less; a `not` of such a schema is left out, too, and `oneOf` with one is `anyOf`. `nullable` is meant as tools read it: `null` besides
 * what the rest of the schema takes, beside `allOf` of a reference as well.
 * @param source as it was
 * @param inner the same, with the schemas within it told in 3.0
 * @param reference that of the source where it leads in the document of 3.0
 * @param isWider whether a schema of the source will allow more, at any depth
 * @see https://spec.openapis.org/oas/v3.0.3#schema-object
 */
export function schemaOf30(
  source: Schema,
  inner: Schema,
  reference: string | undefined,
  isWider: (one: unknown) => boolean,
): Schema {
  if (source.oneOf?.some(isWider)) return schemaOf30(loosened(source), loosened(inner), reference, isWider);
  const kept = Object.entries(inner).filter(([keyword]) => SHARED.has(keyword) || keyword.startsWith('x-'));
  const schema = Object.fromEntries(kept) as Schema;
  // What allows more than it did may not be what is refused.
  if (isWider(source['not'])) delete schema['not'];
  values(schema, source);
  places(schema, inner, source);
  members(schema, inner, source);
  const rest = withoutNull(schema, source);
  const whole = withType(rest.schema, source);
  const wanted = rest.isNullable || typesOf(source).includes('null') || schema.enum?.includes(null);
  const isNullable = wanted && takesNull(source) && schema.enum?.includes(null) !== false;
  const own = isNullable ? nullable(whole) : whole;
  if (reference === undefined) return own;
  const beside = Object.keys(own).length > 0;
  return beside ? { ...own, allOf: [{ $ref: reference }, ...(own.allOf ?? [])] } : { $ref: reference };
}
