/** Creates the published edition of the REST contract for clients, without the extensions of the workbench. Code generation calls it. @module */

import {
  dereference,
  type Header,
  isObject,
  keysOf,
  type OpenApiDocument,
  type OperationObject,
  type PathItem,
  type Response,
  resolveReference,
  valueAt,
} from '@accord-api/platform/contract/document';
import { operationEntries } from '@accord-api/platform/contract/openapi';
import type { GeneratedContract } from '@accord-api/platform/contract/project-files';
import { stringify } from 'yaml';
import { type ElementKind, elementsOf } from './elements.js';

const INTERNAL_MEMBERS = [
  'x-accepted-breaks',
  'x-automatic',
  'x-bridge',
  'x-coverage',
  'x-credentials-in-body',
  'x-parts',
];

type Referring = { $ref?: string };
type Headers = Record<string, Header & Referring>;
type Responses = Record<string, Response & Referring>;

/** Replaces a header that is a list of lines by one line, as other tools describe it. */
function asLine<One extends Header>(header: One): One {
  const { schema, example } = header as Header & { example?: unknown };
  if (schema?.type !== 'array' || !isObject(schema.items)) return header;
  return { ...header, schema: schema.items, ...(Array.isArray(example) && { example: example[0] }) };
}

function rewriteCookies(document: OpenApiDocument): void {
  const inOperations = operationEntries(document).map(({ operation }) => operation.responses);
  const all = [...inOperations, document.components?.responses, document['x-unmatched']] as (Responses | undefined)[];
  const components = document.components?.headers as Headers | undefined;
  for (const { headers } of all.flatMap((responses) => Object.values(responses ?? {}))) {
    for (const [name, header] of Object.entries((headers ?? {}) as Headers)) {
      if (name.toLowerCase() !== 'set-cookie') continue;
      const component = header.$ref === undefined ? undefined : (keysOf(header.$ref).at(-1) as string);
      if (component === undefined) (headers as Headers)[name] = asLine(header);
      else if (components?.[component] !== undefined) components[component] = asLine(components[component]);
    }
  }
}

/** Returns the references in a value and in their targets. */
function referencesIn(document: OpenApiDocument, value: unknown, found = new Set<string>()): Set<string> {
  if (!isObject(value)) return found;
  const reference = value['$ref'];
  if (typeof reference === 'string' && reference.startsWith('#/') && !found.has(reference)) {
    found.add(reference);
    referencesIn(document, valueAt(document, keysOf(reference)), found);
  }
  for (const member of Object.values(value)) referencesIn(document, member, found);
  return found;
}

/** Deletes `writeOnly` from schemas that only requests use. There it means nothing, and generators make two types of such a schema. */
function deleteIdleWriteOnly(document: OpenApiDocument): void {
  const deleteIn = (value: unknown, kind: ElementKind) => {
    for (const { object } of elementsOf(value, kind)) if (object.writeOnly === true) delete object.writeOnly;
  };
  const operations = operationEntries(document).map(({ operation }) => operation);
  // The receiver of a webhook or a callback reads it as a response.
  const sent = referencesIn(document, [
    operations.map(({ responses, ...more }) => [responses, 'callbacks' in more && more.callbacks]),
    'webhooks' in document && document.webhooks,
    document['x-unmatched'],
    document.components?.responses,
  ]);
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {}))
    if (!sent.has(`#/components/schemas/${name}`)) deleteIn(schema, 'schema');
  for (const { requestBody } of operations) deleteIn(requestBody, 'body');
  for (const body of Object.values(document.components?.requestBodies ?? {})) deleteIn(body, 'body');
}

/**
 * Returns a copy of a contract for clients: without internal members, and with `Set-Cookie` and `writeOnly` as other tools expect them.
 * References stay.
 * @param document with its `x-defaults` applied
 */
export function publicPart(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  for (const { object } of elementsOf(copy)) for (const name of INTERNAL_MEMBERS) delete object[name];
  rewriteCookies(copy);
  deleteIdleWriteOnly(copy);
  return copy;
}

const MEMBER_ORDER = [
  'operationId',
  'tags',
  'summary',
  'description',
  'deprecated',
  'security',
  'x-',
  'parameters',
  'requestBody',
];

