import {
  isObject,
  type Keys,
  keysOf,
  type MediaType,
  type Parameter,
  type Permission,
  type Reach,
  type RequestBody,
  type Response,
  resolveReference,
  rolesIn,
  type Schema,
  valueAt,
} from '@accord-api/platform/contract/document';
import { type OperationEntry, operationEntries, schemaName } from '@accord-api/platform/contract/openapi';
import { type ASTNode, type FieldDefinitionNode, type InputValueDefinitionNode, Kind, print } from 'graphql';
import { DEFAULTS } from '../model/defaults.js';
import { referencesIn } from '../model/edition.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import { permissionsOf } from '../model/permissions.js';
import { constraintOf, placeOf, type SdlSource } from '../model/sdl-source.js';

interface Said {
  file: string;
  line: number;
  column: number;
  /** The description of the default that adds the part. */
  byDefault?: string;
}

export interface Part {
  name: string;
  says: string;
  at: Said | undefined;
  parts?: Part[];
}

export interface Explanation {
  name: string;
  /** `GET /api/v1/users/{user_id}`, or the definition in SDL. */
  what: string;
  at: Said;
  description: string;
  sections: { title: string; parts: Part[] }[];
}

const BOUNDS: Record<string, (value: unknown) => string> = {
  format: (value) => String(value),
  minimum: (value) => `from ${value}`,
  maximum: (value) => `to ${value}`,
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  maxItems: (value) => `at most ${value} items`,
  pattern: () => 'of a pattern',
};

/** Describes a schema: the name of a component, or `integer, from 1, to 100`. */
function schemaWords(schema: Schema | boolean | undefined): string {
  if (typeof schema !== 'object') return 'anything';
  const name = schemaName(schema);
  if (name !== undefined) return name;
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  const type = [schema.type ?? 'anything'].flat().join(' or ');
  const bounds = Object.entries(BOUNDS).flatMap(([keyword, words]) =>
    keyword in schema ? words(schema[keyword]) : [],
  );
  return [type === 'array' ? `array of ${schemaWords(schema.items)}` : type, ...bounds].join(', ');
}

const REACH: Record<Reach, string> = { own: 'own resources', any: 'all resources', none: 'no access' };

/** Describes a permission: `viewer and developer: own resources; admin: all resources`. */
function permissionWords(permission: Permission): string {
  const roles = rolesIn(permission);
  const groups = Object.entries(REACH).flatMap(([reach, words]) => {
    const those = roles.filter((role) => String(permission[role]).toLowerCase() === reach);
    const listed = those.join(', ').replace(/, ([^,]*)$/, ' and $1');
    return those.length === 0 ? [] : `${listed}: ${words}`;
  });
  return `${groups.join('; ')}${permission.when === undefined ? '' : `; required when ${permission.when}`}`;
}

/** Explains a published operation, and returns the names of its schemas; undefined for an unknown operation. */
export function explainOperation(
  source: OpenApiSource,
  operationId: string,
): { explanation: Explanation; schemas: Set<string> } | undefined {
  const found = operationEntries(source.written).find(({ operation }) => operation.operationId === operationId);
  if (found === undefined) return undefined;
  const { operation, method, path, at } = found;
  const description = [operation.summary, operation.description].filter(Boolean).join('\n').trim();
  const explanation = {
    name: operationId,
    what: `${method.toUpperCase()} ${path}`,
    at: saidAt(source, [...at, 'operationId']),
    description,
    sections: [
      { title: 'Permissions', parts: permissionParts(source, found) },
      { title: 'Request', parts: requestParts(source, found) },
      { title: 'Responses', parts: responseParts(source, found) },
    ],
  };
  const references = [...referencesIn(source.written, operation)].map(keysOf);
  const schemas = references.flatMap(([, kind, component = '']) => (kind === 'schemas' ? [component] : []));
  return { explanation, schemas: new Set(schemas) };
}

/** Returns the place of a part, and the default that adds it. */
function saidAt(source: OpenApiSource, path: Keys): Said {
  const { file, line, column } = source.placeOf(path, true);
  const [root, index] = source.originOf(path);
  const action = root === DEFAULTS ? valueAt(source.authored, [DEFAULTS, String(index)]) : undefined;
  const byDefault = isObject(action) ? (action['description'] ?? action['operations']) : undefined;
  return { file, line, column, ...(byDefault !== undefined && { byDefault: String(byDefault) }) };
}

const resolved = <Value>({ written }: OpenApiSource, value: unknown): Value =>
  (isObject(value) && typeof value['$ref'] === 'string' ? resolveReference(written, value['$ref']) : value) as Value;

