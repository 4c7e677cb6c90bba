import {
  METHODS,
  type OpenApiDocument,
  type OperationObject,
  type Parameter,
  type PathItem,
  type Permission,
  type Schema,
  type SecurityRequirement,
} from './document.js';
import { withReferences } from './references.js';

/** One operation of the contract, with what the generator, the REST plugin and the tests ask of it. */
export interface Operation {
  operationId: string;
  /** Upper case, as in a request line. */
  method: string;
  /** The template, `/api/v1/users/{user_id}`. */
  path: string;
  /** The one tag: the file in `src/application/rest` that answers. */
  tag: string;
  permission: 'public' | Permission;
  /** What is asked for besides, under the condition that each names. */
  furtherPermissions: Permission[];
  /** Alternatives; empty for an operation that takes no credentials. */
  security: SecurityRequirement[];
  /** Whether a call uses up the caller's rate limit. */
  counted: boolean;
  /** Whether the body, or the cookie in its place, holds a password or a token. */
  credentialsInBody: boolean;
  deprecated: boolean;
  /** Which service behind this one carries it out; undefined for what is carried out here. */
  forward: Forward | undefined;
  operation: OperationObject;
}

/** Where a call is handed on to. */
export interface Forward {
  /** The service, as the application names it. */
  to: string;
  /** The template of its path there, with parameters of the operation. */
  path: string;
}

const SCHEMAS = '#/components/schemas/';

/** An operation's own parameters go before those of its path with the same name and place. */
function mergeParameters(ofPath: Parameter[], own: Parameter[]): Parameter[] {
  const replaced = (one: Parameter) => own.some(({ name, in: place }) => name === one.name && place === one.in);
  return [...ofPath.filter((one) => !replaced(one)), ...own];
}

function normalisePath(path: string, { parameters = [], ...item }: PathItem & { parameters?: Parameter[] }): PathItem {
  const result: PathItem = { ...item };
  for (const method of METHODS) {
    const operation = item[method];
    if (operation === undefined) continue;
    const stated = operation['x-forward'];
    result[method] = {
      ...operation,
      parameters: mergeParameters(parameters, operation.parameters ?? []),
      // Where it goes on in a newer version, it is still in one place there.
      ...(stated !== undefined && {
        'x-forward': { path, ...(typeof stated === 'string' ? { to: stated } : stated) },
      }),
    };
  }
  return result;
}

/**
 * Normalises a parsed OpenAPI document for use at run time: local references to parameters, headers, responses, request
 * bodies and examples are followed, a path's parameters are merged into its operations. References to schemas stay, since
 * the generator wants their names; `inlineSchemas` follows those as well.
 *
 * Takes a document that the check has passed; throws on a reference that leads nowhere.
 */
export function normaliseOpenApi(source: unknown): OpenApiDocument {
  const document = withReferences(source, source, (reference) => !reference.startsWith(SCHEMAS)) as OpenApiDocument;
  const paths = Object.entries(document.paths).map(([path, item]) => [path, normalisePath(path, item)]);
  return { ...document, components: { ...document.components }, paths: Object.fromEntries(paths) };
}

/** The name of the schema component that a schema refers to, or undefined when it is written out. */
export function schemaName({ $ref }: Schema): string | undefined {
  const name = $ref?.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : undefined;
  return name?.includes('/') ? undefined : name;
}

/** Fails closed: an operation that forgot to say who may call it is nobody's, not everybody's. */
function permissionOf({ operationId, 'x-permission': permission }: OperationObject): 'public' | Permission {
  if (permission === undefined) throw new Error(`${operationId} does not say who may call it (x-permission)`);
  return permission;
}

const forwardOf = ({ 'x-forward': stated }: OperationObject, path: string): Forward | undefined =>
  stated === undefined ? undefined : { path, ...(typeof stated === 'string' ? { to: stated } : stated) };

/** All operations of a loaded document, in the document's order. Throws where `x-permission` is missing. */
export function operations(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      return {
        operationId: operation.operationId,
        method: method.toUpperCase(),
        path,
        tag: operation.tags[0] ?? '',
        permission: permissionOf(operation),
        furtherPermissions: operation['x-permission-also'] ?? [],
        security: operation.security ?? document.security ?? [],
        counted: operation['x-rate-limit'] !== false,
        credentialsInBody: operation['x-credentials-in-body'] === true,
        deprecated: operation.deprecated === true,
        forward: forwardOf(operation, path),
        operation,
      };
    }),
  );
}

/** The answers that a document declares by status: those of each of its operations, and of what has no route. */
export const declaredAnswers = (document: OpenApiDocument, all: readonly Operation[]) => [
  ...all.map(({ operation }) => operation.responses),
  document['x-unmatched'] ?? {},
];
