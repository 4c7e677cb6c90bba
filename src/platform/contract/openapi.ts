import {
  METHODS,
  type Method,
  type OpenApiDocument,
  type OperationObject,
  type Parameter,
  type PathItem,
  type Permission,
  rolesIn,
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

/** An operation of a document, and where it stands. */
export interface PlacedOperation {
  path: string;
  method: Method;
  operation: OperationObject;
  /** The keys that lead there. */
  at: readonly (string | number)[];
}

/** All operations of a document of sound structure, written or normalised, in its order. */
export const placedOperations = ({ paths = {} }: Pick<Partial<OpenApiDocument>, 'paths'>): PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation, at: ['paths', path, method] }];
    }),
  );

/** Where a path stands: in which version, and where in it. */
interface Place {
  /** `2` */
  version: string;
  /** `/users/{user_id}` */
  rest: string;
}

/** The place of a path or template in a version; undefined for what has no versions, such as `/livez`. */
export function placeOf(path: string): Place | undefined {
  const [, version, rest] = /^\/api\/v([1-9]\d*)(\/.*)$/.exec(path) ?? [];
  return version === undefined || rest === undefined ? undefined : { version, rest };
}

/** What the addresses of a version begin with. */
export const prefixOf = (version: string): string => `/api/v${version}`;

/** A template with its parameters' names left out: two that look alike are one address. */
export const shapeOf = (template: string): string => template.replaceAll(/{\w+}/g, '{}');

/** The versions that a contract has, oldest first: those whose prefix begins one of its paths. */
export function versionsOf({ paths }: Pick<OpenApiDocument, 'paths'>): string[] {
  const named = Object.keys(paths).flatMap((path) => placeOf(path)?.version ?? []);
  return [...new Set(named)].sort((one, other) => Number(one) - Number(other));
}

/**
 * The contract with each path that it serves. A contract says each operation once, in the version that brought it: it goes on
 * in every newer one, until one states the same method and path itself, or after its own `x-last-version`.
 * @param document with references to operations followed (`normaliseOpenApi`); it is left as it is
 */
export function everyVersion<Document extends Pick<OpenApiDocument, 'paths'>>(document: Document): Document {
  const paths = { ...document.paths };
  const states = new Set(
    Object.entries(paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => `${method} ${shapeOf(path)}`),
    ),
  );
  /** What goes on from a version in the next one. */
  function goOn(from: string, to: string): void {
    for (const [path, item] of Object.entries(paths)) {
      const place = placeOf(path);
      if (place?.version !== from) continue;
      const next = prefixOf(to) + place.rest;
      const goesOn = (method: Method) =>
        item[method] !== undefined &&
        Number(to) <= (item[method]['x-last-version'] ?? Number.POSITIVE_INFINITY) &&
        !states.has(`${method} ${shapeOf(next)}`);
      for (const method of METHODS.filter(goesOn)) paths[next] = { ...paths[next], [method]: item[method] };
    }
  }
  const versions = versionsOf(document);
  for (const [index, to] of versions.entries()) {
    const from = versions[index - 1];
    if (from !== undefined) goOn(from, to);
  }
  return { ...document, paths };
}

/** What is wrong with an operation that another service carries out, and the member that says it. */
interface ForwardFault {
  place: string[];
  message: string;
}

/**
 * Holds `x-forward` against the rest of its operation: what is forwarded is decided here by the role alone, for whose a thing is
 * only the other service knows.
 * @param path the template of the operation's path
 */
export function forwardFaults(
  path: string,
  {
    'x-forward': stated,
    'x-permission': main,
    'x-permission-also': further,
  }: Pick<OperationObject, 'x-forward' | 'x-permission' | 'x-permission-also'>,
): ForwardFault[] {
  if (stated === undefined) return [];
  const { to, path: there } = typeof stated === 'string' ? { to: stated } : ((stated ?? {}) as Record<string, unknown>);
  if (typeof to !== 'string' || !(there === undefined || (typeof there === 'string' && /^\/[^?#]*$/.test(there)))) {
    const message =
      'x-forward is the name of a service, or its name as `to` and as `path` where it is there, from a slash on.';
    return [{ place: ['x-forward'], message }];
  }
  const parameters = parametersOf(path);
  const unknown = parametersOf(there ?? '').filter((name) => !parameters.includes(name));
  const owned = typeof main === 'object' ? rolesIn(main).filter((role) => main[role] === 'own') : [];
  return [
    ...unknown.map((name) => ({
      place: ['x-forward'],
      message: `x-forward fills {${name}} with a path parameter, and the operation has none of the name.`,
    })),
    ...owned.map((role) => ({
      place: ['x-permission', role],
      message: `What is forwarded cannot be "own" to ${role}: only the other service knows whose it is. Say any or none.`,
    })),
    ...(further === undefined
      ? []
      : [
          {
            place: ['x-permission-also'],
            message: 'What is forwarded has no further permission: when it applies only the other service knows.',
          },
        ]),
  ];
}

/** The names of a template's parameters. */
const parametersOf = (template: string): string[] => [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
