import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Failure } from '../calls/errors.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import { failureHeaders, problem } from '../http/failures.js';
import { MEDIA_TYPE } from '../http/problems.js';
import type { Names } from '../names.js';

interface SheddingOptions {
  /** The address that answers 200 whatever happens, and how it says so. */
  graphql: { path: string; mediaType: (accept: string | undefined) => string; body: (failure: Failure) => object };
  names: Names;
  /** What a page of another origin needs to read the answer. */
  corsHeaders: CrossOrigin['headersFor'];
}

export const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] as string;

/** Answers requests that nobody has looked at, and is quick about it: neither version nor caller is known. */
export function shedding({ graphql, corsHeaders, names }: SheddingOptions) {
  return (request: IncomingMessage, response: ServerResponse, failure: Failure): void => {
    const { method, headers } = request;
    const path = pathOf(request);
    const isGraphql = method === 'POST' && path === graphql.path;
    const body = JSON.stringify(isGraphql ? graphql.body(failure) : problem(failure, path));
    response.writeHead(isGraphql ? 200 : failure.status, {
      ...failureHeaders(failure, names),
      ...corsHeaders(request),
      'cache-control': 'no-store',
      'content-length': Buffer.byteLength(body),
      'content-type': isGraphql ? graphql.mediaType(headers.accept) : MEDIA_TYPE,
      'x-content-type-options': 'nosniff',
      'x-request-id': randomUUID(),
    });
    response.end(method === 'HEAD' ? undefined : body);
  };
}
