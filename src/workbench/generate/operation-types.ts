import {
  type BodyKind,
  type Extensions,
  essenceOf,
  type Header,
  kindOf,
  type Location,
  type MediaType,
  type Permission,
  type Response,
  rolesIn,
  type Schema,
} from '@accord-api/platform/contract/document';
import { type RestOperation, schemaName } from '@accord-api/platform/contract/openapi';
import { schemaOf } from '@accord-api/platform/contract/parameter-form';
import { pascalCase } from '../model/names.js';

export const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value);

export const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name));

/** Returns a doc comment with the given lines, or an empty string without lines. */
export function docComment(lines: readonly string[], indent = ''): string {
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/').trimEnd());
  if (safe.length === 0) return '';
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`;
  return `${indent}/**\n${safe.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** Breaks a text between words so that a comment line stays within 120 columns. Later lines begin with `indent`. */
function wrap(text: string, indent: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 116) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : indent + word);
  }
  return lines;
}

interface Member {
  name: string;
  type: string;
  optional?: boolean;
  description?: string | undefined;
}

/** Returns an object type: on one line, or with `indent` one member per line with its description. */
function objectType(members: readonly Member[], indent?: string): string {
  if (members.length === 0) return 'Record<string, never>';
  const text = ({ name, type, optional }: Member) => `${key(name)}${optional ? '?' : ''}: ${type}`;
  if (indent === undefined) return `{ ${members.map(text).join('; ')} }`;
  const inner = `${indent}  `;
  const lines = members.map((member) => {
    const description = member.description?.trim().split('\n') ?? [];
    return `${docComment(description, inner)}${inner}${text(member)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

const union = (types: string[]): string => [...new Set(types)].join(' | ') || 'never';

const PRIMITIVES: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, named: (name: string) => string) {
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema, named),
    optional: !required.includes(name),
  }));
  if (members.length > 0) return objectType(members);
  return `Record<string, ${additionalProperties === false ? 'never' : typeOf(additionalProperties, named)}>`;
}

function typeOfKeywords(schema: Schema, named: (name: string) => string): string {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? (schema.properties ? 'object' : 'unknown')];
  const single = (type: string) => {
    if (type === 'array') return `Array<${typeOf(schema.items, named)}>`;
    if (type === 'object') return objectOf(schema, named);
    return PRIMITIVES[type] ?? 'unknown';
  };
  return union(types.map(single));
}

/** Returns the types whose intersection a schema describes. */
function partsOf(schema: Schema, named: (name: string) => string): string[] {
  const { allOf = [], properties = {}, required = [] } = schema;
  const name = schemaName(schema);
  const alternatives = schema.oneOf ?? schema.anyOf;
  const literals = schema.const === undefined ? schema.enum : [schema.const];
  const others = [
    ...(name === undefined ? [] : [named(name)]),
    ...(literals === undefined ? [] : [union(literals.map(literal))]),
    ...(alternatives === undefined ? [] : [union(alternatives.map((alternative) => typeOf(alternative, named)))]),
    ...allOf.map((part) => typeOf(part, named)),
  ];
  if (others.length === 0) return [typeOfKeywords(schema, named)];
  // `required` may name members that another part of the intersection describes.
  const missing = required.filter((name) => !(name in properties)).map((name) => ({ name, type: '{} | null' }));
  return [
    ...others,
    ...(Object.keys(properties).length > 0 ? [objectOf(schema, named)] : []),
    ...(missing.length > 0 ? [objectType(missing)] : []),
  ];
}

/** Returns the type of a schema. @param named returns the type of a component by its name */
function typeOf(schema: Schema | boolean | undefined, named: (name: string) => string): string {
  if (schema === undefined || typeof schema === 'boolean') return 'unknown';
  const parts = partsOf(schema, named);
  return parts.length === 1 ? String(parts[0]) : parts.map((part) => `(${part})`).join(' & ');
}

type TypeOf = (schema: Schema | undefined) => string;

interface Types {
  typeOfSchema: TypeOf;
  /** Returns true for a schema that is `type: object` and nothing else. */
  isShapeless: (schema: Schema | undefined) => boolean;
}

/** The member of a request that holds the parameters of each location. */
const GROUPS: [Location, string][] = [
  ['path', 'path'],
  ['query', 'query'],
  ['header', 'headers'],
  ['cookie', 'cookies'],
];

/** Returns true for a parameter or header that the pipeline handles: `version` in the query, and all with `x-automatic`. */
const isAutomatic = (part: Extensions & { in?: unknown; name?: unknown }): boolean =>
  part['x-automatic'] === true || (part.in === 'query' && part.name === 'version');

function bodyOf(content: Record<string, MediaType>, typeOfSchema: TypeOf, other: (kind: BodyKind) => string): string {
  const types = Object.entries(content).map(([mediaType, { schema }]) => {
    const kind = kindOf(mediaType);
    return kind === 'json' ? typeOfSchema(schema) : other(kind);
  });
  return [...new Set(types)].join(' | ');
}

const givenAs = () => 'string | Uint8Array';
const readAs = (kind: BodyKind) => (kind === 'text' ? 'string' : 'Readable');

export const readsStreams = (operations: readonly RestOperation[]): boolean =>
  operations.some(({ operation }) =>
    Object.keys(operation.requestBody?.content ?? {}).some((mediaType) => kindOf(mediaType) === 'stream'),
  );

/** Returns the member that names the media type of the body. All JSON types are the same to a handler. */
function mediaTypeMember(content: Record<string, MediaType>): Member[] {
  const declared = Object.keys(content);
  if (declared.every((type) => kindOf(type) === 'json')) return [];
  const types = declared.map((type) => (type.includes('*') ? 'string' : literal(essenceOf(type))));
  return [{ name: 'mediaType', type: [...new Set(types)].join(' | ') }];
}

/** Returns the type of a reply's body. A document without declared members may also be given as bytes. */
function replyBodyOf(content: Record<string, MediaType>, { typeOfSchema, isShapeless }: Types): string {
  const type = bodyOf(content, typeOfSchema, givenAs);
  return Object.values(content).some(({ schema }) => isShapeless(schema)) ? `${type} | Uint8Array` : type;
}

function requestMembers({ operation }: RestOperation, typeOfSchema: TypeOf): Member[] {
  const groups = GROUPS.map(([place, name]): Member & { members: Member[] } => {
    const members = operation.parameters
      .filter((parameter) => parameter.in === place && !isAutomatic(parameter))
      .map((parameter) => ({
        name: place === 'header' ? parameter.name.toLowerCase() : parameter.name,
        type: typeOfSchema(schemaOf(parameter)),
        optional: parameter.required !== true,
        description: parameter.description,
      }));
    return { name, members, type: objectType(members, '  ') };
  });
  const present: Member[] = groups.filter(({ members }) => members.length > 0);
  const { requestBody } = operation;
  if (requestBody === undefined) return present;
  const body = `${pascalCase(operation.operationId)}RequestBody`;
  return [
    ...present,
    { name: 'body', type: requestBody.required === true ? body : `${body} | undefined` },
    ...mediaTypeMember(requestBody.content),
  ];
}

/** Returns the headers of a response that its handler sets, by their lower-case names. */
const givenHeaders = ({ headers = {} }: Response): [string, Header][] =>
  Object.entries(headers).flatMap(([name, header]) => (isAutomatic(header) ? [] : [[name.toLowerCase(), header]]));

export function headerNames(operations: readonly RestOperation[]): string[] {
  const responses = operations.flatMap(({ operation }) => Object.values(operation.responses));
  return [...new Set(responses.flatMap(givenHeaders).map(([name]) => name))].sort();
}

function replyMembers(response: Response, types: Types): Member[] {
  const { typeOfSchema } = types;
  const { content = {} } = response;
  const given = givenHeaders(response).map(([name, { required, schema }]) => ({
    name,
    type: typeOfSchema(schema),
    optional: required !== true,
  }));
  const type = given.length > 0 ? `Only<${objectType(given)}>` : 'NoHeaders';
  return [
    { name: 'headers', type, optional: given.every((header) => header.optional) },
    ...(Object.keys(content).length > 0 ? [{ name: 'body', type: replyBodyOf(content, types) }] : []),
  ];
}

/** Returns the union of replies. Replies that differ in the status only share a line, so that the success is easy to find. */
function replyType({ operation }: RestOperation, types: Types): string {
  const statuses = new Map<string, { statuses: string[]; members: Member[] }>();
  for (const [status, response] of Object.entries(operation.responses)) {
    if (isAutomatic(response)) continue;
    const members = replyMembers(response, types);
    // Failures with the same members share a line. A success never shares a line with a failure.
    const shape = `${status < '400' ? status : 'failure'} ${JSON.stringify(members)}`;
    const same = statuses.get(shape);
    if (same === undefined) statuses.set(shape, { statuses: [status], members });
    else same.statuses.push(status);
  }
  const alternatives = [...statuses.values()].map(({ statuses: own, members }) =>
    objectType([{ name: 'status', type: own.join(' | ') }, ...members]),
  );
  return alternatives.map((alternative) => `\n  | ${alternative}`).join('');
}

function permissionLine(permission: Permission): string {
  const { action, when } = permission;
  const reaches = rolesIn(permission).map((role) => `${role} ${permission[role]}`);
  return `Permission ${action}: ${reaches.join(', ')}${when ? `; when ${when}` : ''}.`;
}

/** Returns the status of a failure, and the code with which its description begins, if any. */
const failure = (status: string, { description: text }: Response): string =>
  [status, /^`([A-Z_]+)`/.exec(text)?.[1]].filter((part) => part !== undefined).join(' ');

function description({ operation, method, path, permission, furtherPermissions, deprecated }: RestOperation): string[] {
  const { summary, description: text, responses } = operation;
  const prose = text?.trim().split('\n') ?? [];
  const entries = Object.entries(responses);
  const successes = entries.filter(([status]) => status < '400');
  const failures = entries.filter(([status]) => status >= '400').map(([status, response]) => failure(status, response));
  return [
    ...(summary ? [summary, ''] : []),
    `${method} ${path}`,
    ...(prose.length > 0 ? ['', ...prose] : []),
    '',
    permission === 'public' ? 'Permission: public.' : permissionLine(permission),
    ...furtherPermissions.map(permissionLine),
    '',
    ...successes.map(([status, response]) => `- ${status}: ${response.description.trim().split('\n')[0]}`),
    ...(failures.length > 0 ? wrap(`- fails with ${failures.join(', ')}`, '  ') : []),
    ...(deprecated ? ['', '@deprecated in the contract'] : []),
  ];
}

/** Returns the type of a handler: a function for a public operation, otherwise a route with a target. */
function handlerType({ operationId, permission }: RestOperation): string {
  const name = pascalCase(operationId);
  if (permission === 'public') return `(request: ${name}Request, context: Context) => Promise<${name}Reply>`;
  return `Route<${name}Request, ${name}Reply, DecisionOf<${literal(operationId)}>> | NotWritten`;
}

/** Returns the request, reply and handler types of one operation as source text. @param schemas the components by name */
export function operationTypes(
  operation: RestOperation,
  named: (schema: string) => string,
  schemas: Readonly<Record<string, Schema>>,
): string {
  const isShapeless = (schema: Schema | undefined): boolean => {
    const { description: _, ...found } = schemas[schemaName(schema ?? {}) ?? ''] ?? schema ?? {};
    return JSON.stringify(found) === '{"type":"object"}';
  };
  const typeOfSchema: TypeOf = (schema) => typeOf(schema, named);
  const id = operation.operationId;
  const name = pascalCase(id);
  const request = requestMembers(operation, typeOfSchema);
  const content = operation.operation.requestBody?.content;
  const body = content && `export type ${name}RequestBody = ${bodyOf(content, typeOfSchema, readAs)};\n`;
  return [
    ...(body ? [body] : []),
    request.length === 0
      ? `/** The request of \`${id}\`, which has no parameters and no body. */\nexport type ${name}Request = Record<string, never>;\n`
      : `/** The request of \`${id}\`. */\nexport interface ${name}Request ${objectType(request, '')}\n`,
    `/** The replies of \`${id}\`. */\nexport type ${name}Reply =${replyType(operation, { typeOfSchema, isShapeless })};\n`,
    `${docComment(description(operation))}export type ${name} = ${handlerType(operation)};\n`,
  ].join('\n');
}
