import { Failure } from '../calls/errors.js';
import { isPlain } from '../contract/document.js';
import { issueFailure, missingName } from '../http/messages.js';
import type { Weight } from '../limits/rate-limit.js';

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
  return {
    ...(typeof query === 'string' && { query }),
    ...(id !== undefined && { id }),
    ...(variables != null && { variables }),
    ...(operationName != null && { operationName }),
  };
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
