import {
  type Keys,
  keysOf,
  type OperationObject,
  resolveReference,
  type Schema,
} from '@accord-api/platform/contract/document';
import { operationEntries, schemaName } from '@accord-api/platform/contract/openapi';
import { schemaOf } from '@accord-api/platform/contract/parameter-form';
import { ERROR_CODE, readCodes } from '../model/codes.js';
import { parametersAt } from '../model/openapi-rules.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import {
  type ComparedOperation,
  type Contract,
  codesIn,
  codeTable,
  type Enumeration,
  keyOf,
  type Limits,
  locationOf,
  type Member,
  type Named,
} from './contract.js';

const SCHEMAS = ['components', 'schemas'];
const TYPE_OF_FORMAT: Record<string, string> = { 'date-time': 'time', uuid: 'uuid' };
/** Formats without a restriction: `password` makes a form hide the input. */
const ANNOTATIONS = new Set(['password', 'int32', 'int64', 'float', 'double']);

function limitsOf(schema: Schema): Limits {
  const { minimum: min, maximum: max, minLength, maxLength, pattern, format, 'x-uncommon': uncommon } = schema;
  const isLimit = typeof format === 'string' && !ANNOTATIONS.has(format) && !(format in TYPE_OF_FORMAT);
  const all = { min, max, minLength, maxLength, pattern, format: isLimit ? format : undefined, uncommon };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

type Values = Pick<Member, 'type' | 'typeName' | 'isList' | 'limits' | 'default'> & {
  isNullable: boolean;
  enum?: unknown[] | undefined;
};

/** Returns a description of the values of a schema. Follows references; of alternatives, it understands "or null" only. */
function valuesOf(source: OpenApiSource, schema: Schema | boolean | undefined): Values {
  if (typeof schema !== 'object') return { type: 'any', isList: false, isNullable: false, limits: {} };
  const { $ref, anyOf = [], oneOf = [], allOf = [] } = schema;
  const isNull = (subschema: Schema | boolean) => typeof subschema === 'object' && subschema.type === 'null';
  const parts = $ref ? [resolveReference(source.written, $ref) as Schema] : [...anyOf, ...oneOf, ...allOf];
  const [only, ...others] = parts.filter((part) => !isNull(part));
  if (only !== undefined && others.length === 0) {
    const { limits, ...values } = valuesOf(source, only);
    const hasName = $ref !== undefined && !values.isList && ['enum', 'object'].includes(values.type);
    return {
      ...values,
      ...(hasName && { typeName: values.typeName ?? schemaName(schema) }),
      isNullable: values.isNullable || parts.some(isNull),
      limits: values.isList ? limits : { ...limits, ...limitsOf(schema) },
      ...('default' in schema && { default: schema['default'] }),
    };
  }
  const types = [schema.type ?? []].flat();
  const isNullable = types.includes('null');
  const [type = schema.properties ? 'object' : 'any'] = types.filter((type) => type !== 'null');
  if (type === 'array') return { ...valuesOf(source, schema.items), isList: true, isNullable, limits: {} };
  return {
    type: schema.enum ? 'enum' : (TYPE_OF_FORMAT[String(schema['format'])] ?? type),
    enum: schema.enum,
    isList: false,
    isNullable,
    limits: limitsOf(schema),
    default: schema['default'],
  };
}

function memberAt(
  source: OpenApiSource,
  name: string,
  path: Keys,
  schema: Schema | boolean,
  isRequired = false,
): Member {
  const { enum: values, isNullable, ...member } = valuesOf(source, schema);
  const type = `${member.typeName ?? member.type}${member.isList ? '[]' : ''}${isNullable ? ' or null' : ''}`;
  const bounds = Object.entries(member.limits).map(([limit, value]) => `${limit} ${value}`);
  const location = locationOf(source, path, [type, isRequired ? 'required' : 'optional', ...bounds].join(', '));
  return {
    ...member,
    name,
    key: keyOf(name),
    location,
    isOptional: !isRequired || isNullable,
    values: member.typeName === undefined ? values?.map((value) => ({ name: String(value), location })) : undefined,
  };
}

/** Reads the members of an object schema, of its `allOf` and of its references. */
function membersOf(source: OpenApiSource, schema: Schema | boolean | undefined, path: Keys): Member[] {
  if (typeof schema !== 'object') return [];
  if (schema.$ref !== undefined)
    return membersOf(source, resolveReference(source.written, schema.$ref) as Schema, keysOf(schema.$ref));
  const inherited = (schema.allOf ?? []).flatMap((part, index) => membersOf(source, part, [...path, 'allOf', index]));
  const own = Object.entries(schema.properties ?? {}).map(([name, subschema]) =>
    memberAt(source, name, [...path, 'properties', name], subschema, schema.required?.includes(name)),
  );
  return [...inherited, ...own];
}

function enumerationOf(source: OpenApiSource, name: string, schema: Schema): Enumeration {
  const path = [...SCHEMAS, name];
  const values = (schema.enum ?? []).map((value, index): Named => {
    return { name: String(value), location: locationOf(source, [...path, 'enum', index], String(value)) };
  });
  return { name, location: locationOf(source, path, `schema ${name}`), values };
}

const parametersOf = (source: OpenApiSource, at: Keys): Member[] =>
  parametersAt(source.written, at)
    .filter(({ parameter }) => parameter.in === 'path' || parameter.in === 'query')
    .map(({ path, parameter }) => memberAt(source, parameter.name, path, schemaOf(parameter), parameter.required));

function operationOf(source: OpenApiSource, operation: OperationObject, at: Keys): ComparedOperation {
  const { operationId, responses, requestBody } = operation;
  const main = operation['x-permission'];
  const further = operation['x-permission-also'] ?? [];
  const location = (...path: Keys) => locationOf(source, [...at, ...path], operationId);
  const body = requestBody?.content['application/json']?.schema;
  const written = membersOf(source, body, [...at, 'requestBody', 'content', 'application/json', 'schema']);
  const success = Object.entries(responses).find(
    ([status, { content }]) => /^2/.test(status) && content?.['application/json'],
  );
  const failures = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
  return {
    name: operationId,
    location: locationOf(source, [...at, 'operationId'], operationId, false),
    permissions: [
      ...(typeof main === 'object' ? [{ permission: main, location: location('x-permission') }] : []),
      ...further.map((permission, index) => ({ permission, location: location('x-permission-also', index) })),
    ],
    inputs: [...parametersOf(source, at), ...written],
    written,
    result: schemaName(success?.[1].content?.['application/json']?.schema ?? {}),
    // The description of a failure begins with its codes: "`GONE`. The resource existed and was deleted."
    errors: failures.flatMap(([status, { description }]) =>
      codesIn(description.split('. ')[0] ?? '').map((name) => ({
        name,
        location: locationOf(source, [...at, 'responses', status], `${status} ${name}`),
      })),
    ),
  };
}

export function readOpenApi(source: OpenApiSource): Contract {
  const schemas = Object.entries(source.written.components?.schemas ?? {});
  const codes = readCodes(source.written);
  const enumerations = schemas
    .filter(([, { enum: values, type }]) => type === 'string' && values !== undefined)
    .map(([name, schema]) => enumerationOf(source, name, schema));
  return {
    types: schemas
      .filter(([, { type, properties, allOf }]) => type === 'object' || properties || allOf)
      .map(([name, schema]) => {
        const path = [...SCHEMAS, name];
        return { name, location: locationOf(source, path, `schema ${name}`), members: membersOf(source, schema, path) };
      }),
    enumerations: enumerations.filter(({ name }) => name !== ERROR_CODE),
    operations: operationEntries(source.document).map(({ operation, at }) => operationOf(source, operation, at)),
    errorLists: [
      ...enumerations
        .filter(({ name }) => name === ERROR_CODE)
        .map(({ location, values }) => ({
          name: `the schema ${ERROR_CODE}`,
          location,
          values: values.map((value) => ({ ...value, ...codes[value.name] })),
        })),
      ...codeTable('openapi', source.texts),
    ],
  };
}
