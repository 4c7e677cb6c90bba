import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyRequest } from 'fastify';

/** What a script of another origin may read besides the safelisted headers (Fetch, "CORS-safelisted response-header name"). */
const EXPOSED = [
  'API-Version',
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Rate-Limit-Limit',
  'X-Rate-Limit-Remaining',
  'X-Rate-Limit-Reset',
  'X-Request-Id',
  'X-Total-Count',
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Seconds that a browser keeps the answer to a preflight. */
const KEPT = 600;

/**
 * Pages of the listed origins may call with a credential of their own in `Authorization`; all others may not, and none
 * with the cookies of this service, so `Access-Control-Allow-Credentials` is never sent.
 * @param origins separated by commas; undefined for none
 */
export function crossOrigin(origins: string | undefined): FastifyCorsOptions {
  const listed = origins?.split(',').map((one) => one.trim());
  if (!listed) return { origin: false };
  const options = { origin: listed, methods: METHODS, exposedHeaders: EXPOSED, maxAge: KEPT };
  // An OPTIONS that is no preflight asks for Allow: its route answers it.
  return { delegator: (request, done) => done(null, { ...options, preflight: isPreflight(request) }) };
}

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
