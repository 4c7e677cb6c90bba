import { Kind, parse, print } from 'graphql';
import {
  isObject,
  type OpenApiDocument,
  type Response,
  resolveReference,
  type Schema,
} from '../../src/platform/core/contract/document.js';
import { operationEntries } from '../../src/platform/core/contract/openapi.js';
import { type AnsweringPart, OPERATIONS_OF } from '../../src/platform/core/contract/part-operations.js';
import { readGeneratedContract } from '../../src/platform/core/contract/project-files.js';
import { publishedContracts, type ServedContracts } from '../../src/platform/core/contract/published.js';
import type { PartName } from '../../src/platform/core/order.js';
import { editionTexts } from '../../src/workbench/model/edition.js';
import { PUBLIC_OPERATIONS } from './public-orders.js';

/** Calls a function for each object in a document. */
function visit(node: unknown, change: (node: Record<string, unknown>) => void): void {
  if (!isObject(node)) return;
  change(node);
  for (const member of Object.values(node)) visit(member, change);
}

const isNamed = (node: unknown, members: string): boolean => isObject(node) && members in node;

/** Removes members from every object in a document that contains them under a name: the header `Allow` from `headers`. */
const without =
  (name: 'headers' | 'paths' | 'responses' | 'securitySchemes', ...members: string[]) =>
  (document: OpenApiDocument): void =>
    visit(document, ({ [name]: found }) => {
      for (const member of members) if (isNamed(found, member)) delete (found as Record<string, unknown>)[member];
    });

/** Opens operations to everybody, and removes the others, but for those of the platform. */
const withoutCallers = (opened: readonly string[]) => (document: OpenApiDocument) => {
  delete document.security;
  without('securitySchemes', 'basicAuth', 'opaqueToken', 'jwt', 'cookieAuth')(document);
  for (const { path, method, operation } of operationEntries(document)) {
    const { operationId, tags, responses } = operation;
    if (tags.includes('platform')) continue;
    if (!opened.includes(operationId)) delete document.paths[path]?.[method];
    Object.assign(operation, { security: [], 'x-permission': 'public' });
    // No caller, and no tombstones.
    for (const status of ['401', '410']) delete responses[status];
  }
};

/** Moves the operations of a path to another path, which has no parameters. */
const movedTo = (path: string, from: string) => (document: OpenApiDocument) => {
  const { parameters: _, ...item } = document.paths[from] as Record<string, unknown>;
  delete document.paths[from];
  document.paths[path] = item;
};

/** Removes a mechanism, and the operations that take no other one. */
const withoutScheme = (scheme: string) => (document: OpenApiDocument) => {
  without('securitySchemes', scheme)(document);
  for (const item of Object.values(document.paths))
    for (const [method, operation] of Object.entries(item)) {
      if (!isObject(operation) || !Array.isArray(operation['security'])) continue;
      const others = operation['security'].filter((requirement) => !(scheme in requirement));
      if (others.length === 0 && operation['security'].length > 0) delete (item as Record<string, unknown>)[method];
      else operation['security'] = others;
    }
};

/** Removes the parameters that have a name. */
const withoutParameter = (wanted: string) => (document: OpenApiDocument) => {
  const declared = Object.entries(document.components.parameters ?? {}).filter(([, { name }]) => name === wanted);
  const references = declared.map(([key]) => `#/components/parameters/${key}`);
  for (const [key] of declared) delete document.components.parameters?.[key];
  visit(document.paths, (node) => {
    if (!Array.isArray(node['parameters'])) return;
    node['parameters'] = node['parameters'].filter(({ name, $ref }) => name !== wanted && !references.includes($ref));
  });
};

const withoutPart = (part: PartName) => (document: OpenApiDocument) => {
  document['x-parts'] = document['x-parts']?.filter((name) => name !== part) ?? [];
};

/** Removes a part, and the operations that it answers. */
const withoutOperationsOf = (part: AnsweringPart) => (document: OpenApiDocument) => {
  const names: readonly string[] = OPERATIONS_OF[part];
  withoutPart(part)(document);
  for (const { path, method, operation } of operationEntries(document))
    if (names.includes(operation.operationId)) delete document.paths[path]?.[method];
};

/** Removes 409 from an operation, which answers it only to repeated keys. */
const withoutConflict = (operationId: string) => (document: OpenApiDocument) => {
  const found = operationEntries(document).find(({ operation }) => operation.operationId === operationId);
  delete found?.operation.responses['409'];
};

/** Removes 406 from operations that succeed without a body: they refuse only versions. */
function withoutVersionRefusals(document: OpenApiDocument): void {
  for (const { operation } of operationEntries(document)) {
    const [success] = Object.values(operation.responses) as (Response & Schema)[];
    const response = success?.$ref === undefined ? success : (resolveReference(document, success.$ref) as Response);
    if (response?.content === undefined) delete operation.responses['406'];
  }
}

/** Removes a type of the SDL, as the type of operations too. */
const withoutType = (name: string) => (sdl: string) => {
  const { definitions, ...document } = parse(sdl);
  const kept = definitions.filter((definition) => !('name' in definition && definition.name?.value === name));
  const changed = kept.map((definition) =>
    definition.kind === Kind.SCHEMA_DEFINITION
      ? { ...definition, operationTypes: definition.operationTypes.filter(({ type }) => type.name.value !== name) }
      : definition,
  );
  return print({ ...document, definitions: changed });
};

interface Cut {
  /** Remove what the REST contract says of the part. */
  rest?: ((document: OpenApiDocument) => void)[];
  sdl?: (sdl: string) => string;
}

const RATE_HEADERS = ['Limit', 'Remaining', 'Reset'].map((name) => `X-Rate-Limit-${name}`);

/** The words of the example's contracts that need a part, by part. */
export const CUTS: Record<PartName, Cut> = {
  limits: { rest: [withoutPart('limits'), without('responses', '429'), without('headers', ...RATE_HEADERS)] },
  browsers: {
    rest: [withoutScheme('cookieAuth'), withoutParameter('accord_refresh'), withoutParameter('accord_session')],
  },
  observability: { rest: [withoutScheme('metricsToken'), withoutOperationsOf('observability')] },
  versions: {
    rest: [
      withoutPart('versions'),
      without('headers', 'API-Version'),
      withoutParameter('version'),
      withoutVersionRefusals,
    ],
  },
  pages: {},
  idempotency: { rest: [withoutParameter('Idempotency-Key'), withoutConflict('createOrder')] },
  jobs: { rest: [without('paths', '/api/v1/orders/{order_id}/payment')] },
  live: { sdl: withoutType('Subscription') },
  identity: {
    rest: [
      withoutOperationsOf('identity'),
      withoutCallers(PUBLIC_OPERATIONS),
      withoutParameter('Idempotency-Key'),
      withoutConflict('createOrder'),
      movedTo('/api/v1/orders', '/api/v1/users/{user_id}/orders'),
      without('paths', '/schema.graphql', '/schema.json'),
    ],
    sdl: () => '',
  },
};

/** Returns the contracts of the example without the words that need a part. */
export async function cutContracts({ rest = [], sdl = (text) => text }: Cut): Promise<ServedContracts> {
  const { openapi, schema } = readGeneratedContract();
  const document = structuredClone(openapi);
  for (const cut of rest) cut(document);
  return publishedContracts({ sources: {}, openapi: document, ...editionTexts(document), schema: sdl(schema) });
}
