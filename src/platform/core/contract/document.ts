/**
 * The members of OpenAPI 3.1 that the platform and the workbench read. All references are resolved except those to
 * schemas.
 * @see https://spec.openapis.org/oas/v3.1.0
 */
export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'] as const;

export type Method = (typeof METHODS)[number];
export type Location = 'path' | 'query' | 'header' | 'cookie';
export type Extensions = { [extension: `x-${string}`]: unknown };

/** A JSON Schema (draft 2020-12). Only subschemas can be booleans. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema | boolean>;
  required?: string[];
  items?: Schema | boolean;
  prefixItems?: (Schema | boolean)[];
  additionalProperties?: Schema | boolean;
  oneOf?: (Schema | boolean)[];
  anyOf?: (Schema | boolean)[];
  allOf?: (Schema | boolean)[];
  $defs?: Record<string, Schema | boolean>;
  enum?: unknown[];
  const?: unknown;
  [keyword: string]: unknown;
}

export interface MediaType extends Extensions {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value?: unknown }>;
}

export interface Parameter extends Extensions {
  name: string;
  in: Location;
  description?: string;
  required?: boolean;
  /** The serialisation, together with `explode`. The default depends on `in`. */
  style?: string;
  explode?: boolean;
  allowEmptyValue?: boolean;
  schema?: Schema;
  content?: Record<string, MediaType>;
  example?: unknown;
  examples?: Record<string, { summary?: string; value?: unknown }>;
}

export interface Header extends Extensions {
  required?: boolean;
  schema?: Schema;
}

export interface RequestBody extends Extensions {
  required?: boolean;
  content: Record<string, MediaType>;
}

export interface Response extends Extensions {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, MediaType>;
}

/** A requirement needs all its schemes. `{}` allows requests without credentials. */
export type SecurityRequirement = Record<string, string[]>;

export type SecurityScheme = Extensions &
  ({ type: 'http'; scheme: string; bearerFormat?: string } | { type: 'apiKey'; name: string; in: Location });

export type Reach = 'none' | 'own' | 'any';

/** `when` is the condition, in prose, of a further permission (`x-permission-also`). */
export interface Permission {
  action: string;
  when?: string;
  [role: string]: Reach | string | undefined;
}

export const rolesIn = (permission: object): string[] =>
  Object.keys(permission).filter((name) => name !== 'action' && name !== 'when');

/** `since` and `sunset` are ISO 8601 times; `link` explains the replacement. */
interface Deprecation {
  since: string;
  sunset: string;
  link: string;
}

export interface OperationObject extends Extensions {
  operationId: string;
  tags: string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters: Parameter[];
  requestBody?: RequestBody;
  responses: Record<string, Response>;
  security?: SecurityRequirement[];
  'x-permission'?: 'public' | Permission;
  'x-permission-also'?: Permission[];
  'x-rate-limit'?: boolean;
  'x-credentials-in-body'?: boolean;
  'x-last-version'?: number;
  'x-deprecation'?: Deprecation;
}

export type PathItem = Extensions & { [method in Method]?: OperationObject };

export interface OpenApiDocument extends Extensions {
  openapi: string;
  info: { title: string; version: string; description?: string };
  servers?: { url: string; description?: string }[];
  tags?: { name: string; description?: string }[];
  security?: SecurityRequirement[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, Schema>;
    parameters?: Record<string, Parameter>;
    headers?: Record<string, Header>;
    responses?: Record<string, Response>;
    requestBodies?: Record<string, RequestBody>;
    securitySchemes?: Record<string, SecurityScheme>;
  };
  'x-unmatched'?: Record<string, Response>;
  'x-parts'?: readonly string[];
}

export type BodyKind = 'json' | 'text' | 'stream';

export const essenceOf = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

export function kindOf(mediaType: string): BodyKind {
  const essence = essenceOf(mediaType);
  if (/[/+]json$/.test(essence)) return 'json';
  return essence.startsWith('text/') ? 'text' : 'stream';
}

/** Returns the most specific of the declared media types and ranges (OpenAPI 3.1, "Media Type Object"). */
export function matchMediaType(declared: readonly string[], mediaType: string): string | undefined {
  const essence = essenceOf(mediaType);
  const wanted = [essence, `${essence.split('/')[0]}/*`, '*/*'];
  return wanted.map((range) => declared.find((type) => essenceOf(type) === range)).find((type) => type !== undefined);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export const isPlain = (value: unknown): value is Record<string, unknown> => isObject(value) && !Array.isArray(value);

export type Keys = readonly (string | number)[];

export const keyOf = (keys: Keys): string => JSON.stringify(keys.map(String));

/** Splits a local reference into its keys (a JSON pointer as a URI fragment; RFC 6901 §6). */
export const keysOf = (reference: string): string[] =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));

export const valueAt = (document: unknown, keys: readonly string[]): unknown =>
  keys.reduce((value, key) => (isObject(value) ? value[key] : undefined), document);

/** Returns the target of a local reference. @throws Error without one */
export function resolveReference(document: unknown, reference: string): unknown {
  const target = valueAt(document, keysOf(reference));
  if (!reference.startsWith('#/') || target === undefined) throw new Error(`Unresolved reference: ${reference}`);
  return target;
}

/** Copies a value, and replaces the references that `follow` accepts by their targets. Shared parts are copied once. */
export function dereference(document: unknown, node: unknown, follow: (reference: string) => boolean): unknown {
  const copies = new Map<object, unknown>();
  const visiting = new Set<string>();
  function copy(value: unknown): unknown {
    if (!isObject(value)) return value;
    if (!copies.has(value)) copies.set(value, copyMembers(value));
    return copies.get(value);
  }
  function copyMembers(value: Record<string, unknown>): unknown {
    if (Array.isArray(value)) return value.map(copy);
    const reference = value['$ref'];
    if (typeof reference === 'string' && follow(reference)) {
      if (visiting.has(reference)) throw new Error(`Circular reference: ${reference}`);
      visiting.add(reference);
      const target = copy(resolveReference(document, reference));
      visiting.delete(reference);
      return target;
    }
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)]));
  }
  return copy(node);
}
