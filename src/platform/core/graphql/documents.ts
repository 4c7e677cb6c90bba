/** Reads the operations of a GraphQL request, finds their documents, and counts the shares of the cache. @module */

import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ASTNode,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  parse,
  type SourceLocation,
  validate,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { Failure } from '../calls/errors.js';
import { isPlain } from '../contract/document.js';
import { issueFailure, missingName } from '../http/messages.js';
import type { Weight } from '../stages.js';
import { MAX_ERRORS } from './operation-check.js';

/** One operation in the body of a POST (GraphQL over HTTP, "Request Parameters"). */
export interface OperationRequest {
  query?: string;
  /** The hash or the registered id of a persisted document. */
  id?: string;
  variables?: Record<string, unknown>;
  operationName?: string;
}

const MEMBERS = ['query', 'variables', 'operationName', 'extensions', 'documentId'];

const bad = (message: string) => new Failure('BAD_REQUEST', message);

/**
 * Reads one operation or a batch. @throws Failure BAD_REQUEST for another form, an empty batch, or a batch that is too
 * long
 */
export function readBody(body: unknown, maxBatch: number): OperationRequest[] {
  if (!Array.isArray(body)) return [readOperation(body)];
  if (body.length === 0) throw bad('The batch is empty. Send at least one operation.');
  if (body.length > maxBatch) throw bad(`A batch must have at most ${maxBatch} operations; it has ${body.length}.`);
  return body.map(readOperation);
}

function readOperation(body: unknown): OperationRequest {
  if (!isPlain(body)) throw bad('The body must be a JSON object with the member `query`.');
  const { query, documentId, variables, operationName, extensions } = body;
  if (variables != null && !isPlain(variables)) throw bad('`variables` must be an object.');
  if (operationName != null && typeof operationName !== 'string') throw bad('`operationName` must be a string.');
  if (extensions != null && !isPlain(extensions)) throw bad('`extensions` must be an object.');
  const id = readId(documentId, extensions?.['persistedQuery']);
  if (query == null && id === undefined) {
    const detail = missingName('query', { known: MEMBERS, required: ['query'], given: Object.keys(body) });
    throw issueFailure('BAD_REQUEST', { issues: [{ pointer: '/query', detail }] });
  }
  if (query != null && typeof query !== 'string') throw bad('`query` must be a string.');
  return Object.assign(
    {},
    typeof query === 'string' && { query },
    id !== undefined && { id },
    variables != null && { variables },
    operationName != null && { operationName },
  );
}

function readId(documentId: unknown, persisted: unknown): string | undefined {
  if (documentId != null) {
    if (typeof documentId !== 'string') throw bad('`documentId` must be a string.');
    return documentId.replace(/^sha256:/, '');
  }
  if (persisted == null) return undefined;
  if (!isPlain(persisted) || persisted['version'] !== 1 || typeof persisted['sha256Hash'] !== 'string') {
    throw bad('`extensions.persistedQuery` must have `version` 1 and a `sha256Hash`.');
  }
  return persisted['sha256Hash'];
}

const BYTES_PER_UNIT = 1024;

/** Returns the weight for the rate limit. A persisted document counted when it was sent. */
export function weightOf(operations: readonly OperationRequest[]): Weight {
  const costs = operations.map(({ query = '' }) => Math.max(1, Math.ceil(Buffer.byteLength(query) / BYTES_PER_UNIT)));
  return { operations: operations.length, cost: costs.reduce((sum, cost) => sum + cost, 0) };
}

export interface Documents {
  /** @throws Failure BAD_REQUEST without a text, or for a document that is not registered */
  textOf: (request: OperationRequest) => string;
  /** Stores a valid document of an authenticated caller. */
  ran: (request: OperationRequest, text: string) => void;
}

export const documentHash = (text: string): string => hash('sha256', text);

const MAX_PERSISTED_CHARACTERS = 8 * 1024 * 1024;

/** Automatic persisted queries require this message, to which the client replies with the text. */
const notFound = () => new Failure('BAD_REQUEST', 'PersistedQueryNotFound');

export function anyDocument(): Documents {
  const known = new LRUCache<string, string>({
    maxSize: MAX_PERSISTED_CHARACTERS,
    sizeCalculation: (text) => text.length + 1,
  });
  return {
    textOf({ query, id }) {
      const text = query ?? known.get(id as string);
      if (text === undefined) throw notFound();
      if (query !== undefined && id !== undefined && documentHash(query) !== id)
        throw new Failure('BAD_REQUEST', '`sha256Hash` must be the SHA-256 of `query`.');
      return text;
    },
    ran({ id }, text) {
      if (id !== undefined) known.set(id, text);
    },
  };
}

/** Allows registered documents, by id, hash or text. @param registered texts by id */
export function trustedDocuments(registered: ReadonlyMap<string, string>): Documents {
  const texts = new Map([...registered.values()].map((text) => [documentHash(text), text]));
  return {
    textOf({ query, id }) {
      if (query !== undefined) {
        if (texts.has(documentHash(query))) return query;
        throw new Failure('BAD_REQUEST', 'Only registered documents run here. Register this one, or ask the operator.');
      }
      const text = registered.get(id as string) ?? texts.get(id as string);
      if (text === undefined) throw notFound();
      return text;
    },
    ran() {},
  };
}