function permissionParts(source: OpenApiSource, { operation, at }: OperationEntry): Part[] {
  const { 'x-permission': main, 'x-permission-also': further = [], security } = operation;
  const part = (permission: Permission, ...path: Keys): Part => ({
    name: permission.action,
    says: permissionWords(permission),
    at: saidAt(source, [...at, ...path]),
  });
  const schemes = (security ?? source.written.security ?? []).map(
    (one) => Object.keys(one).join(' with ') || 'nothing',
  );
  const where = security === undefined ? ['security'] : [...at, 'security'];
  return [
    main === undefined || main === 'public'
      ? { name: 'public', says: 'every caller', at: main && saidAt(source, [...at, 'x-permission']) }
      : part(main, 'x-permission'),
    ...further.map((one, index) => part(one, 'x-permission-also', index)),
    ...(schemes.length === 0
      ? []
      : [{ name: 'authenticated by', says: schemes.join(', '), at: saidAt(source, where) }]),
  ];
}

const contentParts = (source: OpenApiSource, content: Record<string, MediaType> = {}, path: Keys): Part[] =>
  Object.entries(content).map(([type, { schema }]) => ({
    name: type,
    says: schemaWords(schema),
    at: saidAt(source, [...path, 'content', type]),
  }));

function requestParts(source: OpenApiSource, { operation, at }: OperationEntry): Part[] {
  const parameters = [at.slice(0, -1), at].flatMap((owner) => {
    const stated = valueAt(source.written, [...owner, 'parameters'].map(String));
    return ((stated ?? []) as unknown[]).map((value, index): Part => {
      const { name, in: place, required, schema } = resolved<Parameter>(source, value);
      const says = `${schemaWords(schema)}${required === true ? ', required' : ''}`;
      return { name: `${place} ${name}`, says, at: saidAt(source, [...owner, 'parameters', index]) };
    });
  });
  if (operation.requestBody === undefined) return parameters;
  const { required, content } = resolved<RequestBody>(source, operation.requestBody);
  const path = [...at, 'requestBody'];
  const says = required === true ? 'required' : 'may be left out';
  return [...parameters, { name: 'body', says, at: saidAt(source, path), parts: contentParts(source, content, path) }];
}

const responseParts = (source: OpenApiSource, { operation, at }: OperationEntry): Part[] =>
  Object.entries(operation.responses).map(([status, value]) => {
    const { description, headers = {}, content } = resolved<Response>(source, value);
    const path = [...at, 'responses', status];
    const ofHeaders = Object.keys(headers).map((name): Part => {
      return { name, says: 'header', at: saidAt(source, [...path, 'headers', name]) };
    });
    const [says = ''] = description.trim().split('\n');
    return {
      name: status,
      says,
      at: saidAt(source, path),
      parts: [...contentParts(source, content, path), ...ofHeaders],
    };
  });

/** Explains a field of the SDL, such as `Query.user`; undefined for an unknown field. */
export function explainField(source: SdlSource, name: string): Explanation | undefined {
  if (source.absent) return undefined;
  const [type = '', field = ''] = name.split('.');
  const member = source.document.definitions
    .flatMap((one): readonly (FieldDefinitionNode | InputValueDefinitionNode)[] =>
      'fields' in one && 'name' in one && one.name.value === type ? (one.fields ?? []) : [],
    )
    .find((one) => one.name.value === field);
  if (member === undefined) return undefined;
  const isField = member.kind === Kind.FIELD_DEFINITION;
  const part = (node: ASTNode, partName: string, says: string): Part => {
    const { file, line, column } = placeOf(node);
    return { name: partName, says, at: { file, line, column } };
  };
  const at = part(member.name, '', '').at as Said;
  const given = (isField && member.arguments) || [];
  return {
    name,
    what: `${field}: ${print(member.type)}`,
    at,
    description: member.description?.value.trim() ?? '',
    sections: [
      {
        title: 'Permissions',
        parts: (isField ? permissionsOf(member) : []).map((one) => part(member.name, one.action, permissionWords(one))),
      },
      {
        title: 'Request',
        parts: given.map((one) => {
          const bounds = Object.entries(constraintOf(one.directives)).map(([bound, value]) => `${bound} ${value}`);
          return part(one.name, one.name.value, [print(one.type), ...bounds].join(', '));
        }),
      },
      { title: 'Responses', parts: [part(member.type, print(member.type), '')] },
    ],
  };
}

/** Explains a member of a schema, such as `User.name`; undefined for an unknown member. */
export function explainMember(source: OpenApiSource, name: string): Explanation | undefined {
  const [owner = '', member = ''] = name.split('.');
  const schema = source.written.components?.schemas?.[owner];
  const own = schema?.properties?.[member];
  if (own === undefined) return undefined;
  const { file, line, column } = source.placeOf(['components', 'schemas', owner, 'properties', member], true);
  const at = { file, line, column };
  const says = `${schemaWords(own)}${schema?.required?.includes(member) ? ', always there' : ', may be absent'}`;
  const description = typeof own === 'object' ? (own.description ?? '') : '';
  const what = `a member of the schema ${owner}`;
  return { name, what, at, description, sections: [{ title: 'Type', parts: [{ name: member, says, at }] }] };
}
