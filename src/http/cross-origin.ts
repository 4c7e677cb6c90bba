import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyRequest } from 'fastify';
import type { OpenApiDocument } from '../contract/document.js';
import { operations } from '../contract/openapi.js';

/** What a script of another origin may read anyway (Fetch, "CORS-safelisted response-header name"), and may never read. */
const SAFELISTED = new Set([
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
]);
const FORBIDDEN = 'set-cookie';

/** All headers that the contract declares of any answer, and those that it says a deprecated operation sends. */
function declaredHeaders(document: OpenApiDocument): string[] {
  const all = operations(document);
  const answers = [...all.map(({ operation }) => operation.responses), document['x-unmatched'] ?? {}];
  const names = answers.flatMap((responses) =>
    Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
  const deprecation = all.some(({ deprecated }) => deprecated) ? ['Deprecation', 'Link', 'Sunset'] : [];
  return [...new Set([...names, ...deprecation])].sort();
}

const exposedHeaders = (document: OpenApiDocument): string[] =>
  declaredHeaders(document).filter((name) => !SAFELISTED.has(name.toLowerCase()) && name.toLowerCase() !== FORBIDDEN);

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Seconds that a browser keeps the answer to a preflight. */
const KEPT = 600;

/**
 * Pages of the listed origins may call with a credential of their own in `Authorization`; all others may not, and none
 * with the cookies of this service, so `Access-Control-Allow-Credentials` is never sent.
 * @param origins separated by commas; undefined for none
 * @param document the contract, whose headers they may read
 */
export function crossOrigin(origins: string | undefined, document: OpenApiDocument): FastifyCorsOptions {
  const listed = origins?.split(',').map((one) => one.trim());
  if (!listed) return { origin: false };
  const options = { origin: listed, methods: METHODS, exposedHeaders: exposedHeaders(document), maxAge: KEPT };
  // An OPTIONS that is no preflight asks for Allow: its route answers it.
  return { delegator: (request, done) => done(null, { ...options, preflight: isPreflight(request) }) };
}

/** The same for an answer that does not come by way of Fastify. */
export function crossOriginHeaders(origins: string | undefined, document: OpenApiDocument) {
  const listed = new Set(origins?.split(',').map((one) => one.trim()));
  const exposed = exposedHeaders(document).join(', ');
  return (origin: string | undefined): Record<string, string> =>
    origin !== undefined && listed.has(origin)
      ? { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed, vary: 'Origin' }
      : {};
}

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
