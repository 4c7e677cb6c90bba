import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Part } from '../../core/application.js';
import { Failure } from '../../core/calls/errors.js';
import type { Code } from '../../core/contract/codes.js';
import { prefixOf, type RestOperation } from '../../core/contract/openapi.js';
import { addVary } from '../../core/http/headers.js';
import { quoted } from '../../core/http/messages.js';
import type { PathTable } from '../../core/rest/addresses.js';
import type { RequestStep } from '../../core/stages.js';

interface Addresses {
  /** The versions, oldest first. The newest is the default. */
  served: readonly string[];
  paths: PathTable;
  /** The vendor media type, whose parameter may select a version. */
  mediaType: string;
}

interface Selection {
  /** The canonical URL, `/api/v1/…`, without the query parameter `version`. */
  url: string;
  version: string;
  /** True if the answer may depend on `Accept`, because the address names no version. */
  isOpen: boolean;
  /** Thrown later, in the order of failures. */
  failure?: Failure;
}

/**
 * The failure of an unknown version, by the part of the request that selects it (docs/decisions.md, "Names and
 * versions").
 */
const UNSERVED = {
  path: 'NOT_FOUND',
  subdomain: 'NOT_FOUND',
  query: 'BAD_REQUEST',
  'media type': 'NOT_ACCEPTABLE',
} as const satisfies Record<string, Code>;

type Named = [way: keyof typeof UNSERVED, version: string];

/** Returns the versions in an Accept header: `version=1` or `v=1` of the vendor media type. */
const acceptedVersions = (accept = '', mediaType: string): string[] =>
  accept.includes('=')
    ? accept
        .split(',')
        .filter((range) => range.trim().toLowerCase().startsWith(mediaType))
        .flatMap((range) => /;\s*(?:version|v)="?([^";\s]+)"?/i.exec(range)?.[1] ?? [])
    : [];

type Naming = ReturnType<typeof namingIn>;

const namingIn = ({ headers: { host, accept } }: IncomingMessage) => ({ host, accept });

/** Returns true for a canonical URL of a request without another selection of a version. Most requests need no more. */
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
 * @returns undefined for an address without versions, and for an unknown one
 */
function selectVersion(
  url: string,
  { host, accept }: Naming,
  { served, paths, mediaType }: Addresses,
): Selection | undefined {
  const [pathname = '', search] = url.split(/\?(.*)/s, 2);
  const [, inPath, rest] = /^\/api\/v(\d+)(\/.*)$/.exec(pathname) ?? [];
  const address = rest ?? pathname;
  const newest = served.at(-1);
  if (newest === undefined) return undefined;
  const isKnown = inPath !== undefined && paths(pathname) !== undefined;
  if (!isKnown && !served.some((version) => paths(prefixOf(version) + address))) return undefined;

  const query = search ? search.split('&') : [];
  const isVersion = (pair: string) => pair === 'version' || pair.startsWith('version=');
  const inHost = /^v(\d+)\./.exec(host ?? '')?.[1];
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
    const choices = named.map(([way, version]) => `${version} by ${way}`).join(', ');
    return new Failure('BAD_REQUEST', `The request selects different versions: ${choices}. Select one.`);
  }
  const unserved = named.find(([, version]) => !served.includes(version));
  if (!unserved) return undefined;
  const issues = [{ parameter: 'version', detail: `must be one of ${served.join(', ')}` }];
  const [way, version] = unserved;
  const message = `Version ${quoted(version)} is not served. Use version ${served.join(' or ')}.`;
  return new Failure(UNSERVED[way], message, way === 'query' ? { issues } : {});
}

const SELECTION = Symbol('selection');
type Routed = IncomingMessage & { [SELECTION]?: Selection };

/** Returns Fastify's `rewriteUrl`, which makes every address of a resource canonical. */
function versionRouting(addresses: Addresses): (raw: IncomingMessage) => string {
  const prefixes = addresses.served.map((version) => `${prefixOf(version)}/`);
  return (raw) => {
    const { url = '/' } = raw;
    const naming = namingIn(raw);
    const selection = isPlainlyCanonical(url, naming, prefixes) ? undefined : selectVersion(url, naming, addresses);
    if (!selection) return url;
    if (selection.url !== url || selection.failure) (raw as Routed)[SELECTION] = selection;
    return selection.url;
  };
}

/** Selects the version of a request by its path, a parameter, a media type or a subdomain. */
export const versions = (): Part<'versions'> => ({
  name: 'versions',
  codes: ['BAD_REQUEST', 'NOT_FOUND', 'NOT_ACCEPTABLE'],
  open({ core: { names }, served, paths }) {
    const addresses = { served, paths, mediaType: names.mediaType };
    /** Sets `API-Version`. @param url selects the version instead of the URL of the request */
    function announce({ raw }: FastifyRequest, reply: FastifyReply, url?: string): void {
      const selection =
        (url === undefined && (raw as Routed)[SELECTION]) ||
        selectVersion(url ?? raw.url ?? '/', namingIn(raw), addresses);
      const version = selection?.version ?? served.at(-1);
      if (version !== undefined) reply.header('api-version', version);
      if (selection?.isOpen) addVary(reply, 'Accept');
    }
    return {
      seam: { announce, urlOf: versionRouting(addresses) },
      stages: {
        'api-version':
          ({ plan }) =>
          (request, reply) => {
            const isSelected = (request.raw as Routed)[SELECTION] !== undefined;
            if (plan?.version !== undefined && !isSelected) return void reply.header('api-version', plan.version);
            if (isSelected || request.is404 || plan?.operation.counted) announce(request, reply);
          },
        'served-version':
          () =>
          ({ raw }) => {
            const failure = (raw as Routed)[SELECTION]?.failure;
            if (failure) throw failure;
          },
        deprecation: ({ plan }) => plan && deprecationNotice(plan.operation),
      },
    };
  },
});

/**
 * Returns a step that sets the headers of deprecation (RFC 9745) and sunset (RFC 8594), and the link to the
 * replacement.
 */
function deprecationNotice({ operation }: RestOperation): RequestStep | undefined {
  const deprecation = operation['x-deprecation'];
  if (!deprecation) return undefined;
  const { since, sunset, link } = deprecation;
  const dates = { deprecation: `@${Date.parse(since) / 1000}`, sunset: new Date(sunset).toUTCString() };
  const own = `<${link}>; rel="deprecation"; type="text/html"`;
  return (_request, reply) => {
    const others = reply.getHeader('link');
    reply.headers({ link: others === undefined ? own : `${others}, ${own}`, ...dates });
  };
}
