import type {
  Header,
  OpenApiDocument,
  OperationObject,
  PathItem,
  Response,
} from '@accord-api/platform/contract/document';
import type { GeneratedContract } from '@accord-api/platform/contract/generated';
import { placedOperations } from '@accord-api/platform/contract/openapi';
import { isObject, keysOf, resolveReference, valueAt, withReferences } from '@accord-api/platform/contract/references';
import { stringify } from 'yaml';
import { elementsOf, type Kind } from './elements.js';
import { openApi30 } from './openapi-3.0.js';

/** Members that speak to whoever generates, serves, tests or reviews, and not to whoever calls. */
const OF_THE_WORKBENCH = [
  'x-accepted-breaks',
  'x-automatic',
  'x-bridge',
  'x-coverage',
  'x-credentials-in-body',
  'x-forward',
];

type Referring = { $ref?: string };
type Headers = Record<string, Header & Referring>;
type Responses = Record<string, Response & Referring>;

/** Takes out of a document the members that are the workbench's. */
function withoutWorkbench(document: OpenApiDocument): void {
  for (const { object } of elementsOf(document)) for (const name of OF_THE_WORKBENCH) delete object[name];
}

/** A header of which each item is a line of its own. No tool but ours takes an array for that: they all expect the line. */
function asLine<One extends Header>(header: One): One {
  const { schema, example } = header as Header & { example?: unknown };
  if (schema?.type !== 'array' || !isObject(schema.items)) return header;
  return { ...header, schema: schema.items, ...(Array.isArray(example) && { example: example[0] }) };
}

/** `Set-Cookie` as one line, where responses say it and where it is a component. */
function withCookieLines(document: OpenApiDocument): void {
  const inOperations = placedOperations(document).map(({ operation }) => operation.responses);
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

/** The components that something refers to, at any depth, by their references. */
function reached(document: OpenApiDocument, value: unknown, found = new Set<string>()): Set<string> {
  if (!isObject(value)) return found;
  const reference = value['$ref'];
  if (typeof reference === 'string' && reference.startsWith('#/') && !found.has(reference)) {
    found.add(reference);
    reached(document, valueAt(document, keysOf(reference)), found);
  }
  for (const member of Object.values(value)) reached(document, member, found);
  return found;
}

function withoutWriteOnly(whole: unknown, kind: Kind): void {
  for (const { object } of elementsOf(whole, kind)) if (object.writeOnly === true) delete object.writeOnly;
}

/**
 * `writeOnly` tells what of a schema is missing when it is answered. Where none is answered it tells nothing, and generators make two
 * types of one: there it is left out.
 */
function withWriteOnlyWhereAnswered(document: OpenApiDocument): void {
  const operations = placedOperations(document).map(({ operation }) => operation);
  const answered = reached(document, [
    // What the service sends by itself is an answer to those who take it.
    operations.map(({ responses, ...more }) => [responses, 'callbacks' in more && more.callbacks]),
    'webhooks' in document && document.webhooks,
    document['x-unmatched'],
    document.components?.responses,
  ]);
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {}))
    if (!answered.has(`#/components/schemas/${name}`)) withoutWriteOnly(schema, 'schema');
  for (const { requestBody } of operations) withoutWriteOnly(requestBody, 'body');
  for (const body of Object.values(document.components?.requestBodies ?? {})) withoutWriteOnly(body, 'body');
}

/**
 * What of a contract concerns those who call: without the members that are the workbench's, and with `Set-Cookie` and `writeOnly` as
 * tools take them. References stay.
 * @param document complete (`completed`); it is left as it is
 */
export function publicPart(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  withoutWorkbench(copy);
  withCookieLines(copy);
  withWriteOnlyWhereAnswered(copy);
  return copy;
}

/** The order in which an operation is read: what it is, who may, what it takes, what it answers. */
const ORDER = [
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

const placeOf = (name: string): number => {
  const found = ORDER.findIndex((one) => (one === 'x-' ? name.startsWith(one) : name === one));
  return found < 0 ? ORDER.length : found;
};

const isSuccess = (status: string): boolean => /^[123]/.test(status);

/** Its answers by status, the successes written out: generators do not follow a reference to what they make a type of. */
function answersOf(document: OpenApiDocument, responses: Responses): Responses {
  const written = Object.entries(responses).map(([status, response]) => [
    status,
    isSuccess(status) && response.$ref !== undefined ? resolveReference(document, response.$ref) : response,
  ]);
  return Object.fromEntries(written) as Responses;
}

function explicit(document: OpenApiDocument, operation: OperationObject): OperationObject {
  const security = operation.security ?? document.security;
  const whole = {
    ...operation,
    ...(security !== undefined && { security }),
    responses: answersOf(document, operation.responses),
  };
  return Object.fromEntries(
    Object.entries(whole).sort(([one], [other]) => placeOf(one) - placeOf(other)),
  ) as unknown as OperationObject;
}

/** Components that are written out in `x-unmatched` where no operation has need of them: linters do not look there, and call them unused. */
const WRITTEN_OUT = ['headers', 'responses'] as const;
const isWrittenOut = (reference: string): boolean =>
  WRITTEN_OUT.some((kind) => reference.startsWith(`#/components/${kind}/`));

/**
 * The contract as it is published, in which each operation says by itself all that holds for it: every answer and header, and who it
 * takes. Derived here and nowhere else.
 * @param document complete (`completed`); it is left as it is
 */
export function publishedEdition(document: OpenApiDocument): OpenApiDocument {
  // How severe a change is, is said to those who review it.
  const { security, components, 'x-severity': _severity, ...part } = publicPart(document);
  const source = { ...part, security, components } as OpenApiDocument;
  const paths = Object.fromEntries(
    Object.entries(part.paths ?? {}).map(([path, item]) => [path, { ...item }]),
  ) as Record<string, PathItem>;
  for (const { path, method, operation } of placedOperations(part)) {
    (paths[path] as PathItem)[method] = explicit(source, operation);
  }
  if (components === undefined) return { ...source, paths };
  const used = reached(source, [paths, 'webhooks' in part && part.webhooks]);
  const unmatched = withReferences(source, part['x-unmatched'], (one) => isWrittenOut(one) && !used.has(one));
  const kept = WRITTEN_OUT.filter((kind) => components[kind] !== undefined).map((kind) => [
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

/** Formats a value as YAML for people, without aliases. */
const yamlOf = (value: unknown): string =>
  stringify(value, { lineWidth: 0, blockQuote: 'literal', singleQuote: true, aliasDuplicateObjects: false });

/** The members of a document around its `servers`. */
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
      .map((one) => `\n${one}`)
      .join(''),
  ];
}

/** Returns the texts of the published edition for a service, which adds its own address as the first of the servers. */
export function editionTexts(document: OpenApiDocument): Pick<GeneratedContract, 'editions' | 'servers'> {
  const edition = publishedEdition(document);
  return {
    editions: { yaml: yamlParts(edition), json: jsonParts(edition), json30: jsonParts(openApi30(edition)) },
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