/**
 * Reads registered documents: `.graphql` and `.gql` files (with the hash as id), JSON manifests, or folders of both. A
 * manifest maps ids to texts (graphql-codegen's client preset), or is Apollo's operation manifest.
 * @returns texts by id
 * @throws Error that names the file
 */
export function readTrusted(paths: readonly string[], schema: GraphQLSchema): Map<string, string> {
  const manifest = new Map<string, string>();
  for (const file of paths.flatMap(filesAt)) {
    try {
      for (const [id, text] of documentsIn(file)) {
        const [error] = validate(schema, parse(text));
        if (error) throw error;
        manifest.set(id, text);
      }
    } catch (error) {
      throw new Error(`${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
  return manifest;
}

const isDocument = (name: string) => /\.(graphql|gql)$/.test(name);

function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => isDocument(name) || name.endsWith('.json'))
    .sort()
    .map((name) => join(path, name));
}

function documentsIn(file: string): [id: string, text: string][] {
  const content = readFileSync(file, 'utf8');
  if (isDocument(file)) return [[documentHash(content), content]];
  const json = JSON.parse(content) as { operations?: { id: string; body: string }[] } | null;
  const entries: [string, string][] = Array.isArray(json?.operations)
    ? json.operations.map(({ id, body }) => [id, body])
    : Object.entries((json ?? {}) as Record<string, string>);
  const isManifest = json !== null && entries.every((entry) => entry.every((part) => typeof part === 'string'));
  if (!isManifest) throw new Error('is not an object from ids to documents');
  return entries;
}

const locations = new WeakMap<ASTNode, SourceLocation>();
const texts = new WeakMap<DocumentNode, string>();

/**
 * Stores the text of a parsed document and the locations of its nodes, and removes the tokens from it. graphql-js would
 * compute each location from the start of the text, and a field of a list can fail thousands of times.
 */
export function storeLocations(document: DocumentNode): void {
  texts.set(document, document.loc?.source.body ?? '');
  visit(document, {
    enter(node) {
      if (node.kind !== Kind.DOCUMENT && node.loc) {
        const { line, column } = node.loc.startToken;
        locations.set(node, { line, column });
      }
      Object.assign(node, { loc: undefined });
    },
  });
}

export function locationsOf(error: GraphQLError): readonly SourceLocation[] | undefined {
  const found = error.locations ?? (error.nodes ?? []).flatMap((node) => locations.get(node) ?? []);
  return found.length > 0 ? found : undefined;
}

export const textOf = (document: DocumentNode): string => texts.get(document) ?? '';

export const MAX_CACHED_DOCUMENTS = 4096;
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
const MAX_BYTES_OF_CALLER = MAX_CACHED_BYTES / 8;

/** 150 to 410 bytes without the tokens, depending on the shape of the document. */
const BYTES_PER_TOKEN = 420;
/** mercurius caches errors, too. Each can quote a name that is as long as the text. */
const BYTES_PER_CHARACTER = 2 + MAX_ERRORS;

/** Shares a cache of documents among callers, so that one caller cannot empty it for all. @param empty empties the cache */
export function documentShares(empty: () => void) {
  const cached = new Set<string>();
  const bytesOf = new Map<number, number>();
  let total = 0;
  return {
    /** Returns true for a cached document, and for a new one of a caller whose share is not used up. */
    has: (text: string, caller: number): boolean =>
      cached.has(text) || (bytesOf.get(caller) ?? 0) < MAX_BYTES_OF_CALLER,

    add(text: string, caller: number, tokens: number): void {
      if (cached.has(text)) return;
      const bytes = Math.max(
        tokens * BYTES_PER_TOKEN + text.length * BYTES_PER_CHARACTER,
        MAX_CACHED_BYTES / MAX_CACHED_DOCUMENTS,
      );
      if (total + bytes > MAX_CACHED_BYTES) {
        empty();
        cached.clear();
        bytesOf.clear();
        total = 0;
      }
      cached.add(text);
      bytesOf.set(caller, (bytesOf.get(caller) ?? 0) + bytes);
      total += bytes;
    },
  };
}

/** The functions of graphql for SDL, loaded on demand. A bundle loses the names of `import('graphql')`. */
export { buildSchema, introspectionFromSchema } from 'graphql';

/** Replaces a document by one of the same text among `documents`. The cache may have dropped it. */
export function withOwnDocument<Prepared extends { document: DocumentNode; operationName?: string | undefined }>(
  prepared: Prepared,
  documents: Iterable<{ document: DocumentNode }>,
): Prepared {
  const text = textOf(prepared.document);
  const document = [...documents].find((document) => textOf(document.document) === text)?.document;
  const operation = document && getOperationAST(document, prepared.operationName);
  return operation ? Object.assign({}, prepared, { document, operation }) : prepared;
}

/** Counts the tokens of different documents. */
export const tokensOfAll = (...documents: DocumentNode[]): number =>
  [...new Set(documents)].reduce((sum, { tokenCount = 0 }) => sum + tokenCount, 0);
