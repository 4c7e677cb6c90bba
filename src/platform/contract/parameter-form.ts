import type { MediaType, Parameter, Schema } from './document.js';
import { laidOpen } from './laid-open.js';

/** What one text can be read as. */
export type Scalar = 'boolean' | 'integer' | 'number' | 'string';

/** What stands between the items of a list in one text. */
type Separator = ',' | ' ' | '|';

/** How the text of a parameter is read, by its schema and its style (OpenAPI 3.1, 4.8.12). */
export type ParameterForm =
  /** One text, which is the first of these types that can be read of it. */
  | { kind: 'scalar'; types: readonly Scalar[] }
  /** Items in one text, or without a separator under a key each; `isExact` where an item may hold the separator, escaped. */
  | { kind: 'list'; items: readonly Scalar[]; separator: Separator | undefined; isExact: boolean }
  /** `filter[state]=open`: the types of each member, and those of members without a schema of their own. */
  | { kind: 'deepObject'; members: Readonly<Record<string, readonly Scalar[]>>; others: readonly Scalar[] }
  | { kind: 'json' }
  /** What is not read, and why, in the words that follow the name of a parameter. */
  | { kind: 'unread'; why: string };

/** All that a text of a parameter may be read as; nothing of what is JSON. */
export function scalarsIn(form: ParameterForm): readonly Scalar[] {
  if (form.kind === 'scalar') return form.types;
  if (form.kind === 'list') return form.items;
  return form.kind === 'deepObject' ? [...Object.values(form.members).flat(), ...form.others] : [];
}

const SCALARS: readonly Scalar[] = ['boolean', 'integer', 'number', 'string'];
const SEPARATORS: Record<string, Separator> = { form: ',', simple: ',', spaceDelimited: ' ', pipeDelimited: '|' };
const DEFAULT_STYLE = { path: 'simple', header: 'simple', query: 'form', cookie: 'form' } as const;
const STYLES: Record<Parameter['in'], readonly string[]> = {
  path: ['simple'],
  header: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  cookie: ['form'],
};

const isJson = ([type]: [string, MediaType]) => type === 'application/json';

/** What a parameter is held to, whichever way it says so. */
export const schemaOf = ({ schema, content }: Pick<Parameter, 'schema' | 'content'>): Schema =>
  schema ?? Object.values(content ?? {})[0]?.schema ?? {};

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The types that a schema leaves to a value; all where it does not say. */
function typesOf(open: Schema, root: Schema): Set<string> {
  const { type, enum: values, const: value } = open;
  if (type !== undefined) return new Set([type].flat());
  if (values !== undefined) return new Set(values.map(typeOfValue));
  if (value !== undefined) return new Set([typeOfValue(value)]);
  if (open.properties !== undefined) return new Set(['object']);
  if (open.items !== undefined || open.prefixItems !== undefined) return new Set(['array']);
  const alternatives = open.oneOf ?? open.anyOf ?? [];
  return new Set(
    alternatives.flatMap((one) => (typeof one === 'boolean' ? ['string'] : [...typesOf(laidOpen(one, root), root)])),
  );
}

/** No text is `null`: what may be that is left out. A text of which nothing is said is one. */
function scalarsOf(schema: Schema | boolean | undefined, root: Schema): readonly Scalar[] | undefined {
  if (typeof schema !== 'object') return ['string'];
  const types = typesOf(laidOpen(schema, root), root);
  if (types.size === 0) return ['string'];
  types.delete('null');
  const scalars = SCALARS.filter((one) => types.has(one));
  return scalars.length > 0 && scalars.length === types.size ? scalars : undefined;
}

/** Whether one of these values may hold a separator that does not separate. */
const mayHold = (separator: Separator | undefined, items: readonly Scalar[], { enum: values }: Schema): boolean =>
  separator === ',' &&
  items.includes('string') &&
  (values === undefined || values.some((one) => String(one).includes(separator)));

const unread = (why: string): ParameterForm => ({ kind: 'unread', why });

