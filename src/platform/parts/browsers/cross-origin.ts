import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../core/calls/errors.js';
import { isLoopbackHost } from '../../core/calls/networks.js';
import type { OpenApiDocument } from '../../core/contract/document.js';
import { declaredResponses, type RestOperation } from '../../core/contract/openapi.js';
import { addVary, isPreflight } from '../../core/http/headers.js';
import type { StagesOf } from '../../core/stages.js';

/** Headers that scripts of other origins may always read (Fetch, "CORS-safelisted response-header name"), or never. */
const NOT_EXPOSED = new Set([
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
  'set-cookie',
]);

function exposedHeaders(document: OpenApiDocument, all: readonly RestOperation[]): string[] {
  const names = declaredResponses(document, all).flatMap((responses) =>
    Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
  const deprecation = all.some(({ deprecated }) => deprecated) ? ['Deprecation', 'Link', 'Sunset'] : [];
  return [...new Set([...names, ...deprecation])].filter((name) => !NOT_EXPOSED.has(name.toLowerCase())).sort();
}

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const OPEN_METHODS = 'GET, HEAD';
const PREFLIGHT_MAX_AGE_S = '600';
/** Rejected origins in the log. A caller that invents origins must not fill it. */
const MAX_LOGGED_ORIGINS = 50;

type CorsHeaders = Record<string, string>;
export type CrossOrigin = ReturnType<typeof crossOrigin>;

/**
 * Allows the listed origins and, outside production, the origins of this machine. They send `Authorization`. Cookies do
 * not work from other origins, because `Access-Control-Allow-Credentials` is never sent.
 */
export function crossOrigin(
  { origins, production, open }: { origins: string | undefined; production: boolean; open: ReadonlySet<string> },
  document: OpenApiDocument,
  all: readonly RestOperation[],
) {
  const listed = new Set(origins?.split(',').map((origin) => origin.trim()));
  const exposed = exposedHeaders(document, all).join(', ');
  const isOpen = (url = '/') => open.has(url.split('?', 1)[0] as string);
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && (listed.has(origin) || (!production && isLocal(origin)));
  return {
    variesByOrigin: (url: string) => (listed.size > 0 || !production) && !isOpen(url),
    /** Returns undefined for an origin that is not allowed. */
    headersFor({ headers: { origin }, url }: Pick<IncomingMessage, 'headers' | 'url'>): CorsHeaders | undefined {
      const allowed = isOpen(url) ? '*' : isAllowed(origin) ? origin : undefined;
      if (allowed === undefined) return undefined;
      return { 'access-control-allow-origin': allowed, 'access-control-expose-headers': exposed };
    },
    /** Returns the further headers of a preflight. */
    preflightHeaders: ({ url, headers: { 'access-control-request-headers': asked } }: FastifyRequest): CorsHeaders => ({
      'access-control-allow-methods': isOpen(url) ? OPEN_METHODS : METHODS,
      'access-control-max-age': PREFLIGHT_MAX_AGE_S,
      'content-length': '0',
      ...(asked !== undefined && { 'access-control-allow-headers': asked }),
    }),
  };
}

const isLocal = (origin: string): boolean =>
  URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && isLoopbackHost(new URL(origin).hostname);

/**
 * Returns a function that compares `Origin` with the service's own origin.
 * @param publicOrigin undefined for the Host of the request
 */
function ownOrigin(publicOrigin: string | undefined): (request: FastifyRequest) => boolean {
  return ({ headers, host }) => {
    const { origin = '' } = headers;
    if (publicOrigin !== undefined) return origin === publicOrigin;
    if (!URL.canParse(origin)) return false;
    // Unlike Origin, Host may contain the default port.
    const { protocol, host: from } = new URL(origin);
    return URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === from && from !== '';
  };
}

/** Rejects foreign and duplicate hosts, answers preflights, and sets the headers of CORS. */
export function originStages(app: FastifyInstance, { headersFor, preflightHeaders, variesByOrigin }: CrossOrigin) {
  const { publicOrigin } = app.core;
  const isOwn = ownOrigin(publicOrigin);
  const logged = new Set<string>();
  function logRefusal(request: FastifyRequest): void {
    const { origin } = request.headers;
    if (origin === undefined || logged.has(origin) || logged.size >= MAX_LOGGED_ORIGINS) return;
    if (!URL.canParse(origin) || new URL(origin).origin !== origin || isOwn(request)) return;
    logged.add(origin);
    app.log.warn({ origin }, 'a page of another origin was refused: CORS_ORIGINS lists the origins that may call');
  }
  const refuseForeignOrigin = (request: FastifyRequest): void => {
    if (!isOwn(request))
      throw new Failure('FORBIDDEN', "A write with a cookie must come from the service's own origin.");
  };
  const stages = {
    'foreign-host': () => refuseForeignHost(publicOrigin),
    'cross-origin': () => (request, reply) => {
      if (variesByOrigin(request.url)) addVary(reply, 'Origin');
      const allowed = headersFor(request);
      if (!allowed) return logRefusal(request);
      reply.headers(allowed);
      if (!isPreflight(request)) return;
      addVary(reply, 'Access-Control-Request-Headers');
      return reply.code(204).headers(preflightHeaders(request)).send();
    },
    'own-origin': ({ writes }) =>
      writes
        ? ({ request }) => {
            if (request.actor?.mechanism === 'cookieAuth') refuseForeignOrigin(request);
          }
        : undefined,
  } satisfies Partial<StagesOf<'browsers'>>;
  return { stages, seam: { refuseForeignOrigin, corsHeaders: headersFor } };
}

/** A host with an optional port, without characters that URL parsers treat as a user or a path. */
const NAME_AND_PORT = /^(\[[\da-f:.]+\]|[^\s:@/?#\\[\]]+)(?::\d*)?$/i;

/**
 * Returns true if a browser sent a request. A page that rebinds its name gets no Sec-Fetch-* (Fetch Metadata §2) and no
 * Origin with a GET, but browsers always send Accept-Language. Node's `fetch` sends it with Sec-Fetch-Mode.
 */
function isBrowserRequest({ headers }: FastifyRequest): boolean {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return true;
  return headers['accept-language'] !== undefined && headers['sec-fetch-mode'] === undefined;
}

/**
 * Protects a demo, whose credentials are public, from DNS rebinding.
 * @throws Failure FORBIDDEN for a browser that uses a host other than loopback, that of PUBLIC_URL, or their version
 *   subdomains
 */
function refuseForeignHost(publicOrigin: string | undefined) {
  const published = publicOrigin === undefined ? undefined : new URL(publicOrigin).hostname;
  const isOwn = (host: unknown) => {
    const name = NAME_AND_PORT.exec(String(host))?.[1]?.toLowerCase() ?? '';
    return [name, name.replace(/^v\d+\./, '')].some((host) => isLoopbackHost(host) || host === published);
  };
  return (request: FastifyRequest): void => {
    if (!isBrowserRequest(request)) return;
    if (!isOwn(request.headers.host)) {
      throw new Failure('FORBIDDEN', 'A browser may call a demo as localhost or by the host of PUBLIC_URL only.');
    }
  };
}
