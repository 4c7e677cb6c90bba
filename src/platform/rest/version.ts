import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import type { Code } from '../contract/codes.js';
import { prefixOf } from '../contract/openapi.js';
import { varyBy } from '../http/reply.js';

/** What is served, for the selection of a version. */
export interface Versioned {
  /** Oldest first; a request that selects none gets the newest. */
  served: readonly string[];
  /** Returns true for a canonical path of the contract. */
  isResource: (path: string) => boolean;
  /** The vendor media type. A parameter of it may name a version. */
  mediaType: string;
}

/** How the version of one request was selected. */
interface Selection {
  /** The canonical URL, `/api/v1/…`, without the query parameter `version`. */
  url: string;
  /** The version that answers. */
  version: string;
  /** True if the address names no version, so that the answer may depend on `Accept`. */
  isOpen: boolean;
  /** Thrown later, at its place in the order of failures. */
  failure?: Failure;
}

/** The ways to name a version, with the failure of a version that is not served (docs/decisions.md, "Names and versions"). */
const UNSERVED = {
  path: 'NOT_FOUND',
  subdomain: 'NOT_FOUND',
  query: 'BAD_REQUEST',
  'media type': 'NOT_ACCEPTABLE',
} as const satisfies Record<string, Code>;

type Named = [way: keyof typeof UNSERVED, version: string];

/** Returns the versions that the vendor media type has in an Accept header: `version=1` or `v=1`. */
const acceptedVersions = (accept = '', mediaType: string): string[] =>
  accept.includes('=')
    ? accept
        .split(',')
        .filter((range) => range.trim().toLowerCase().startsWith(mediaType))
        .flatMap((range) => /;\s*(?:version|v)="?([^";\s]+)"?/i.exec(range)?.[1] ?? [])
    : [];

/** The headers of a request that may name a version. */
interface Naming {
  host?: string | undefined;
  accept?: string | undefined;
}

// HTTP/2 has no Host: the authority stands in its place (RFC 9113 §8.3.1).
const namingIn = ({ headers }: IncomingMessage): Naming => ({
  host: headers.host ?? (headers[':authority'] as string | undefined),
  accept: headers.accept,
});

/**
 * Returns true for most requests whose URL is canonical: it is in a served version, and nothing else in the request may name one.
 * `selectVersion` decides the others.
 */
function isPlainlyCanonical(url: string, { host, accept }: Naming, prefixes: readonly string[]): boolean {
  return (
    prefixes.some((prefix) => url.startsWith(prefix)) &&
    !url.includes('version') &&
    !host?.startsWith('v') &&
    !accept?.includes('=')
  );
}

/**
 * Selects the version by path, query parameter, media type or subdomain.
 * @returns undefined for what has no versions: docs, health, GraphQL, and paths that do not exist
 */
function selectVersion(
  url: string,
  { host, accept }: Naming,
  { served, isResource, mediaType }: Versioned,
): Selection | undefined {
  const [pathname = '', search] = url.split(/\?(.*)/s, 2);
  const [, inPath, rest] = /^\/api\/v(\d+)(\/.*)$/.exec(pathname) ?? [];
  const address = rest ?? pathname;
  const newest = served.at(-1);
  if (newest === undefined) return undefined;
  const isKnown = inPath !== undefined && isResource(pathname);
  if (!isKnown && !served.some((version) => isResource(prefixOf(version) + address))) return undefined;

  const query = search ? search.split('&') : [];
  const isVersion = (pair: string) => pair === 'version' || pair.startsWith('version=');
  const inHost = /^v(\d+)\./.exec(host ?? '')?.[1];
  // In the order of their failures: an address that does not exist comes first.
  const named: Named[] = [
    ...(inPath === undefined ? [] : [['path', inPath] satisfies Named]),
    ...(inHost === undefined ? [] : [['subdomain', inHost] satisfies Named]),
    ...query.filter(isVersion).map((pair): Named => ['query', pair.slice('version='.length)]),
    ...acceptedVersions(accept, mediaType).map((version): Named => ['media type', version]),
  ];
  const failure = refusal(named, served);
  const version = failure ? newest : (named[0]?.[1] ?? newest);
  const others = query.filter((pair) => !isVersion(pair)).join('&');
  return {
    url: prefixOf(version) + address + (others && `?${others}`),
    version,
    isOpen: inPath === undefined && served.length > 1,
    ...(failure && { failure }),
  };
}

function refusal(named: Named[], served: readonly string[]): Failure | undefined {
  if (new Set(named.map(([, version]) => version)).size > 1) {
    const ways = named.map(([way, version]) => `${version} by ${way}`).join(', ');
    return new Failure('BAD_REQUEST', `The request selects different versions: ${ways}.`);
  }
  const unserved = named.find(([, version]) => !served.includes(version));
  if (!unserved) return undefined;
  const issues = [{ parameter: 'version', detail: `must be one of ${served.join(', ')}` }];
  const [way] = unserved;
  return new Failure(UNSERVED[way], 'This version is not served.', way === 'query' ? { issues } : {});
}

/** The selections of requests whose address alone does not name the version that answers. */
const selections = new WeakMap<IncomingMessage, Selection>();

/** Returns Fastify's `rewriteUrl`: it replaces every spelling of the address of a resource by the canonical one. */
export function versionRouting(versioned: Versioned): (raw: IncomingMessage) => string {
  const prefixes = versioned.served.map((version) => `${prefixOf(version)}/`);
  return (raw) => {
    const { url = '/' } = raw;
    const naming = namingIn(raw);
    const selection = isPlainlyCanonical(url, naming, prefixes) ? undefined : selectVersion(url, naming, versioned);
    if (!selection) return url;
    if (selection.url !== url || selection.failure) selections.set(raw, selection);
    return selection.url;
  };
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Names the version that answers in `API-Version`: the selected one, or the newest.
     * @param url selects the version in place of the URL of the request
     */
    nameVersion: (request: FastifyRequest, reply: FastifyReply, url?: string) => void;
  }
}

/** Names the version that answers, and refuses versions that are not served. */
export const versionPlugin = fp<Versioned>(
  async (app, versioned) => {
    app.decorate('nameVersion', ({ raw }: FastifyRequest, reply: FastifyReply, url?: string) => {
      const selection =
        (url === undefined && selections.get(raw)) || selectVersion(url ?? raw.url ?? '/', namingIn(raw), versioned);
      const version = selection?.version ?? versioned.served.at(-1);
      if (version !== undefined) reply.header('api-version', version);
      if (selection?.isOpen) varyBy(reply, 'Accept');
    });
    app.stage('api-version', (request, reply) => {
      const { plan } = request.route;
      if (plan?.version !== undefined && !selections.has(request.raw))
        return void reply.header('api-version', plan.version);
      // @fastify/cors takes every OPTIONS, so that it does not look unmatched.
      const isUnmatched = request.is404 || request.method === 'OPTIONS';
      if (selections.has(request.raw) || isUnmatched || plan?.operation.counted) app.nameVersion(request, reply);
    });
    app.stage('served-version', ({ raw }) => {
      const failure = selections.get(raw)?.failure;
      if (failure) throw failure;
    });
  },
  { name: 'version', dependencies: ['pipeline', 'common-stages'] },
);
