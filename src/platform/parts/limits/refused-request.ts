import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Failure } from '../../core/calls/errors.js';
import { failureResult } from '../../core/graphql/errors.js';
import { mediaTypeFor, PATH } from '../../core/graphql/media-types.js';
import { addressOf, failureHeaders, MEDIA_TYPE, problem } from '../../core/http/failures.js';
import { pathOf, requestIdOf } from '../../core/http/headers.js';

/** Answers a request that Fastify does not get. GraphQL always answers 200. */
export function refuseRequest(
  server: FastifyInstance,
  request: IncomingMessage,
  response: ServerResponse,
  failure: Failure,
): void {
  const { method, headers } = request;
  const path = pathOf(request.url ?? '/');
  const isGraphql = method === 'POST' && path === PATH && server.hasRoute({ method, url: PATH });
  const requestId = requestIdOf(headers);
  const protocol = (request.socket as TLSSocket).encrypted ? 'https' : 'http';
  const context = { address: addressOf({ server, protocol, host: headers.host ?? '' }), requestId };
  const body = JSON.stringify(isGraphql ? failureResult(failure, context) : problem(failure, path, context));
  response.writeHead(isGraphql ? 200 : failure.status, {
    vary: 'Origin',
    ...failureHeaders(failure, server.core.names),
    ...server.core.seams.browsers.corsHeaders(request),
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
    'content-type': isGraphql ? mediaTypeFor(headers.accept) : MEDIA_TYPE,
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  });
  response.end(method === 'HEAD' ? undefined : body);
  server.core.seams.observability.writeLine(server.log, 'change', () => ({
    requestId,
    method,
    status: response.statusCode,
    code: failure.code,
  }));
}
