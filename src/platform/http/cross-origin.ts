import type { IncomingMessage } from 'node:http';
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import type { OpenApiDocument } from '../contract/document.js';
import { declaredAnswers, type Operation } from '../contract/openapi.js';
import { isLoopbackHost } from '../loopback.js';
import { varyNotBy } from './reply.js';
import { linesOf } from './request.js';

/** Headers that a script of another origin may read anyway (Fetch, "CORS-safelisted response-header name"), or may never read. */
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

/** Returns the headers that the contract declares for any answer, and those of deprecated operations. */
function exposedHeaders(document: OpenApiDocument, all: readonly Operation[]): string[] {
  const names = declaredAnswers(document, all).flatMap((responses) =>
    Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
  const deprecation = all.some(({ deprecated }) => deprecated) ? ['Deprecation', 'Link', 'Sunset'] : [];
  return [...new Set([...names, ...deprecation])].filter((name) => !NOT_EXPOSED.has(name.toLowerCase())).sort();
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Seconds that a browser keeps the answer to a preflight. */
const PREFLIGHT_AGE = 600;
/** Refused origins that are logged: a caller that invents origins does not fill the log. */
const MAX_LOGGED = 50;

export interface CrossOrigin {
  /** Returns the options of @fastify/cors for a request. */
  optionsFor: (request: FastifyRequest) => FastifyCorsOptions;
  /** Returns true if the headers of an address depend on the origin of the request. */
  depends: (url: string | undefined) => boolean;
  /** Returns the headers of an answer that Fastify does not send. */
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
 * Admits pages of the listed origins, which send a credential of their own in `Authorization`, and outside production those of this
 * machine. No page of another origin may use cookies: `Access-Control-Allow-Credentials` is never sent.
 * @param all the operations of the contract, whose headers the pages may read
 */
export function crossOrigin(
  { origins, production, open }: CrossOriginSettings,
  document: OpenApiDocument,
  all: readonly Operation[],
): CrossOrigin {
  const listed = new Set(origins?.split(',').map((one) => one.trim()));
  const exposed = exposedHeaders(document, all);
  const options = { methods: METHODS, exposedHeaders: exposed, maxAge: PREFLIGHT_AGE };
  const isOpen = (url = '/') => open.has(url.split('?', 1)[0] as string);
  const admits = (origin: string | undefined): origin is string =>
    origin !== undefined && (listed.has(origin) || (!production && isLocal(origin)));
  return {
    optionsFor(request) {
      const { origin } = request.headers;
      // The route answers an OPTIONS that is no preflight: it asks for Allow.
      const preflight = isPreflight(request);
      if (isOpen(request.url)) return { ...options, methods: ['GET', 'HEAD'], origin: '*', preflight };
      return admits(origin) ? { ...options, origin, preflight } : { origin: false };
    },
    depends: (url) => (listed.size > 0 || !production) && !isOpen(url),
    headersFor({ headers: { origin }, url }) {
      const readable = { 'access-control-expose-headers': exposed.join(', ') };
      if (isOpen(url)) return { ...readable, 'access-control-allow-origin': '*' };
      return admits(origin) ? { ...readable, 'access-control-allow-origin': origin, vary: 'Origin' } : {};
    },
  };
}

/** Returns true for an origin of this machine, of any port: other programs of a developer serve pages there. */
const isLocal = (origin: string): boolean =>
  URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && isLoopbackHost(new URL(origin).hostname);

/** Returns true for the question of a browser before a request of a page (Fetch, "CORS-preflight request"). */
export const isPreflight = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/**
 * Returns a function that tells whether the `Origin` of a request is the service's own.
 * @param publicUrl PUBLIC_URL; without it, the Host of the request names the own origin
 */
function ownOrigin(publicUrl: string | undefined): (request: FastifyRequest) => boolean {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  return ({ headers, host }) => {
    const { origin = '' } = headers;
    if (own !== undefined) return origin === own;
    if (!URL.canParse(origin)) return false;
    // Host has no scheme, and may contain the default port of the scheme, which Origin leaves out.
    const { protocol, host: from } = new URL(origin);
    return URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === from && from !== '';
  };
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * A browser sends cookies for every page; `Origin` names the page.
     * @throws Failure FORBIDDEN unless `Origin` is the service's own
     */
    refuseForeignOrigin: (request: FastifyRequest) => void;
    /** Does the same if a cookie authenticated the request. */
    refuseForeignCookie: (request: FastifyRequest) => void;
  }
}

/** Decides by host and origin: refuses foreign hosts and two hosts, answers preflights, and says on every answer who may read it. */
export const originsPlugin = fp<Pick<CrossOrigin, 'optionsFor' | 'depends'>>(
  async (app, { optionsFor, depends }) => {
    const { publicUrl } = app;
    const isOwn = ownOrigin(publicUrl);
    const logged = new Set<string>();
    /** Logs each refused origin once, with the remedy. */
    function logRefusal(request: FastifyRequest): void {
      const { origin } = request.headers;
      if (origin === undefined || logged.has(origin) || logged.size >= MAX_LOGGED) return;
      if (!URL.canParse(origin) || new URL(origin).origin !== origin || isOwn(request)) return;
      logged.add(origin);
      app.log.warn({ origin }, 'a page of another origin was refused: CORS_ORIGINS lists the origins that may call');
    }
    const delegator = (request: FastifyRequest, done: (error: null, options: FastifyCorsOptions) => void): void => {
      const options = optionsFor(request);
      if (options.origin === false) logRefusal(request);
      done(null, options);
    };
    app.stage('foreign-host', refuseForeignHost(publicUrl));
    app.packageStage('cross-origin', async (scope) => {
      await scope.register(cors, { delegator });
      // The package sets `Vary: Origin` on every answer: caches would keep the contracts once for each page that reads them.
      scope.addHook('onRequest', (request, reply, done) => {
        if (!depends(request.url)) varyNotBy(reply, 'Origin');
        done();
      });
    });
    app.stage('second-host', refuseSecondHost);

    app.decorate('refuseForeignOrigin', (request: FastifyRequest) => {
      if (!isOwn(request))
        throw new Failure('FORBIDDEN', "A write with a cookie must come from the service's own origin.");
    });
    app.decorate('refuseForeignCookie', (request: FastifyRequest) => {
      if (request.actor?.mechanism === 'cookieAuth') app.refuseForeignOrigin(request);
    });
  },
  { name: 'origins', dependencies: ['pipeline'] },
);

/** Refuses a request that names two hosts (RFC 9112 §3.2): one may select the version, the other may be what a proxy checked. */
function refuseSecondHost({ raw }: FastifyRequest): void {
  if (linesOf(raw, 'host').length > 1) throw new Failure('BAD_REQUEST', 'The request names more than one Host.');
}

/** A name or an address with a port, without anything that a parser of URLs takes for a user or a path. */
const NAME_AND_PORT = /^(\[[\da-f:.]+\]|[^\s:@/?#\\[\]]+)(?::\d*)?$/i;

/**
 * Returns true if a browser sent a request, as far as its headers tell. A page that rebinds its name is not trustworthy: to its origin
 * a browser sends no Sec-Fetch-* (Fetch Metadata §2), and no Origin with a GET. But it always sends the languages of its user. So does
 * Node's `fetch`, which also sends Sec-Fetch-Mode.
 */
function isOfBrowser({ headers }: FastifyRequest): boolean {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return true;
  return headers['accept-language'] !== undefined && headers['sec-fetch-mode'] === undefined;
}

/**
 * Returns a hook for a demo, whose credentials are public: a page whose name resolves to this machine (DNS rebinding) has the
 * service's own origin, but it calls the service by the page's name.
 * @throws Failure FORBIDDEN for a browser that uses another name than loopback's, that of PUBLIC_URL, or a version's below them
 */
function refuseForeignHost(publicUrl: string | undefined) {
  const published = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  const isOwn = (host: unknown) => {
    const name = NAME_AND_PORT.exec(String(host))?.[1]?.toLowerCase() ?? '';
    return [name, name.replace(/^v\d+\./, '')].some((one) => isLoopbackHost(one) || one === published);
  };
  return (request: FastifyRequest): void => {
    if (!isOfBrowser(request)) return;
    // In HTTP/2 the authority stands in place of Host; a request may have both.
    const { host, ':authority': authority = host } = request.headers;
    if (![host ?? authority, authority].every(isOwn)) {
      throw new Failure('FORBIDDEN', 'A browser may call a demo as localhost or by the host of PUBLIC_URL only.');
    }
  };
}
