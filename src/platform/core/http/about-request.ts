/** Describes a request for the log. @module */

import type { FastifyRequest } from 'fastify';
import { platformCodes } from '../contract/codes.js';
import { isUpgrade, traceOf } from './headers.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** In milliseconds of `performance.now()`. */
    arrivedAt: number;
    /** The GraphQL root fields that were called. */
    fields: Set<string> | null;
    /** The codes of its failures, separated by commas. */
    codes: string | null;
  }
}

/** Returns the facts of a request for its line, and for the line of its failure: no values of the caller but the ids. */
export const aboutRequest = (request: FastifyRequest, status?: number, codes = request.codes): object => ({
  method: request.method,
  ...(isUpgrade(request) && { transport: 'socket' }),
  route: request.route?.url,
  operation:
    request.route?.plan?.operation.operationId ?? (request.fields?.size ? [...request.fields].join() : undefined),
  status,
  code: codes ?? undefined,
  caller: request.actor?.id,
  ms: Math.round((performance.now() - request.arrivedAt) * 10) / 10,
  traceId: traceOf(request.headers)?.traceparent.slice(3, 35),
});

/** The kind of a log line: a fault of the service, a write or a refusal, or a read. */
export type LineKind = 'fault' | 'change' | 'read';

/** GraphQL answers 200, so its codes show a fault. */
const FAULTS: ReadonlySet<string> = new Set(
  Object.entries(platformCodes).flatMap(([code, { status }]) => (status >= 500 ? code : [])),
);
const READS: readonly (string | undefined)[] = ['GET', 'HEAD', 'OPTIONS'];

export function lineKind({ method, codes, fields }: FastifyRequest, status: number): LineKind {
  if (status >= 500 || codes?.split(',').some((code) => FAULTS.has(code))) return 'fault';
  if (status >= 400 || codes !== null) return 'change';
  // A batch has the fields of its operations.
  if (fields !== null) return [...fields].some((field) => field.startsWith('Mutation.')) ? 'change' : 'read';
  return READS.includes(method) ? 'read' : 'change';
}

/** Records the refusals of a request, for the audit table and for its line. */
export function recordRefusals(request: FastifyRequest, failures: readonly string[]): void {
  for (const code of failures) request.server.core.seams.identity.note(code, request);
  if (failures.length > 0) request.codes = [...new Set(failures)].join();
}