/**
 * How a parameter is read.
 * @param root where the references of its schema lead, unless that is whole by itself
 */
export function parameterForm(parameter: Parameter, root: Schema = schemaOf(parameter)): ParameterForm {
  const { in: place, content, style = DEFAULT_STYLE[place], allowEmptyValue } = parameter;
  if (content !== undefined)
    return Object.entries(content).every(isJson) ? { kind: 'json' } : unread('is read as `application/json` alone');
  if (!STYLES[place].includes(style))
    return unread(`has the style ${style}, and in a ${place} is read: ${STYLES[place].join(', ')}`);
  const open = laidOpen(schemaOf(parameter), root);
  const types = typesOf(open, root);
  types.delete('null');
  if (types.has('array') || types.has('object')) {
    if (types.size > 1 || open.type === undefined)
      return unread('may be one text or several, and nothing tells which: say `type` once');
    return types.has('array') ? listForm(parameter, style, open, root) : objectForm(style, open, root);
  }
  const scalars = scalarsOf(open, root);
  if (scalars === undefined) return unread(`can be written as no text: ${[...types].join(', ') || 'null'}`);
  if (style === 'deepObject' || style.endsWith('Delimited')) return unread(`is one text, which has no style ${style}`);
  if (allowEmptyValue === true && !scalars.includes('string'))
    return unread(`is no text, and cannot be read of an empty one: leave \`allowEmptyValue\` out`);
  return { kind: 'scalar', types: scalars };
}

function listForm({ in: place, explode }: Parameter, style: string, open: Schema, root: Schema): ParameterForm {
  const items = open.prefixItems === undefined ? scalarsOf(open.items, root) : undefined;
  if (items === undefined) return unread('is a list of what no text can be read as: say `items` of one simple type');
  if (style === 'deepObject') return unread('is a list, which has no style deepObject');
  const isExploded = style === 'form' ? explode !== false : style !== 'simple' && explode === true;
  if (isExploded && style !== 'form') return unread(`has the style ${style}, which does not explode: use form`);
  if (isExploded && place === 'cookie') return unread('cannot come twice in a cookie: say `explode: false`');
  const separator = isExploded ? undefined : SEPARATORS[style];
  const schema = typeof open.items === 'object' ? laidOpen(open.items, root) : {};
  return { kind: 'list', items, separator, isExact: mayHold(separator, items, schema) };
}

function objectForm(style: string, open: Schema, root: Schema): ParameterForm {
  if (style !== 'deepObject') return unread('is an object: use the style deepObject, or `content` of application/json');
  const members = Object.entries(open.properties ?? {}).map(([name, one]) => [name, scalarsOf(one, root)] as const);
  const others = scalarsOf(open.additionalProperties, root);
  const isKnown = open.oneOf === undefined && open.anyOf === undefined && open['patternProperties'] === undefined;
  if (!isKnown || others === undefined || members.some(([, types]) => types === undefined))
    return unread('is an object of more than one level, or of several shapes: use `content` of application/json');
  return { kind: 'deepObject', members: Object.fromEntries(members) as Record<string, Scalar[]>, others };
}

/**
 * A value of a parameter as texts, each under its key: what a reader by the same form reads as that value.
 * @param escaped how a text is written where it stands; a separator that may be within an item stands as it is between them
 */
export function textsOf(
  name: string,
  form: ParameterForm,
  value: unknown,
  escaped: (text: string) => string,
): [key: string, text: string][] {
  const write = (one: unknown) => escaped(String(one).toWellFormed());
  if (form.kind === 'json') return [[name, write(JSON.stringify(value))]];
  if (form.kind === 'deepObject' && typeof value === 'object')
    return Object.entries(value ?? {}).map(([member, one]) => [`${name}[${member}]`, write(one)]);
  if (form.kind !== 'list' || !Array.isArray(value)) return [[name, write(value)]];
  const { separator } = form;
  if (separator === undefined) return value.map((one) => [name, write(one)]);
  return [[name, value.map(write).join(separator === ',' ? separator : escaped(separator))]];
}
