import type { OperationObject, Parameter, Schema } from '@accord-api/platform/contract/document';
import { placedOperations, schemaName } from '@accord-api/platform/contract/openapi';
import { schemaOf } from '@accord-api/platform/contract/parameter-form';
import { resolveReference, valueAt } from '@accord-api/platform/contract/references';
import { ERROR_CODE, readCodes } from '../model/codes.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import type { Path } from '../model/yaml-source.js';
import {
  type Call,
  type Catalogue,
  type Contract,
  codesIn,
  codeTable,
  type Enumeration,
  keyOf,
  type Limits,
  type Member,
  type Value,
  type Where,
} from './sides.js';

export const whereIn = ({ placeOf }: OpenApiSource, path: Path, says: string, onKey = true): Where => ({
  side: 'openapi',
  ...placeOf(path, onKey),
  says,
});

/** A format that makes a type of its own. */
const TYPE_OF_FORMAT: Record<string, string> = { 'date-time': 'time', uuid: 'uuid' };
/** Formats that restrict nothing: `password` tells a form to hide the input. */
const HINTS = new Set(['password', 'int32', 'int64', 'float', 'double']);

function limitsOf(schema: Schema): Limits {
  const { minimum, maximum, minLength, maxLength, pattern, format, 'x-uncommon': uncommon } = schema;
  const binding = typeof format === 'string' && !HINTS.has(format) && !(format in TYPE_OF_FORMAT) ? format : undefined;
  const all = { min: minimum, max: maximum, minLength, maxLength, pattern, format: binding, uncommon };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

type Read = Pick<Member, 'type' | 'of' | 'list' | 'limits' | 'default'> & { nullable: boolean; values?: unknown[] };

const isNull = (schema: Schema | boolean) => typeof schema === 'object' && schema.type === 'null';

/** Adds the keywords beside a reference or an alternative: all of them hold, so the tighter bound counts. */
function beside(schema: Schema, found: Read): Read {
  const limits = { ...found.limits, ...limitsOf(schema) };
  for (const name of ['min', 'max', 'minLength', 'maxLength'] as const) {
    const [one, other] = [found.limits[name], limits[name]];
    if (one === undefined || other === undefined) continue;
    limits[name] = name.startsWith('min') ? Math.max(one, other) : Math.min(one, other);
  }
  return {
    ...found,
    limits: found.list ? found.limits : limits,
    ...('default' in schema && { default: schema['default'] }),
  };
}

/** Reads the values that a schema describes, references followed. Of alternatives, only "or null" is understood. */
function read(source: OpenApiSource, schema: Schema | boolean | undefined): Read {
  if (typeof schema !== 'object') return { type: 'any', list: false, nullable: false, limits: {} };
  if (schema.$ref !== undefined) {
    const found = read(source, resolveReference(source.written, schema.$ref) as Schema);
    const isNamed = found.of === undefined && !found.list && (found.type === 'enum' || found.type === 'object');
    return beside(schema, isNamed ? { ...found, of: schemaName(schema) } : found);
  }
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const [only, ...others] = alternatives.filter((one) => !isNull(one));
  if (only !== undefined && others.length === 0) {
    const found = read(source, only);
    return beside(schema, { ...found, nullable: found.nullable || alternatives.some(isNull) });
  }
  const types = [schema.type ?? []].flat();
  const nullable = types.includes('null');
  const [type = schema.properties ? 'object' : 'any'] = types.filter((one) => one !== 'null');
  if (type === 'array') return { ...read(source, schema.items), list: true, nullable, limits: {} };
  const common = { list: false, nullable, limits: limitsOf(schema), default: schema['default'] };
  if (schema.enum !== undefined) return { type: 'enum', ...common, values: schema.enum };
  return { type: TYPE_OF_FORMAT[String(schema['format'])] ?? type, ...common };
}

/** Reads a property or a parameter. */
function memberAt(
  source: OpenApiSource,
  name: string,
  path: Path,
  schema: Schema | boolean,
  isRequired = false,
): Member {
  const { values, nullable, ...found } = read(source, schema);
  const what = `${found.of ?? found.type}${found.list ? '[]' : ''}${nullable ? ' or null' : ''}`;
  const bounds = Object.entries(found.limits).map(([limit, value]) => `${limit} ${value}`);
  const where = whereIn(source, path, [what, isRequired ? 'required' : 'optional', ...bounds].join(', '));
  return {
    ...found,
    name,
    key: keyOf(name),
    where,
    optional: !isRequired || nullable,
    values: found.of === undefined ? values?.map((value) => ({ name: String(value), where })) : undefined,
  };
}

/** Reads the members of an object schema, with those of `allOf` and of references, at the places where they are written. */
function membersOf(source: OpenApiSource, schema: Schema | boolean | undefined, path: Path): Member[] {
  if (typeof schema !== 'object') return [];
  if (schema.$ref !== undefined) {
    const name = schemaName(schema);
    const target = resolveReference(source.written, schema.$ref) as Schema;
    return membersOf(source, target, name === undefined ? path : ['components', 'schemas', name]);
  }
  const parts = (schema.allOf ?? []).flatMap((part, index) => membersOf(source, part, [...path, 'allOf', index]));
  const own = Object.entries(schema.properties ?? {}).map(([name, one]) =>
    memberAt(source, name, [...path, 'properties', name], one, schema.required?.includes(name)),
  );
  return [...parts, ...own];
}

function enumerationOf(source: OpenApiSource, name: string, schema: Schema): Enumeration {
  const path = ['components', 'schemas', name];
  const values = (schema.enum ?? []).map((value, index): Value => {
    return { name: String(value), where: whereIn(source, [...path, 'enum', index], String(value)) };
  });
  return { name, where: whereIn(source, path, `schema ${name}`), values };
}

type Content = Record<string, { schema?: Schema } | undefined> | undefined;
const jsonOf = (content: Content): Schema | undefined => content?.['application/json']?.schema;

/** Finds where a parameter is written: in an operation, in its path, or in the component that these refer to. */
function parameterPath({ written }: OpenApiSource, { name, in: place }: Parameter, at: Path): Path {
  for (const list of [at, at.slice(0, -1)].map((owner): Path => [...owner, 'parameters'])) {
    const stated = (valueAt(written, list.map(String)) ?? []) as (Parameter & { $ref?: string })[];
    for (const [index, one] of stated.entries()) {
      const component = one.$ref?.split('/').at(-1);
      const target = component === undefined ? one : written.components.parameters?.[component];
      if (target?.name !== name || target.in !== place) continue;
      return component === undefined ? [...list, index] : ['components', 'parameters', component];
    }
  }
  return at;
}

/** Reads the codes at the beginning of the description of a failure: "`GONE`. The resource existed and was deleted." */
const errorsOf = (source: OpenApiSource, { responses }: OperationObject, at: Path): Value[] =>
  Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([status, { description }]) =>
      codesIn(description.split('. ')[0] ?? '').map((name) => ({
        name,
        where: whereIn(source, [...at, 'responses', status], `${status} ${name}`),
      })),
    );

