import querystring from 'node:querystring';
import type { Issue } from '@accord-api/platform/internals/core/calls/errors';
import {
  isObject,
  type Location,
  type SecurityRequirement,
  type SecurityScheme,
} from '@accord-api/platform/internals/core/contract/document';
import type { RestOperation } from '@accord-api/platform/internals/core/contract/openapi';
import { placeReader, TEXTS } from '@accord-api/platform/internals/core/rest/parameters';

export interface Exchange {
  method: string;
  path: string;
  request: {
    /** Without the question mark. */
    query?: string;
    headers?: Headers;
    body?: string | undefined;
  };
  status: number;
  /** The headers and the body of the answer. */
  headers: Headers;
  text: string;
}

/** Parses JSON; returns undefined for any other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const mediaOf = (headers: Headers | undefined): string =>
  headers?.get('content-type')?.split(';')[0]?.trim() ?? '';

export function issuesIn({ headers, text }: Exchange): readonly Issue[] {
  const problem = mediaOf(headers).endsWith('json') ? parsed(text) : undefined;
  return isObject(problem) && Array.isArray(problem['errors']) ? problem['errors'] : [];
}

const cookiesIn = (headers: Headers | undefined): Map<string, string> =>
  new Map((headers?.get('cookie') ?? '').split(/; */).map((pair) => pair.split('=', 2) as [string, string]));

/** Three parts. The first part is a JSON object (RFC 7519, 3). */
const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

/** Returns true if a request contains a credential of a security scheme. */
export function usesScheme(scheme: SecurityScheme, { query, headers }: Exchange['request']): boolean {
  if (scheme.type === 'apiKey') {
    if (scheme.in === 'cookie') return cookiesIn(headers).has(scheme.name);
    return scheme.in === 'query' ? new URLSearchParams(query).has(scheme.name) : headers?.has(scheme.name) === true;
  }
  const [word = '', credentials = ''] = (headers?.get('authorization') ?? '').split(' ');
  if (scheme.type !== 'http' || word.toLowerCase() !== scheme.scheme.toLowerCase()) return false;
  return scheme.scheme.toLowerCase() !== 'bearer' || (scheme.bearerFormat === 'JWT') === JWT.test(credentials);
}

/** Names a way to authenticate: `by basic`, `by nobody`. */
export const securityName = (schemes: SecurityRequirement): string =>
  `by ${Object.keys(schemes).sort().join(' and ') || 'nobody'}`;

/** Lists the path parameters. The path may lack the prefix of the template, so the segments are counted from the end. */
function pathParameters(template: string, path: string): Record<string, string> {
  const [names, texts] = [template.split('/'), path.split('/')];
  const found = names.flatMap((segment, at) =>
    segment.startsWith('{') ? [[segment.slice(1, -1), querystring.unescape(texts.at(at - names.length) ?? '')]] : [],
  );
  return Object.fromEntries(found);
}

const PLACES = Object.keys(TEXTS) as Location[];
const readers = new WeakMap<RestOperation, ReturnType<typeof placeReader>[]>();

/** Reads the parameters of a request, by place and name. A parameter that cannot be read stays a text. */
export function parametersIn(
  operation: RestOperation,
  { path, request }: Exchange,
): Record<Location, Record<string, unknown>> {
  const { query = '', headers = new Headers() } = request;
  const sent = {
    url: `${path}?${query}`,
    params: pathParameters(operation.path, path),
    query: { ...querystring.parse(query) },
    headers: Object.fromEntries(headers) as Record<string, string>,
    cookies: Object.fromEntries(cookiesIn(headers)) as Record<string, string>,
  };
  const own = readers.get(operation) ?? PLACES.map((place) => placeReader(undefined, operation, place));
  readers.set(operation, own);
  const read = PLACES.map((place, index) => {
    const values = Object.entries(own[index]?.(sent, []) ?? {}).filter(([, value]) => value !== undefined);
    return [place, { ...TEXTS[place](sent), ...Object.fromEntries(values) }];
  });
  return Object.fromEntries(read);
}
