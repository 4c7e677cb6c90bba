import type { OperationObject, Parameter, Schema } from '@accord-api/platform/contract/document';
import { placedOperations, schemaName } from '@accord-api/platform/contract/openapi';
import { schemaOf } from '@accord-api/platform/contract/parameter-form';
import { ERROR_CODE, readCodes } from '../model/codes.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import type { Path } from '../model/yaml-source.js';
import { memberAt, membersOf, whereIn } from './schema-members.js';
import {
  type Call,
  type Catalogue,
  type Contract,
  codeTable,
  type Enumeration,
  type Member,
  type Value,
} from './side.js';

const schemasOf = ({ written }: OpenApiSource) => Object.entries(written.components?.schemas ?? {});

const isEnum = ({ enum: values, type }: Schema) => type === 'string' && values !== undefined;
const isObject = ({ type, properties, allOf }: Schema) =>
  type === 'object' || properties !== undefined || allOf !== undefined;

function enumerationOf(source: OpenApiSource, name: string, schema: Schema): Enumeration {
  const path = ['components', 'schemas', name];
  const values = (schema.enum ?? []).map((value, index): Value => {
    return { name: String(value), where: whereIn(source, [...path, 'enum', index], String(value)) };
  });
  return { name, where: whereIn(source, path, `schema ${name}`), values };
}

type Json = { schema?: Schema } | undefined;
const jsonOf = (content: Record<string, Json> = {}): Json => content['application/json'];

/** Where a parameter is written: of an operation or of its path, or the component that these refer to. */
function parameterAt({ written: document }: OpenApiSource, { name, in: place }: Parameter, path: Path): Path {
  const lists = [path, path.slice(0, -1)].map((owner) => [...owner, 'parameters'] as Path);
  for (const list of lists) {
    const written = list.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
    for (const [index, one] of ((written ?? []) as (Parameter & { $ref?: string })[]).entries()) {
      const component = one.$ref?.split('/').at(-1);
      const target = component === undefined ? one : document.components.parameters?.[component];
      if (target?.name !== name || target.in !== place) continue;
      return component === undefined ? [...list, index] : ['components', 'parameters', component];
    }
  }
  return path;
}

function parametersOf(source: OpenApiSource, { parameters }: OperationObject, at: Path): Member[] {
  const read = parameters.filter((one) => one.in === 'path' || one.in === 'query');
  return read.map((one) =>
    memberAt(source, one.name, parameterAt(source, one, at), schemaOf(one), one.required === true),
  );
}

function bodyOf(source: OpenApiSource, { requestBody }: OperationObject, at: Path): Member[] {
  const path: Path = [...at, 'requestBody', 'content', 'application/json', 'schema'];
  return membersOf(source, jsonOf(requestBody?.content)?.schema, path);
}

/** The codes that the failures of an operation are described with: "`GONE`. The resource existed and was deleted." */
function errorsOf(source: OpenApiSource, { responses }: OperationObject, at: Path): Value[] {
  const failures = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
  return failures.flatMap(([status, { description }]) => {
    const [sentence = ''] = description.split('. ');
    return [...sentence.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code = '']) => ({
      name: code,
      where: whereIn(source, [...at, 'responses', status], `${status} ${code}`),
    }));
  });
}

function callOf(source: OpenApiSource, operation: OperationObject, at: Path): Call {
  const { operationId, responses } = operation;
  const success = Object.entries(responses).find(([status, { content }]) => /^2/.test(status) && jsonOf(content));
  const body = bodyOf(source, operation, at);
  const main = operation['x-permission'];
  const permissions = typeof main === 'object' ? [{ permission: main, path: [...at, 'x-permission'] }] : [];
  const further = (operation['x-permission-also'] ?? []).map((permission, index) => {
    return { permission, path: [...at, 'x-permission-also', index] };
  });
  return {
    name: operationId,
    where: whereIn(source, [...at, 'operationId'], operationId, false),
    permissions: [...permissions, ...further].map(({ permission, path }) => {
      return { permission, where: whereIn(source, path, operationId) };
    }),
    inputs: [...parametersOf(source, operation, at), ...body],
    written: body,
    result: schemaName(jsonOf(success?.[1].content)?.schema ?? {}),
    errors: errorsOf(source, operation, at),
  };
}

function cataloguesOf(source: OpenApiSource): Catalogue[] {
  const table = codeTable('openapi', source.texts);
  const list = schemasOf(source).find(([name]) => name === ERROR_CODE);
  if (list === undefined) return table === undefined ? [] : [table];
  const { where, values } = enumerationOf(source, ...list);
  const kinds = readCodes(source.written);
  const codes = new Map(
    values.map(({ name, where }) => {
      const { status } = kinds[name] ?? {};
      return [name, { where, ...(status !== undefined && { status }) }];
    }),
  );
  return [{ name: `the schema ${ERROR_CODE}`, where, codes }, ...(table === undefined ? [] : [table])];
}

/** What a sound OpenAPI document says. */
export function readOpenApi(source: OpenApiSource): Contract {
  return {
    shapes: schemasOf(source)
      .filter(([, schema]) => isObject(schema))
      .map(([name, schema]) => {
        const path = ['components', 'schemas', name];
        return { name, where: whereIn(source, path, `schema ${name}`), members: membersOf(source, schema, path) };
      }),
    enumerations: schemasOf(source)
      .filter(([name, schema]) => isEnum(schema) && name !== ERROR_CODE)
      .map(([name, schema]) => enumerationOf(source, name, schema)),
    calls: placedOperations(source.document).map(({ operation, at }) => callOf(source, operation, at)),
    catalogues: cataloguesOf(source),
  };
}
