import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import { Failure } from '../../core/calls/errors.js';
import type { Code } from '../../core/contract/codes.js';
import { type Operation, prefixOf, shapeOf } from '../../core/contract/openapi.js';
import { addVary, pathOf } from '../../core/http/headers.js';
import { quoted, similarTo } from '../../core/http/messages.js';
import type { RequestStep } from '../../core/stages.js';
import type { Stages } from '../../core/way.js';

interface PathRow {
  allow: readonly string[];
  isProtected: boolean;
}

/** Returns the declared methods of a canonical path without query; undefined for an unknown path. */
type PathTable = (path: string) => PathRow | undefined;

/** Makes a table of the contract's paths for all methods. Fastify finds routes only by method. */
export function pathTable(operations: Operation[]): PathTable {
  const router = findMyWay({ maxParamLength: Number.MAX_SAFE_INTEGER });
  for (const shape of new Set(operations.map(({ path }) => shapeOf(path)))) {
    const ofPath = operations.filter((operation) => shapeOf(operation.path) === shape);
    const methods = ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    let parameters = 0;
    const pattern = shape.replaceAll('{}', () => `:${parameters++}`);
    router.get(pattern, () => {}, {
      allow: [...new Set(methods), 'OPTIONS'],
      isProtected: ofPath.every(({ security }) => security.length > 0),
    } satisfies PathRow);
  }
  return (path) => {
    const found = router.find('GET', path);
    // The router accepts an empty segment as a parameter.
    return found && !Object.values(found.params).includes('') ? found.store : undefined;
  };
}

/**
 * Returns a function that finds the most similar path of the contract, segment by segment. It also tries the path below
 * the prefix of the newest version.
 */
export function nearestPath(operations: readonly Operation[], newest: string | undefined) {
  const templates = [...new Set(operations.map(({ path }) => path))].map((path) => path.split('/'));
  function nearestTo(path: string): string | undefined {
    const wanted = path.split('/');
    let similar = templates;
    for (const [depth, segment] of wanted.entries()) {
      const literals = similar.flatMap((one) => (one[depth]?.startsWith('{') === false ? one[depth] : []));
      const literal = literals.includes(segment) ? segment : similarTo(segment, literals);
      const next = similar.filter((one) =>
        literal === undefined ? one[depth]?.startsWith('{') : one[depth] === literal,
      );
      if (next.length === 0) return similar.find((one) => depth > 1 && one.length === depth)?.join('/');
      similar = next;
    }
    return similar.find((one) => one.length === wanted.length)?.join('/');
  }
  return (path: string): string | undefined =>
    path.length > MAX_COMPARED
      ? undefined
      : (nearestTo(path) ?? (newest === undefined ? undefined : nearestTo(prefixOf(newest) + path)));
}

const MAX_COMPARED = 256;

interface Addresses {
  nearest: (path: string) => string | undefined;
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
export function versionRouting(addresses: Addresses): (raw: IncomingMessage) => string {
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

/**
 * Sets `API-Version`, and rejects unknown versions. Redirects (308) a path with a trailing slash, which the router
 * would take for an empty parameter. Answers requests without a route: 404, OPTIONS, or 405 with Allow after
 * authentication.
 */
export function addressStages(app: FastifyInstance, addresses: Addresses) {
  const { served, paths, nearest } = addresses;
  function unknownPath(path: string): Failure {
    const similar = nearest(path);
    const advice = similar === undefined ? '/docs lists all paths.' : `Did you mean ${quoted(similar)}?`;
    return new Failure('NOT_FOUND', `There is nothing at this address. ${advice}`);
  }
  /** Sets `API-Version`. @param url selects the version instead of the URL of the request */
  function nameVersion({ raw }: FastifyRequest, reply: FastifyReply, url?: string): void {
    const selection =
      (url === undefined && (raw as Routed)[SELECTION]) ||
      selectVersion(url ?? raw.url ?? '/', namingIn(raw), addresses);
    const version = selection?.version ?? served.at(-1);
    if (version !== undefined) reply.header('api-version', version);
    if (selection?.isOpen) addVary(reply, 'Accept');
  }
  app.setNotFoundHandler(async (request, reply) => {
    // A page may call this handler for an address of its route.
    if (!reply.hasHeader('api-version')) nameVersion(request, reply);
    const path = pathOf(request.url);
    const found = paths(path);
    if (!found) throw unknownPath(path);
    const { allow, isProtected } = found;
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow.join(', ')).send();
    const actor = isProtected ? await app.core.authenticate(request) : null;
    if (isProtected && !actor) throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
    throw new Failure('METHOD_NOT_ALLOWED', `This address does not take ${request.method}. Use ${allow.join(', ')}.`, {
      allow,
    });
  });
  return {
    'api-version':
      ({ plan }) =>
      (request, reply) => {
        const isSelected = (request.raw as Routed)[SELECTION] !== undefined;
        if (plan?.version !== undefined && !isSelected) return void reply.header('api-version', plan.version);
        if (isSelected || request.is404 || plan?.operation.counted) nameVersion(request, reply);
      },
    'served-version':
      () =>
      ({ raw }) => {
        const failure = (raw as Routed)[SELECTION]?.failure;
        if (failure) throw failure;
      },
    'trailing-slash': () => (request, reply) => {
      const [path = '', query] = request.originalUrl.split('?');
      const bare = path.replace(/(?<!\/)\/+$/, '');
      if (bare === path || bare === '') return;
      const isResource = ['', ...served.map(prefixOf)].some((prefix) => paths(prefix + bare) !== undefined);
      if (!isResource && !app.hasRoute({ url: bare, method: 'GET' })) throw unknownPath(bare);
      const to = query === undefined ? bare : `${bare}?${query}`;
      nameVersion(request, reply, to);
      return reply.redirect(to, 308);
    },
    deprecation: ({ plan }) => plan && deprecationNotice(plan.operation),
  } satisfies Stages;
}

/**
 * Returns a step that sets the headers of deprecation (RFC 9745) and sunset (RFC 8594), and the link to the
 * replacement.
 */
function deprecationNotice({ operation }: Operation): RequestStep | undefined {
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
