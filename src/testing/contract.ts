import { closedSchema } from '@accord-api/platform/internals/core/contract/closed-schema';
import {
  type Response as ContractResponse,
  type Header,
  type OpenApiDocument,
  type Permission,
  rolesIn,
  type Schema,
} from '@accord-api/platform/internals/core/contract/document';
import {
  expandVersions,
  normaliseOpenApi,
  operations,
  prefixOf,
  type RestOperation,
  versionsOf,
} from '@accord-api/platform/internals/core/contract/openapi';
import { hasQueries } from '@accord-api/platform/internals/core/contract/published';
import { inlineSchemas } from '@accord-api/platform/internals/core/contract/schemas';
import { addFormats } from '@accord-api/platform/internals/core/http/json-schema';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { buildSchema, type GraphQLField, GraphQLSchema, getArgumentValues } from 'graphql';
import type { Exchange } from './coverage/exchange.js';
import { restContract } from './coverage/rest.js';

export interface Contract {
  /** `openapi.yaml`, complete, with its references. */
  source: OpenApiDocument;
  /** The document with inlined references and the paths of each version. */
  document: OpenApiDocument;
  operations: RestOperation[];
  schema: GraphQLSchema;
  observeRest: (exchange: Exchange) => Set<string>;
  /** Describes everything in an answer that the contract does not declare. @param notWritten operations that may answer 501 */
  breaches: (exchange: Exchange, notWritten?: readonly string[]) => string[];
}

const known = new Map<string, Contract>();

/** Reads both contracts, once for each pair. @param openapi the complete document */
export function contractOf({ openapi, graphql }: { openapi: OpenApiDocument; graphql: string }): Contract {
  const key = `${JSON.stringify(openapi)}\0${graphql}`;
  const contract = known.get(key) ?? read(openapi, graphql);
  known.set(key, contract);
  return contract;
}

function read(source: OpenApiDocument, graphql: string): Contract {
  const document = inlineSchemas(expandVersions(normaliseOpenApi(source)));
  const all = operations(document);
  const operationOf = operationFinder(document, all);
  const rest = restContract(source);
  const schema = hasQueries(graphql) ? buildSchema(graphql) : new GraphQLSchema({});
  return {
    source,
    document,
    operations: all,
    schema,
    observeRest: (exchange) => rest.observe(operationOf(exchange), exchange),
    breaches(exchange, notWritten = []) {
      const { method, path, status, headers, text } = exchange;
      const declared = operationOf(exchange);
      const responses = declared?.operation.responses ?? document['x-unmatched'] ?? {};
      const response = responses[status];
      if (status === 501 && declared && notWritten.includes(declared.operationId)) return [];
      if (!response) return [`${method} ${path} answered ${status}, which the contract does not declare`];
      const found = [...headerBreaches(response, headers), ...bodyBreaches(response, method, headers, text)];
      if (status >= 400 && Buffer.byteLength(text) > MAX_FAILURE_BYTES) found.push(`${Buffer.byteLength(text)} bytes`);
      return found.map((breach) => `${method} ${path} ${status}: ${breach}`);
    },
  };
}

/**
 * Returns a function that finds the operation of an exchange by its method, its path and the version of the answer. A path may lack its
 * prefix, if another part of the request selects the version.
 */
