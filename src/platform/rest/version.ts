import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../calls/errors.js';

/** The versions that are served, oldest first; a request that selects none gets the newest. */
const served = ['1'] as const;
export const NEWEST: string = served[served.length - 1] as string;

export const VENDOR_MEDIA_TYPE = 'application/vnd.accord+json';

/** How the version of one request was chosen. */
export interface Selection {
  /** The canonical URL, `/api/v1/…`, without the query parameter `version`. */
  url: string;
  version: string;
  /** Decided here and thrown later, in its place in the order of failures. */
  failure?: Failure;
}

/** By how a version can be named, the failure of naming one that is not served (docs/decisions.md, "Names and versions"). */
const unserved = {
  path: () => new Failure('NOT_FOUND', 'This version is not served.'),
  subdomain: () => new Failure('NOT_FOUND', 'This version is not served.'),
  query: () =>
    new Failure('BAD_REQUEST', 'This version is not served.', {
      issues: [{ parameter: 'version', detail: `must be one of ${served.join(', ')}` }],
    }),
  'media type': () => new Failure('NOT_ACCEPTABLE', 'This version is not served.'),
};

/** The version parameters of the vendor media type in an Accept header: `version=1` or `v=1`. */
const acceptedVersions = (accept = ''): string[] =>
  accept
    .split(',')
    .filter((range) => range.trim().toLowerCase().startsWith(VENDOR_MEDIA_TYPE))
    .flatMap((range) => /;\s*(?:version|v)="?([^";\s]+)"?/i.exec(range)?.[1] ?? []);

/**
 * Chooses the version by path, query parameter, media type or subdomain, and names the canonical URL.
 * @param isResource tells whether a canonical path is one of the contract's
 * @returns undefined for what has no versions: docs, health, GraphQL, and paths that do not exist
 */
export function selectVersion(
  url: string,
  headers: IncomingHttpHeaders,
  isResource: (path: string) => boolean,
): Selection | undefined {
  const mark = url.indexOf('?');
  const pathname = mark < 0 ? url : url.slice(0, mark);
  const [, inPath, rest] = /^\/api\/v(\d+)(\/.*)$/.exec(pathname) ?? [];
  const canonical = `/api/v${NEWEST}${rest ?? pathname}`;
  if (!isResource(canonical)) return undefined;

  const query = mark < 0 ? [] : url.slice(mark + 1).split('&');
  const isVersion = (pair: string) => pair === 'version' || pair.startsWith('version=');
  const inHost = /^v(\d+)\./.exec(headers.host ?? '')?.[1];
  const named: [keyof typeof unserved, string][] = [
    // An address that does not exist goes first, then what a request to it says.
    ...(inPath === undefined ? [] : [['path', inPath] as const]),
    ...(inHost === undefined ? [] : [['subdomain', inHost] as const]),
    ...query.filter(isVersion).map((pair) => ['query', pair.slice('version='.length)] as const),
    ...acceptedVersions(headers.accept).map((version) => ['media type', version] as const),
  ].map(([how, version]) => [how, version]);

  const others = query.filter((pair) => !isVersion(pair)).join('&');
  const selection: Selection = { url: canonical + (others && `?${others}`), version: named[0]?.[1] ?? NEWEST };
  const failure = refusal(named);
  return failure ? { ...selection, version: NEWEST, failure } : selection;
}

function refusal(named: [keyof typeof unserved, string][]): Failure | undefined {
  const wrong = named.find(([, version]) => !(served as readonly string[]).includes(version));
  if (new Set(named.map(([, version]) => version)).size > 1) {
    const spelled = named.map(([how, version]) => `${version} by ${how}`).join(', ');
    return new Failure('BAD_REQUEST', `The request selects different versions: ${spelled}.`);
  }
  return wrong && unserved[wrong[0]]();
}
