/**
 * The shape of `openapi.yaml` once it is loaded: OpenAPI 3.1 with the conventions of this repository, and with every
 * reference followed but those to schemas. Only the members that the workbench and the transports read are named.
 *
 * @see https://spec.openapis.org/oas/v3.1.0
 */
export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'] as const;

export type Method = (typeof METHODS)[number];
export type Location = 'path' | 'query' | 'header' | 'cookie';
export type Extensions = { [extension: `x-${string}`]: unknown };

/** A JSON Schema (draft 2020-12) as an object; `true` and `false` occur only inside one. */
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
  deprecated?: boolean;
  /** How its text is written, together with `explode`; by the place where it is left out. */
  style?: string;
  explode?: boolean;
  allowEmptyValue?: boolean;
  schema?: Schema;
  /** In place of a schema: one media type. */
  content?: Record<string, MediaType>;
  example?: unknown;
  examples?: Record<string, { summary?: string; value?: unknown }>;
}

export interface Header extends Extensions {
  description?: string;
  required?: boolean;
  schema?: Schema;
}

export interface RequestBody extends Extensions {
  description?: string;
  required?: boolean;
  content: Record<string, MediaType>;
}

export interface Response extends Extensions {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, MediaType>;
}

/** Alternatives of one another; the schemes within one must all be met. `{}` is: without any. */
export type SecurityRequirement = Record<string, string[]>;

export type SecurityScheme = Extensions &
  ({ type: 'http'; scheme: string; bearerFormat?: string } | { type: 'apiKey'; name: string; in: Location });

/** How far a role reaches: not at all, to what is its own, or to anyone's. */
export type Reach = 'none' | 'own' | 'any';

/** Who may do it (`x-permission`). `when` says in prose what makes a further permission (`x-permission-also`) apply. */
export interface Permission {
  action: string;
  when?: string;
  /** How far each role reaches, by its name. */
  [role: string]: Reach | string | undefined;
}

/** The roles that a permission names, in its order: every member that says neither what is done nor when. */
export const rolesIn = (permission: object): string[] =>
  Object.keys(permission).filter((name) => name !== 'action' && name !== 'when');

/** Since when a deprecated operation is, from when it may stop answering (both ISO 8601), and where to read what to use. */
interface Deprecation {
  since: string;
  sunset: string;
  link: string;
  /** The operationId of what to use instead, or `none`. */
  successor?: string;
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
  /** The last version that has it, for one that newer versions do without. */
  'x-last-version'?: number;
  'x-deprecation'?: Deprecation;
  /** The service behind this one that carries it out, by name; and where it stands there, if elsewhere than here. */
  'x-forward'?: string | { to: string; path?: string };
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
}

/** How a body is read: parsed, as a string, or piece by piece as it comes. */
export type BodyKind = 'json' | 'text' | 'stream';

/** A media type without its parameters. */
export const essenceOf = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

/** How a body of a media type is read, or one of a range such as `image/*`. */
export function kindOf(mediaType: string): BodyKind {
  const essence = essenceOf(mediaType);
  if (/[/+]json$/.test(essence)) return 'json';
  return essence.startsWith('text/') ? 'text' : 'stream';
}

/** @returns of declared media types and ranges, the one that says most of a type (OpenAPI 3.1, "Media Type Object") */
export function declaredFor(declared: readonly string[], mediaType: string): string | undefined {
  const essence = essenceOf(mediaType);
  const wanted = [essence, `${essence.split('/')[0]}/*`, '*/*'];
  return wanted.map((one) => declared.find((each) => essenceOf(each) === one)).find((one) => one !== undefined);
}
