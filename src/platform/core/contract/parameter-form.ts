import type { Parameter, Schema } from './document.js';
import { mergeSchema } from './schemas.js';

export type Scalar = 'boolean' | 'integer' | 'number' | 'string';

/** The way a parameter is read (OpenAPI 3.1, "Parameter Object"). */
export type ParameterForm =
  | { kind: 'scalar'; types: readonly Scalar[] }
  /**
   * A list of style `form`. With `isExploded` each item has its own key, otherwise commas separate items. With
   * `isExact` an item may contain an escaped comma.
   */
  | { kind: 'list'; items: readonly Scalar[]; isExploded: boolean; isExact: boolean }
  | { kind: 'json' }
  /** An unsupported form. `reason` completes a sentence that begins with the parameter. */
  | { kind: 'unsupported'; reason: string };

export function scalarsIn(form: ParameterForm): readonly Scalar[] {
  if (form.kind === 'scalar') return form.types;
  return form.kind === 'list' ? form.items : [];
}

const SCALARS: readonly Scalar[] = ['boolean', 'integer', 'number', 'string'];
const DEFAULT_STYLE = { path: 'simple', header: 'simple', query: 'form', cookie: 'form' } as const;

export const schemaOf = ({ schema, content }: Pick<Parameter, 'schema' | 'content'>): Schema =>
  schema ?? Object.values(content ?? {})[0]?.schema ?? {};

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Returns the types that a schema allows; an empty set if it allows all. */
function typesOf(merged: Schema, root: Schema): Set<string> {
  const { type, enum: values, const: value } = merged;
  if (type !== undefined) return new Set([type].flat());
  if (values !== undefined) return new Set(values.map(typeOfValue));
  if (value !== undefined) return new Set([typeOfValue(value)]);
  if (merged.properties !== undefined) return new Set(['object']);
  if (merged.items !== undefined || merged.prefixItems !== undefined) return new Set(['array']);
  const alternatives = merged.oneOf ?? merged.anyOf ?? [];
  return new Set(
    alternatives.flatMap((alt) => (typeof alt === 'boolean' ? ['string'] : [...typesOf(mergeSchema(alt, root), root)])),
  );
}

/** Returns the types that a text may have; undefined if a value has no text form. Null is omitted. */
function scalarsOf(schema: Schema | boolean | undefined, root: Schema): readonly Scalar[] | undefined {
  if (typeof schema !== 'object') return ['string'];
  const types = typesOf(mergeSchema(schema, root), root);
  if (types.size === 0) return ['string'];
  types.delete('null');
  const scalars = SCALARS.filter((scalar) => types.has(scalar));
  return scalars.length > 0 && scalars.length === types.size ? scalars : undefined;
}

const unsupported = (reason: string): ParameterForm => ({ kind: 'unsupported', reason });

/** @param root contains the `$defs` of the schema */
export function parameterForm(parameter: Parameter, root: Schema = schemaOf(parameter)): ParameterForm {
  const { in: location, content, style = DEFAULT_STYLE[location], allowEmptyValue } = parameter;
  if (content !== undefined)
    return Object.keys(content).every((type) => type === 'application/json')
      ? { kind: 'json' }
      : unsupported('has another `content` than application/json: use that, or a `schema`');
  if (style !== DEFAULT_STYLE[location])
    return unsupported(`has the style ${style}: leave it out, or use \`content\` of application/json`);
  const merged = mergeSchema(schemaOf(parameter), root);
  const types = typesOf(merged, root);
  types.delete('null');
  if (types.has('array') || types.has('object')) {
    if (types.size > 1 || merged.type === undefined)
      return unsupported('may be a single value or a list: declare one `type`');
    return types.has('array')
      ? listForm(parameter, merged, root)
      : unsupported('is an object: use `content` of application/json');
  }
  const scalars = scalarsOf(merged, root);
  if (scalars === undefined) return unsupported(`has values without a text form: ${[...types].join(', ') || 'null'}`);
  if (allowEmptyValue === true && !scalars.includes('string'))
    return unsupported(`cannot be empty: remove \`allowEmptyValue\``);
  return { kind: 'scalar', types: scalars };
}

function listForm({ in: location, explode }: Parameter, merged: Schema, root: Schema): ParameterForm {
  const items = merged.prefixItems === undefined ? scalarsOf(merged.items, root) : undefined;
  if (items === undefined) return unsupported('is a list of values without a text form: declare simple `items`');
  if (location === 'path' || location === 'header')
    return unsupported(`is a list in a ${location}: use a query parameter, or \`content\` of application/json`);
  const isExploded = explode !== false;
  if (isExploded && location === 'cookie') return unsupported('cannot be repeated in a cookie: set `explode: false`');
  const values = typeof merged.items === 'object' ? mergeSchema(merged.items, root).enum : undefined;
  const isExact = items.includes('string') && (values?.some((value) => String(value).includes(',')) ?? true);
  return { kind: 'list', items, isExploded, isExact };
}

/**
 * Serialises a value as texts by key, so that a reader of the same form gets the same value.
 * @param encode encodes a text for its location
 */
export function textsOf(
  name: string,
  form: ParameterForm,
  value: unknown,
  encode: (text: string) => string,
): [key: string, text: string][] {
  const write = (item: unknown) => encode(String(item).toWellFormed());
  if (form.kind === 'json') return [[name, write(JSON.stringify(value))]];
  if (form.kind !== 'list' || !Array.isArray(value)) return [[name, write(value)]];
  return form.isExploded ? value.map((item) => [name, write(item)]) : [[name, value.map(write).join(',')]];
}
