import { Failure } from '../calls/errors.js';
import { prefixOf } from '../contract/versions.js';

/** What is served, as a version is chosen from it. */
export interface Versioned {
  /** Oldest first; a request that selects none gets the newest. */
  served: readonly string[];
  /** Whether a canonical path is one of the contract's. */
  isResource: (path: string) => boolean;
  /** The vendor media type, whose parameters name a version. */
  mediaType: string;
}

/** How the version of one request was chosen. */
export interface Selection {
  /** The canonical URL, `/api/v1/…`, without the query parameter `version`. */
  url: string;
  /** The one that answers. */
  version: string;
  /** Whether the address leaves it open, so that what it gets may depend on `Accept`. */
  open: boolean;
  /** Decided here and thrown later, in its place in the order of failures. */
  failure?: Failure;
}

/** By how a version can be named, the failure of naming one that is not served (docs/decisions.md, "Names and versions"). */
const unserved = {
  path: () => new Failure('NOT_FOUND', 'This version is not served.'),
  subdomain: () => new Failure('NOT_FOUND', 'This version is not served.'),
  query: (served: readonly string[]) =>
    new Failure('BAD_REQUEST', 'This version is not served.', {
      issues: [{ parameter: 'version', detail: `must be one of ${served.join(', ')}` }],
    }),
  'media type': () => new Failure('NOT_ACCEPTABLE', 'This version is not served.'),
};

/** The version parameters of the vendor media type in an Accept header: `version=1` or `v=1`. */
const acceptedVersions = (accept = '', mediaType: string): string[] =>
  accept.includes('=')
    ? accept
        .split(',')
        .filter((range) => range.trim().toLowerCase().startsWith(mediaType))
        .flatMap((range) => /;\s*(?:version|v)="?([^";\s]+)"?/i.exec(range)?.[1] ?? [])
    : [];

/** What of a request's headers may name a version. */
interface Naming {
  host?: string | undefined;
  accept?: string | undefined;
}

/**
 * Whether a URL can be told to be canonical without looking closer, as most can: it is in a version that is served, and nothing
 * else in the request can name one. Of any other `selectVersion` decides.
 */
export function plainlyCanonical({ served }: Pick<Versioned, 'served'>): (url: string, headers: Naming) => boolean {
  const beginnings = served.map((version) => `${prefixOf(version)}/`);
  return (url, { host, accept }) =>
    beginnings.some((beginning) => url.startsWith(beginning)) &&
    !url.includes('version') &&
    !host?.startsWith('v') &&
    !accept?.includes('=');
}

/**
 * Chooses the version by path, query parameter, media type or subdomain, and names the canonical URL.
 * @returns undefined for what has no versions: docs, health, GraphQL, and paths that do not exist
 */
export function selectVersion(
  url: string,
  headers: Naming,
  { served, isResource, mediaType }: Versioned,
): Selection | undefined {
  const mark = url.indexOf('?');
  const pathname = mark < 0 ? url : url.slice(0, mark);
  const [, inPath, rest] = /^\/api\/v(\d+)(\/.*)$/.exec(pathname) ?? [];
  const address = rest ?? pathname;
  const newest = served.at(-1);
  const exists = (version: string) => isResource(prefixOf(version) + address);
  if (newest === undefined || !((inPath !== undefined && isResource(pathname)) || served.some(exists)))
    return undefined;

  const query = mark < 0 ? [] : url.slice(mark + 1).split('&');
  const isVersion = (pair: string) => pair === 'version' || pair.startsWith('version=');
  const inHost = /^v(\d+)\./.exec(headers.host ?? '')?.[1];
  const named: [keyof typeof unserved, string][] = [
    // An address that does not exist goes first, then what a request to it says.
    ...(inPath === undefined ? [] : [['path', inPath] as const]),
    ...(inHost === undefined ? [] : [['subdomain', inHost] as const]),
    ...query.filter(isVersion).map((pair) => ['query', pair.slice('version='.length)] as const),
    ...acceptedVersions(headers.accept, mediaType).map((version) => ['media type', version] as const),
  ].map(([how, version]) => [how, version]);

  const others = query.filter((pair) => !isVersion(pair)).join('&');
  const failure = named.length > 0 ? refusal(named, served) : undefined;
  const version = failure ? newest : (named[0]?.[1] ?? newest);
  const chosen = {
    url: prefixOf(version) + address + (others && `?${others}`),
    version,
    open: inPath === undefined && served.length > 1,
  };
  return failure ? { ...chosen, failure } : chosen;
}

function refusal(named: [keyof typeof unserved, string][], served: readonly string[]): Failure | undefined {
  const wrong = named.find(([, version]) => !served.includes(version));
  if (new Set(named.map(([, version]) => version)).size > 1) {
    const spelled = named.map(([how, version]) => `${version} by ${how}`).join(', ');
    return new Failure('BAD_REQUEST', `The request selects different versions: ${spelled}.`);
  }
  return wrong && unserved[wrong[0]](served);
}