const rankOf = (name: string): number => {
  const found = MEMBER_ORDER.findIndex((prefix) => (prefix === 'x-' ? name.startsWith(prefix) : name === prefix));
  return found < 0 ? MEMBER_ORDER.length : found;
};

/** Returns an operation with its security, and with successful responses instead of references, which generators do not follow. */
function explicit(document: OpenApiDocument, operation: OperationObject): OperationObject {
  const security = operation.security ?? document.security;
  const responses = Object.entries(operation.responses as Responses).map(([status, response]) => [
    status,
    /^[123]/.test(status) && response.$ref !== undefined ? resolveReference(document, response.$ref) : response,
  ]);
  const whole = {
    ...operation,
    ...(security !== undefined && { security }),
    responses: Object.fromEntries(responses) as Responses,
  };
  return Object.fromEntries(
    Object.entries(whole).sort(([a], [b]) => rankOf(a) - rankOf(b)),
  ) as unknown as OperationObject;
}

/** If only `x-unmatched` uses such a component, it is inlined there: linters would call the component unused. */
const INLINED = ['headers', 'responses'] as const;
const isInlined = (reference: string): boolean => INLINED.some((kind) => reference.startsWith(`#/components/${kind}/`));

/**
 * Returns the published contract, in which each operation states all of its responses, headers and security.
 * @param document with its `x-defaults` applied
 */
export function publishedEdition(document: OpenApiDocument): OpenApiDocument {
  const { security, components, 'x-severity': _severity, ...part } = publicPart(document);
  const source = { ...part, security, components } as OpenApiDocument;
  const paths = Object.fromEntries(
    Object.entries(part.paths ?? {}).map(([path, item]) => [path, { ...item }]),
  ) as Record<string, PathItem>;
  for (const { path, method, operation } of operationEntries(part)) {
    (paths[path] as PathItem)[method] = explicit(source, operation);
  }
  if (components === undefined) return { ...source, paths };
  const used = referencesIn(source, [paths, 'webhooks' in part && part.webhooks]);
  const unmatched = dereference(source, part['x-unmatched'], ($ref) => isInlined($ref) && !used.has($ref));
  const kept = INLINED.filter((kind) => components[kind] !== undefined).map((kind) => [
    kind,
    Object.fromEntries(
      Object.entries(components[kind] ?? {}).filter(([name]) => used.has(`#/components/${kind}/${name}`)),
    ),
  ]);
  return {
    ...part,
    ...(part['x-unmatched'] && { 'x-unmatched': unmatched as Responses }),
    paths,
    components: { ...components, ...Object.fromEntries(kept) },
  };
}

const isLocal = (url: string): boolean => /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/.test(url);

const yamlOf = (value: unknown): string =>
  stringify(value, { lineWidth: 0, blockQuote: 'literal', singleQuote: true, aliasDuplicateObjects: false });

function around({ openapi, info, servers: _servers, ...after }: Record<string, unknown>) {
  return { before: { openapi, info }, after };
}

function jsonParts(document: object): readonly [string, string] {
  const { before, after } = around(document as Record<string, unknown>);
  return [`${JSON.stringify(before).slice(0, -1)},"servers":`, `,${JSON.stringify(after).slice(1)}`];
}

function yamlParts(document: object): readonly [string, string] {
  const { before, after } = around(document as Record<string, unknown>);
  const text = (members: object) => Object.entries(members).map(([name, value]) => yamlOf({ [name]: value }));
  return [
    `${text(before).join('\n')}\n`,
    text(after)
      .map((line) => `\n${line}`)
      .join(''),
  ];
}

/** Returns the texts of the published edition for a service, which adds its own address as the first of the servers. */
export function editionTexts(document: OpenApiDocument): Pick<GeneratedContract, 'editions' | 'servers'> {
  const edition = publishedEdition(document);
  return {
    editions: { yaml: yamlParts(edition), json: jsonParts(edition) },
    servers: (edition.servers ?? [])
      .filter(({ url }) => !isLocal(url))
      .map((server) => ({ server, yaml: yamlOf({ servers: [server] }).replace('servers:\n', '') })),
  };
}

/** Returns the published edition as one YAML document, with the servers of the contract. */
export function publishedYaml(document: OpenApiDocument): string {
  const [before, after] = yamlParts(publishedEdition(document));
  return before + yamlOf({ servers: document.servers ?? [] }) + after;
}
