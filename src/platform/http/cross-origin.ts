import type { IncomingMessage } from 'node:http';
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import fp from 'fastify-plugin';
import type { OpenApiDocument } from '../contract/document.js';
import { declaredAnswers, type Operation } from '../contract/openapi.js';

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
function declaredHeaders(document: OpenApiDocument, all: readonly Operation[]): string[] {
  const names = declaredAnswers(document, all).flatMap((responses) =>
    Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
  const deprecation = all.some(({ deprecated }) => deprecated) ? ['Deprecation', 'Link', 'Sunset'] : [];
  return [...new Set([...names, ...deprecation])].sort();
}

const exposedHeaders = (document: OpenApiDocument, all: readonly Operation[]): string[] =>
  declaredHeaders(document, all).filter(
    (name) => !SAFELISTED.has(name.toLowerCase()) && name.toLowerCase() !== FORBIDDEN,
  );

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Seconds that a browser keeps the answer to a preflight. */
const KEPT = 600;

export interface CrossOrigin {
  /** For @fastify/cors. */
  options: FastifyCorsOptions;
  /** The same for an answer that does not come by way of Fastify. */
  headersFor: (origin: string | undefined) => Record<string, string>;
}

/**
 * Pages of the listed origins may call with a credential of their own in `Authorization`; all others may not, and none
 * with the cookies of this service, so `Access-Control-Allow-Credentials` is never sent.
 * @param origins separated by commas; undefined for none
 * @param document the contract, whose headers they may read
 * @param all its operations
 */
export function crossOrigin(
  origins: string | undefined,
  document: OpenApiDocument,
  all: readonly Operation[],
): CrossOrigin {
  const listed = origins?.split(',').map((one) => one.trim());
  if (!listed) return { options: { origin: false }, headersFor: () => ({}) };
  const exposed = exposedHeaders(document, all);
  const options = { origin: listed, methods: METHODS, exposedHeaders: exposed, maxAge: KEPT };
  const told = { 'access-control-expose-headers': exposed.join(', '), vary: 'Origin' };
  return {
    // An OPTIONS that is no preflight asks for Allow: its route answers it.
    options: { delegator: (request, done) => done(null, { ...options, preflight: isPreflight(request) }) },
    headersFor: (origin) =>
      origin !== undefined && listed.includes(origin) ? { 'access-control-allow-origin': origin, ...told } : {},
  };
}

/** Answers the preflights, and says on every answer who may read it. */
export const crossOriginPlugin = fp<Pick<CrossOrigin, 'options'>>(
  async (app, { options }) => {
    app.stage('cross-origin', (scope) => scope.register(cors, options));
  },
  { name: 'cross-origin', dependencies: ['pipeline'] },
);

/** The question of a browser before a request of a page (Fetch, "CORS-preflight request"). */
export const isPreflight = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
