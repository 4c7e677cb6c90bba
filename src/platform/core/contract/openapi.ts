/** Reads the operations of a REST contract with their parameters, permissions and versions, for the start and for the workbench. @module */

import {
  type BodyKind,
  dereference,
  kindOf,
  METHODS,
  type Method,
  matchMediaType,
  type OpenApiDocument,
  type OperationObject,
  type Parameter,
  type PathItem,
  type Permission,
  type Schema,
  type SecurityRequirement,
} from './document.js';

export interface RestOperation {
  operationId: string;
  method: string;
  /** The template, for example `/api/v1/users/{user_id}`. */
  path: string;
  /** The tag, which names the handler's file in `src/application/rest`. */
  tag: string;
  permission: 'public' | Permission;
  furtherPermissions: Permission[];
  /** Alternatives; empty for an operation without credentials. */
  security: SecurityRequirement[];
  /** True if the operation may write. */
  writes: boolean;
  /** True if a call counts for the rate limit. */
  counted: boolean;
  /** True if the body, or the cookie in its place, contains a password or a token. */
  credentialsInBody: boolean;
  deprecated: boolean;
  operation: OperationObject;
}

/** Returns true if a caller may repeat the operation under an Idempotency-Key. */
export const takesKey = ({ operation }: Pick<RestOperation, 'operation'>): boolean =>
  operation.parameters.some((parameter) => parameter.in === 'header' && /^idempotency-key$/i.test(parameter.name));

const SCHEMAS = '#/components/schemas/';

/** Merges parameters. An operation overrides its path by name and location. */
function mergeParameters(inherited: Parameter[], own: Parameter[]): Parameter[] {
  const isOverridden = (given: Parameter) => own.some(({ name, in: at }) => name === given.name && at === given.in);
  return [...inherited.filter((parameter) => !isOverridden(parameter)), ...own];
}

function normalisePath({ parameters = [], ...item }: PathItem & { parameters?: Parameter[] }): PathItem {
  const result: PathItem = { ...item };
  for (const method of METHODS) {
    const operation = item[method];
    if (operation === undefined) continue;
    result[method] = { ...operation, parameters: mergeParameters(parameters, operation.parameters ?? []) };
  }
  return result;
}

/**
 * Resolves all references of a valid OpenAPI document except those to schemas, and merges the parameters of paths into
 * their operations. `inlineSchemas` resolves the schemas.
 * @throws Error for a reference without a target
 */
export function normaliseOpenApi(source: unknown): OpenApiDocument {
  const document = dereference(source, source, (reference) => !reference.startsWith(SCHEMAS)) as OpenApiDocument;
  const paths = Object.entries(document.paths).map(([path, item]) => [path, normalisePath(item)]);
  return { ...document, components: { ...document.components }, paths: Object.fromEntries(paths) };
}

export function schemaName({ $ref }: Schema): string | undefined {
  const name = $ref?.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : undefined;
  return name?.includes('/') ? undefined : name;
}

/** @throws Error without `x-permission`, because any default could open the operation to everyone */
function permissionOf({ operationId, 'x-permission': permission }: OperationObject): 'public' | Permission {
  if (permission === undefined) throw new Error(`${operationId} does not say who may call it (x-permission)`);
  return permission;
}

/** Returns all operations in the order of the document. @throws Error for an operation without `x-permission` */
export function operations(document: OpenApiDocument): RestOperation[] {
  return operationEntries(document).map(({ path, method, operation }) => ({
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    tag: operation.tags[0] ?? '',
    permission: permissionOf(operation),
    furtherPermissions: operation['x-permission-also'] ?? [],
    security: operation.security ?? document.security ?? [],
    writes: method !== 'get' && method !== 'head',
    counted: operation['x-rate-limit'] !== false,
    credentialsInBody: operation['x-credentials-in-body'] === true,
    deprecated: operation.deprecated === true,
    operation,
  }));
}

/** Returns the responses of each operation, and those to requests that match none. */
export const declaredResponses = (document: OpenApiDocument, all: readonly RestOperation[]) => [
  ...all.map(({ operation }) => operation.responses),
  document['x-unmatched'] ?? {},
];

export interface OperationEntry {
  path: string;
  method: Method;
  operation: OperationObject;
  at: readonly (string | number)[];
}

export const operationEntries = ({ paths = {} }: Pick<Partial<OpenApiDocument>, 'paths'>): OperationEntry[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation, at: ['paths', path, method] }];
    }),
  );

/** Splits a path into version and rest; undefined for a path without a version, such as `/livez`. */
export function splitPath(path: string) {
  const [, version, rest] = /^\/api\/v([1-9]\d*)(\/.*)$/.exec(path) ?? [];
  return version === undefined || rest === undefined ? undefined : { version, rest };
}

export const prefixOf = (version: string): string => `/api/v${version}`;

/** Returns a path template without parameter names. OpenAPI treats templates of equal shape as identical. */
export const pathShape = (template: string): string => template.replaceAll(/{\w+}/g, '{}');

export function versionsOf({ paths }: Pick<OpenApiDocument, 'paths'>): string[] {
  const named = Object.keys(paths).flatMap((path) => splitPath(path)?.version ?? []);
  return [...new Set(named)].sort((a, b) => Number(a) - Number(b));
}

/**
 * Returns the contract with every path that it serves. An operation is declared once, in the version that introduced
 * it. It continues in newer versions until one of them declares the same method and path, or until `x-last-version`.
 * @param document normalised; it is not changed
 */
export function expandVersions<Document extends Pick<OpenApiDocument, 'paths'>>(document: Document): Document {
  const paths = { ...document.paths };
  const declared = new Set(
    Object.entries(paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => `${method} ${pathShape(path)}`),
    ),
  );
  function continueOperations(from: string, to: string): void {
    for (const [path, item] of Object.entries(paths)) {
      const current = splitPath(path);
      if (current?.version !== from) continue;
      const next = prefixOf(to) + current.rest;
      const isContinued = (method: Method) =>
        item[method] !== undefined &&
        Number(to) <= (item[method]['x-last-version'] ?? Number.POSITIVE_INFINITY) &&
        !declared.has(`${method} ${pathShape(next)}`);
      for (const method of METHODS.filter(isContinued)) paths[next] = { ...paths[next], [method]: item[method] };
    }
  }
  const versions = versionsOf(document);
  for (const [index, to] of versions.entries()) {
    const from = versions[index - 1];
    if (from !== undefined) continueOperations(from, to);
  }
  return { ...document, paths };
}

export interface BodyForm {
  type: string;
  kind: BodyKind;
  schema: Schema | undefined;
}

export const bodyForms = ({ operation }: RestOperation): BodyForm[] =>
  Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => {
    const kind = kindOf(type);
    return { type, kind, schema: kind === 'stream' ? undefined : schema };
  });

export function bodyFormFor(operation: RestOperation): (contentType: string) => BodyForm | undefined {
  const forms = new Map(bodyForms(operation).map((form) => [form.type, form]));
  const declared = [...forms.keys()];
  return (contentType) => forms.get(contentType) ?? forms.get(matchMediaType(declared, contentType) ?? '');
}