function callOf(source: OpenApiSource, operation: OperationObject, at: Path): Call {
  const { operationId, responses, parameters, requestBody } = operation;
  const main = operation['x-permission'];
  const further = operation['x-permission-also'] ?? [];
  const permissionAt = (...path: Path) => whereIn(source, [...at, ...path], operationId);
  const asked = parameters.filter((one) => one.in === 'path' || one.in === 'query');
  const path: Path = [...at, 'requestBody', 'content', 'application/json', 'schema'];
  const body = membersOf(source, jsonOf(requestBody?.content), path);
  const success = Object.entries(responses).find(
    ([status, { content }]) => /^2/.test(status) && content?.['application/json'],
  );
  return {
    name: operationId,
    where: whereIn(source, [...at, 'operationId'], operationId, false),
    permissions: [
      ...(typeof main === 'object' ? [{ permission: main, where: permissionAt('x-permission') }] : []),
      ...further.map((permission, index) => ({ permission, where: permissionAt('x-permission-also', index) })),
    ],
    inputs: [
      ...asked.map((one) =>
        memberAt(source, one.name, parameterPath(source, one, at), schemaOf(one), one.required === true),
      ),
      ...body,
    ],
    written: body,
    result: schemaName(jsonOf(success?.[1].content) ?? {}),
    errors: errorsOf(source, operation, at),
  };
}

function errorCodes(source: OpenApiSource, schema: Schema): Catalogue {
  const { where, values } = enumerationOf(source, ERROR_CODE, schema);
  const kinds = readCodes(source.written);
  const withStatus = values.map((value) => {
    const status = kinds[value.name]?.status;
    return { ...value, ...(status !== undefined && { status }) };
  });
  return { name: `the schema ${ERROR_CODE}`, where, values: withStatus };
}

/** Reads a sound OpenAPI document. */
export function readOpenApi(source: OpenApiSource): Contract {
  const schemas = Object.entries(source.written.components?.schemas ?? {});
  const isObject = ({ type, properties, allOf }: Schema) => type === 'object' || properties || allOf;
  const isEnum = ({ enum: values, type }: Schema) => type === 'string' && values !== undefined;
  return {
    shapes: schemas
      .filter(([, schema]) => isObject(schema))
      .map(([name, schema]) => {
        const path = ['components', 'schemas', name];
        return { name, where: whereIn(source, path, `schema ${name}`), members: membersOf(source, schema, path) };
      }),
    enumerations: schemas
      .filter(([name, schema]) => isEnum(schema) && name !== ERROR_CODE)
      .map(([name, schema]) => enumerationOf(source, name, schema)),
    calls: placedOperations(source.document).map(({ operation, at }) => callOf(source, operation, at)),
    catalogues: [
      ...schemas.filter(([name]) => name === ERROR_CODE).map(([, schema]) => errorCodes(source, schema)),
      ...codeTable('openapi', source.texts),
    ],
  };
}
