import type { IncomingMessage } from 'node:http';
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { OpenApiDocument } from '../contract/document.js';
import { declaredAnswers, type Operation } from '../contract/openapi.js';
import { isLoopbackHost } from '../loopback.js';
import { ownOrigin } from './own-origin.js';
import { varyNotBy } from './vary.js';

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

/** Origins that were refused and told of; who makes origins up fills no log. */
const TOLD = 50;

export interface CrossOrigin {
  /** For @fastify/cors: what holds for a request. */
  optionsFor: (request: FastifyRequest) => FastifyCorsOptions;
  /** Whether what is said at an address depends on the origin that asks. */
  depends: (url: string | undefined) => boolean;
  /** The same for an answer that does not come by way of Fastify. */
  headersFor: (request: Pick<IncomingMessage, 'headers' | 'url'>) => Record<string, string>;
}

export interface CrossOriginSettings {
  /** CORS_ORIGINS: separated by commas; undefined for none. */
  origins: string | undefined;
  production: boolean;
  /** Paths that the pages of every origin may read. */
  open: ReadonlySet<string>;
}

/**
 * Pages of the listed origins may call with a credential of their own in `Authorization`, and outside production those of this
 * machine; all others may not, and none with the cookies of this service, so `Access-Control-Allow-Credentials` is never sent.
 * @param document the contract, whose headers they may read
 * @param all its operations
 */
export function crossOrigin(
  { origins, production, open }: CrossOriginSettings,
  document: OpenApiDocument,
  all: readonly Operation[],
): CrossOrigin {
  const listed = new Set(origins?.split(',').map((one) => one.trim()));
  const exposed = exposedHeaders(document, all);
  const options = { methods: METHODS, exposedHeaders: exposed, maxAge: KEPT };
  const isOpen = (url = '/') => open.has(url.split('?', 1)[0] as string);
  const admits = (origin: string | undefined): origin is string =>
    origin !== undefined && (listed.has(origin) || (!production && isLocal(origin)));
  return {
    optionsFor(request) {
      const { origin } = request.headers;
      // An OPTIONS that is no preflight asks for Allow: its route answers it.
      const preflight = isPreflight(request);
      if (isOpen(request.url)) return { ...options, methods: ['GET', 'HEAD'], origin: '*', preflight };
      return admits(origin) ? { ...options, origin, preflight } : { origin: false };
    },
    depends: (url) => (listed.size > 0 || !production) && !isOpen(url),
    headersFor({ headers: { origin }, url }) {
      const told = { 'access-control-expose-headers': exposed.join(', ') };
      if (isOpen(url)) return { ...told, 'access-control-allow-origin': '*' };
      return admits(origin) ? { ...told, 'access-control-allow-origin': origin, vary: 'Origin' } : {};
    },
  };
}

/** Whether it is one of this machine, of whatever port: where a developer's other programs serve their pages. */
const isLocal = (origin: string): boolean =>
  URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && isLoopbackHost(new URL(origin).hostname);

/** Says once of each origin that its pages were refused, and what would admit them. */
function refusals(app: FastifyInstance, isOwn: (request: FastifyRequest) => boolean) {
  const told = new Set<string>();
  return (request: FastifyRequest): void => {
    const { origin } = request.headers;
    if (origin === undefined || told.has(origin) || told.size >= TOLD) return;
    if (!URL.canParse(origin) || new URL(origin).origin !== origin || isOwn(request)) return;
    told.add(origin);
    app.log.warn({ origin }, 'a page of another origin was refused: CORS_ORIGINS lists the origins that may call');
  };
}

export interface CrossOriginOptions extends Pick<CrossOrigin, 'optionsFor' | 'depends'> {
  /** PUBLIC_URL */
  publicUrl: string | undefined;
}

/** Answers the preflights, and says on every answer who may read it. */
export const crossOriginPlugin = fp<CrossOriginOptions>(
  async (app, { optionsFor, depends, publicUrl }) => {
    const refuse = refusals(app, ownOrigin(publicUrl));
    const delegator = (request: FastifyRequest, done: (error: null, options: FastifyCorsOptions) => void): void => {
      const options = optionsFor(request);
      if (options.origin === false) refuse(request);
      done(null, options);
    };
    app.packageStage('cross-origin', async (scope) => {
      await scope.register(cors, { delegator });
      // The package says so of every answer: caches would keep the contracts, say, once for each page that reads them.
      scope.addHook('onRequest', (request, reply, done) => {
        if (!depends(request.url)) varyNotBy(reply, 'Origin');
        done();
      });
    });
  },
  { name: 'cross-origin', dependencies: ['pipeline'] },
);

/** The question of a browser before a request of a page (Fetch, "CORS-preflight request"). */
export const isPreflight = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