function operationFinder(document: OpenApiDocument, all: readonly RestOperation[]) {
  const newestFirst = versionsOf(document).reverse();
  const templates = all.map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/{\w+}/g, '[^/]+')}$`),
  }));
  return ({ method, path, headers }: Exchange): RestOperation | undefined => {
    const answered = headers.get('api-version');
    const versions = answered === null ? newestFirst : [answered];
    const spellings = [path, ...versions.map((version) => prefixOf(version) + path)];
    const verb = method === 'HEAD' ? 'GET' : method;
    const at = (spelling: string) =>
      templates.find(({ operation, pattern }) => operation.method === verb && pattern.test(spelling))?.operation;
    return spellings.map(at).find((operation) => operation !== undefined);
  };
}

/** Headers that no contract needs to declare. Add one only with a reason. */
const TRANSPORT_HEADERS = new Set([
  // HTTP/1.1 (RFC 9110, RFC 9112)
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding', 'content-encoding'],
  // helmet: on every answer
  ...['content-security-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy', 'origin-agent-cluster'],
  ...['referrer-policy', 'strict-transport-security', 'x-content-type-options', 'x-dns-prefetch-control'],
  ...['x-download-options', 'x-frame-options', 'x-permitted-cross-domain-policies', 'x-xss-protection'],
  // content negotiation and CORS
  ...['vary', 'access-control-allow-credentials', 'access-control-allow-origin', 'access-control-expose-headers'],
]);

/** See docs/decisions.md, "Failures". */
const MAX_FAILURE_BYTES = 16 * 1024;

const ajv = addFormats(new Ajv2020({ allErrors: true, strict: false, validateSchema: false }));
const coercing = addFormats(new Ajv2020({ allErrors: true, coerceTypes: true, strict: false, validateSchema: false }));
const compiled = new WeakMap<object, ValidateFunction>();

/** Returns the errors of a value. @param key the declaration whose compiled schema is reused */
function errorsOf(compiler: Ajv2020, key: object, schemaOf: () => Schema, value: unknown): string | undefined {
  const validate = compiled.get(key) ?? compiler.compile(schemaOf());
  compiled.set(key, validate);
  return validate(value) ? undefined : compiler.errorsText(validate.errors);
}

const NO_HEADERS: Record<string, Header> = {};

function headerBreaches({ headers: declared = NO_HEADERS }: ContractResponse, headers: Headers): string[] {
  const known = new Map(Object.entries(declared).map(([name, header]) => [name.toLowerCase(), header]));
  const surplus = [...headers.keys()].filter((name) => !known.has(name) && !TRANSPORT_HEADERS.has(name));
  const cookies = headers.getSetCookie();
  const values = { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) };
  const schemaOf = (): Schema => ({
    type: 'object',
    properties: Object.fromEntries([...known].map(([name, { schema = {} }]) => [name, schema])),
    required: [...known].filter(([, { required }]) => required).map(([name]) => name),
  });
  const error = errorsOf(coercing, declared, schemaOf, values);
  return [...surplus.map((name) => `header ${name} is not declared`), ...(error ? [`headers: ${error}`] : [])];
}

function bodyBreaches({ content }: ContractResponse, method: string, headers: Headers, text: string): string[] {
  if (!content || method === 'HEAD') return text === '' ? [] : ['has a body'];
  const type = headers.get('content-type')?.split(';')[0] ?? 'none';
  const declared = content[type];
  if (!declared) return [`media type ${type} is not declared`];
  // A range of a JSON document is not JSON.
  const { schema } = declared;
  if (!type.endsWith('json') || !schema || schema.type === 'string') return [];
  const error = errorsOf(ajv, schema, () => closedSchema(schema), JSON.parse(text));
  return error ? [`body: ${error}`] : [];
}

/** Returns the names of the parameters in a path template. */
export const parameterNames = (path: string): string[] => [...path.matchAll(/{(\w+)}/g)].map(([, name = '']) => name);

/** A row of the permission matrix: the permissions for an operation or a root field, without or with a condition. */
export interface MatrixRow {
  /** The operationId, or `Type.field`. */
  name: string;
  when: string | undefined;
  /** All required permissions: the unconditional ones, then the conditional one. */
  permissions: readonly Permission[];
}

type Field = GraphQLField<unknown, unknown>;

function rowsOf(name: string, permissions: readonly Permission[]): MatrixRow[] {
  const always = permissions.filter(({ when }) => when === undefined);
  const conditional = permissions.filter(({ when }) => when !== undefined);
  return [
    { name, when: undefined, permissions: always },
    ...conditional.map((permission) => ({ name, when: permission.when, permissions: [...always, permission] })),
  ];
}

/** Returns the rows of an operation; none for a public one. */
export const rowsOfOperation = ({ operationId, permission, furtherPermissions }: RestOperation): MatrixRow[] =>
  permission === 'public' ? [] : rowsOf(operationId, [permission, ...furtherPermissions]);

/** Returns the rows of a root field: its `@permission` directives in the form of `x-permission`. */
export function rowsOfField(schema: GraphQLSchema, name: string, { astNode }: Field): MatrixRow[] {
  const definition = schema.getDirective('permission');
  const directives = (astNode?.directives ?? []).filter((directive) => directive.name.value === 'permission');
  const permissions = directives.map((node) => {
    const values = (definition ? getArgumentValues(definition, node) : {}) as Permission;
    const accesses = rolesIn(values).map((role) => [role, String(values[role]).toLowerCase()]);
    return { ...values, ...Object.fromEntries(accesses) };
  });
  return rowsOf(name, permissions);
}

export const rootFields = (schema: GraphQLSchema): [name: string, field: Field][] =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}).map((field): [string, Field] => [`${type?.name}.${field.name}`, field]),
  );

export const matrixOf = ({ operations, schema }: Contract): { rest: MatrixRow[]; graphql: MatrixRow[] } => ({
  rest: operations.flatMap(rowsOfOperation),
  graphql: rootFields(schema).flatMap(([name, field]) => rowsOfField(schema, name, field)),
});

/** Returns true if a role may act on its own resources (`own`), or on resources of other accounts. */
export const allows = ({ permissions }: MatrixRow, role: string, own: boolean): boolean =>
  permissions.every((permission) => {
    const access = permission[role.toLowerCase()];
    return access === 'any' || (access === 'own' && own);
  });

export const mechanismsOf = ({ security }: RestOperation): Set<string> => new Set(security.flatMap(Object.keys));
