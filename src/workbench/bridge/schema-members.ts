import type { OpenApiDocument, Schema } from '@accord-api/platform/contract/document';
import { schemaName } from '@accord-api/platform/contract/openapi';
import { resolveReference } from '@accord-api/platform/contract/references';
import type { OpenApiSource } from '../model/openapi-source.js';
import type { Path } from '../model/yaml-source.js';
import { keyOf, type Limits, type Member, type Where } from './side.js';

export const whereIn = ({ placeOf }: OpenApiSource, path: Path, says: string, onKey = true): Where => ({
  side: 'openapi',
  ...placeOf(path, onKey),
  says,
});

/** A format that makes a type of its own. */
const TYPE_OF_FORMAT: Record<string, string> = { 'date-time': 'time', uuid: 'uuid' };
/** Formats that bind nobody: `password` tells a form to hide what is typed. */
const HINTS = new Set(['password', 'int32', 'int64', 'float', 'double']);

function limitsOf(schema: Schema): Limits {
  const { minimum, maximum, minLength, maxLength, pattern, format, 'x-uncommon': uncommon } = schema;
  const binding = typeof format === 'string' && !HINTS.has(format) && !(format in TYPE_OF_FORMAT) ? format : undefined;
  const all = { min: minimum, max: maximum, minLength, maxLength, pattern, format: binding, uncommon };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

type Read = Pick<Member, 'type' | 'of' | 'list' | 'limits' | 'default'> & { nullable: boolean; values?: unknown[] };

const isNull = (schema: Schema | boolean) => typeof schema === 'object' && schema.type === 'null';

/** Both of what is asked. */
const tighter = (one: Limits, other: Limits): Limits => {
  const of = (choose: typeof Math.max, name: 'min' | 'max' | 'minLength' | 'maxLength') => {
    const stated = [one[name], other[name]].filter((value) => value !== undefined);
    return stated.length === 0 ? {} : { [name]: choose(...stated) };
  };
  const least = { ...of(Math.max, 'min'), ...of(Math.max, 'minLength') };
  return { ...one, ...other, ...least, ...of(Math.min, 'max'), ...of(Math.min, 'maxLength') };
};

/** With what a schema says beside a reference or an alternative, which holds as well and goes before. */
const beside = (schema: Schema, found: Read): Read => ({
  ...found,
  limits: found.list ? found.limits : tighter(found.limits, limitsOf(schema)),
  ...('default' in schema && { default: schema['default'] }),
});

/** What a schema says of a value, references followed. Of alternatives, only "or null" is understood. */
function read(document: OpenApiDocument, schema: Schema | boolean | undefined): Read {
  const nothing = { type: 'any', list: false, nullable: false, limits: {} };
  if (typeof schema !== 'object') return nothing;
  if (schema.$ref !== undefined) {
    const found = read(document, resolveReference(document, schema.$ref) as Schema);
    const named = found.of === undefined && !found.list && (found.type === 'enum' || found.type === 'object');
    return beside(schema, named ? { ...found, of: schemaName(schema) } : found);
  }
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const [only, ...others] = alternatives.filter((one) => !isNull(one));
  if (only !== undefined && others.length === 0) {
    const found = read(document, only);
    return beside(schema, { ...found, nullable: found.nullable || alternatives.some(isNull) });
  }
  const types = [schema.type ?? []].flat();
  const nullable = types.includes('null');
  const [type = schema.properties ? 'object' : 'any'] = types.filter((one) => one !== 'null');
  if (type === 'array') return { ...read(document, schema.items), list: true, nullable, limits: {} };
  const common = { list: false, nullable, limits: limitsOf(schema), default: schema['default'] };
  if (schema.enum !== undefined) return { type: 'enum', ...common, values: schema.enum };
  return { type: TYPE_OF_FORMAT[String(schema['format'])] ?? type, ...common };
}

/** In few words what a member is, for a person who compares. */
function described({ type, of, list, nullable, limits }: Read, required: boolean): string {
  const what = `${of ?? type}${list ? '[]' : ''}${nullable ? ' or null' : ''}`;
  const bounds = Object.entries(limits).map(([name, value]) => `${name} ${value}`);
  return [what, required ? 'required' : 'optional', ...bounds].join(', ');
}

/** A property or parameter as a member. */
export function memberAt(
  source: OpenApiSource,
  name: string,
  path: Path,
  schema: Schema | boolean,
  required: boolean,
): Member {
  const found = read(source.written, schema);
  const { values, nullable, ...rest } = found;
  const where = whereIn(source, path, described(found, required));
  return {
    ...rest,
    name,
    key: keyOf(name),
    where,
    optional: !required || nullable,
    values: found.of === undefined ? values?.map((value) => ({ name: String(value), where })) : undefined,
  };
}

/** The members of an object schema, those of `allOf` and of what it refers to included, at the places where they stand. */
export function membersOf(source: OpenApiSource, schema: Schema | boolean | undefined, path: Path): Member[] {
  if (typeof schema !== 'object') return [];
  if (schema.$ref !== undefined) {
    const target = resolveReference(source.written, schema.$ref) as Schema;
    const name = schemaName(schema);
    return membersOf(source, target, name === undefined ? path : ['components', 'schemas', name]);
  }
  const own = Object.entries(schema.properties ?? {}).map(([name, one]) =>
    memberAt(source, name, [...path, 'properties', name], one, schema.required?.includes(name) ?? false),
  );
  const parts = (schema.allOf ?? []).flatMap((part, index) => membersOf(source, part, [...path, 'allOf', index]));
  return [...parts, ...own];
}
