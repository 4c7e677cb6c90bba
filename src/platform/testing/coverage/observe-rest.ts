import type { OpenApiDocument } from '../../contract/document.js';
import type { Operation } from '../../contract/openapi.js';
import { UNMATCHED } from './elements.js';
import { partKey, restElements } from './rest-elements.js';

/** One request and its answer, as they went over the wire. */
export interface Exchange {
  method: string;
  /** Without the query. */
  path: string;
  request: {
    /** Without the question mark. */
    query?: string;
    headers?: Headers;
    body?: string | undefined;
  };
  status: number;
  /** Of the answer. */
  headers: Headers;
  /** The body of the answer. */
  text: string;
}

/** The parts of a value that the contract knows, as pointers; see `partsOf`. */
function* partsIn(value: unknown, knows: (pointer: string) => boolean, pointer = ''): Generator<string> {
  if (Array.isArray(value)) {
    for (const item of value) yield* partsIn(item, knows, `${pointer}[]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const inner = `${pointer}/${name}`;
      const known = knows(inner);
      if (known) yield inner;
      yield* partsIn(member, knows, known ? inner : `${pointer}{}`);
    }
  } else {
    const inner = `${pointer} = ${value}`;
    if (knows(inner)) yield inner;
  }
}

const mediaOf = (headers: Headers | undefined): string => headers?.get('content-type')?.split(';')[0]?.trim() ?? '';

const cookiesIn = (headers: Headers | undefined): Map<string, string> =>
  new Map((headers?.get('cookie') ?? '').split(/; */).map((pair) => pair.split('=', 2) as [string, string]));

/** The value of a path parameter. The path may lack a prefix of the template, so they are laid together at their ends. */
function segmentOf(name: string, template: string, path: string): string | undefined {
  const segments = template.split('/');
  return path.split('/').at(segments.indexOf(`{${name}}`) - segments.length);
}

/**
 * Says what of the REST contract an exchange shows, as keys of its elements. What the contract does not declare shows
 * nothing. Of a request that was refused (from 400 on) only the answer counts: how it was read nobody knows.
 * @param document `openapi.yaml`, complete, with its references
 * @returns a function of an exchange and the operation at its method and path, undefined where there is none
 */
export function restObserver(
  document: OpenApiDocument,
): (operation: Operation | undefined, exchange: Exchange) => Set<string> {
  const { elements, bodies, parameters } = restElements(document);
  const known = new Set(elements.map(({ key }) => key));

  const bodyKeys = (whole: string, text: string): string[] => {
    const filed = bodies.get(whole);
    if (filed === undefined || text === '') return [];
    return [...partsIn(JSON.parse(text), (part) => known.has(partKey(filed, part)))].map((part) =>
      partKey(filed, part),
    );
  };

  function* ofRequest({ operationId, path: template }: Operation, { path, request }: Exchange): Generator<string> {
    const query = new URLSearchParams(request.query);
    const cookies = cookiesIn(request.headers);
    const readers = {
      query: (name: string) => query.get(name),
      header: (name: string) => request.headers?.get(name),
      cookie: (name: string) => cookies.get(name),
      path: (name: string) => segmentOf(name, template, path),
    };
    for (const { name, in: place } of parameters.get(operationId) ?? []) {
      const value = readers[place](name);
      const key = `${operationId} ${place} ${name}`;
      if (value !== null && value !== undefined) yield* [key, `${key} = ${value}`];
    }
    const media = mediaOf(request.headers);
    yield `${operationId} body ${media}`;
    if (media.endsWith('json')) yield* bodyKeys(`${operationId} body`, request.body ?? '');
  }

  function* ofAnswer(owner: string, { method, status, headers, text }: Exchange): Generator<string> {
    const media = mediaOf(headers);
    yield `${owner} ${status}`;
    if (method === 'HEAD') return;
    yield `${owner} ${status} ${media}`;
    // A range of a JSON document is a piece of text.
    if (media.endsWith('json') && status !== 206) yield* bodyKeys(`${owner} ${status}`, text);
  }

  return (operation, exchange) => {
    const seen = [...ofAnswer(operation?.operationId ?? UNMATCHED, exchange)];
    if (operation !== undefined && exchange.status < 400) seen.push(...ofRequest(operation, exchange));
    return new Set(seen.filter((key) => known.has(key)));
  };
}
