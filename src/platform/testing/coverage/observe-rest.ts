import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument, SecurityScheme } from '../../contract/document.js';
import type { Operation } from '../../contract/openapi.js';
import { placeReader } from '../../rest/parameters.js';
import { UNMATCHED } from './elements.js';
import { partKey, restElements, securityName } from './rest-elements.js';

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

/** What is asked of the contract about the parts of a body. */
interface Body {
  knows: (pointer: string) => boolean;
  /** Where one of several schemas holds: the parts of those that hold for this value. */
  alternatives: (pointer: string, value: unknown) => string[];
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** The parts of a value that the contract knows, as pointers; see `partsOf`. Of a list without items nothing is seen. */
function* partsIn(value: unknown, body: Body, pointer = ''): Generator<string> {
  const { knows, alternatives } = body;
  for (const one of alternatives(pointer, value)) yield* partsIn(value, body, one);
  if (Array.isArray(value)) {
    for (const item of value) yield* partsIn(item, body, `${pointer}[]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const inner = `${pointer}/${name}`;
      const known = knows(inner);
      if (known && !isEmptyList(member)) yield inner;
      yield* partsIn(member, body, known ? inner : `${pointer}{}`);
    }
  } else {
    const inner = `${pointer} = ${value}`;
    if (knows(inner)) yield inner;
  }
}

const mediaOf = (headers: Headers | undefined): string => headers?.get('content-type')?.split(';')[0]?.trim() ?? '';

const cookiesIn = (headers: Headers | undefined): Map<string, string> =>
  new Map((headers?.get('cookie') ?? '').split(/; */).map((pair) => pair.split('=', 2) as [string, string]));

/** A place of a document as the fragment of an address (RFC 6901, 6). */
const pointerOf = (path: readonly string[]): string =>
  path.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** A JWT has three parts, the first of which is an object. */
const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

function isUsed(scheme: SecurityScheme, { query, headers }: Exchange['request']): boolean {
  if (scheme.type === 'apiKey') {
    if (scheme.in === 'cookie') return cookiesIn(headers).has(scheme.name);
    return scheme.in === 'query' ? new URLSearchParams(query).has(scheme.name) : headers?.has(scheme.name) === true;
  }
  const [word = '', credentials = ''] = (headers?.get('authorization') ?? '').split(' ');
  if (scheme.type !== 'http' || word.toLowerCase() !== scheme.scheme.toLowerCase()) return false;
  return scheme.scheme.toLowerCase() !== 'bearer' || (scheme.bearerFormat === 'JWT') === JWT.test(credentials);
}

const PLACES = ['path', 'query', 'header', 'cookie'] as const;

/** A request as its parameters are read of it. */
function sentIn(template: string, path: string, { query = '', headers = new Headers() }: Exchange['request']) {
  const search = new URLSearchParams(query);
  const names = [...template.matchAll(/{(\w+)}/g)].map(([, name = '']) => name);
  const listed = [...new Set(search.keys())].map((name): [string, unknown] => {
    const texts = search.getAll(name);
    return [name, texts.length === 1 ? texts[0] : texts];
  });
  return {
    url: `${path}?${query}`,
    params: Object.fromEntries(
      names.map((name) => [name, decodeURIComponent(segmentOf(name, template, path) ?? '')]),
    ) as Record<string, unknown>,
    query: Object.fromEntries(listed),
    headers: Object.fromEntries(headers) as Record<string, string>,
    cookies: Object.fromEntries(cookiesIn(headers)) as Record<string, string>,
  };
}

function remembered<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    const made = known.get(key) ?? make(key);
    known.set(key, made);
    return made;
  };
}

/** The value of a path parameter. The path may lack a prefix of the template, so they are laid together at their ends. */
function segmentOf(name: string, template: string, path: string): string | undefined {
  const segments = template.split('/');
  return path.split('/').at(segments.indexOf(`{${name}}`) - segments.length);
}

/**
 * Says what of the REST contract an exchange shows, as keys of its elements. What the contract does not declare shows
 * nothing, nor does an answer to HEAD, which is no operation of its own. Of a request that was refused (from 400 on) only
 * the answer counts: how it was read nobody knows.
 * @param document `openapi.yaml`, complete, with its references
 * @returns a function of an exchange and the operation at its method and path, undefined where there is none
 */
export function restObserver(
  document: OpenApiDocument,
): (operation: Operation | undefined, exchange: Exchange) => Set<string> {
  const { elements, bodies, alternatives, headers: declared, parameters } = restElements(document);
  const known = new Set(elements.map(({ key }) => key));
  const schemes = document.components?.securitySchemes ?? {};
  const uses = (request: Exchange['request'], name: string) =>
    schemes[name] !== undefined && isUsed(schemes[name], request);

  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document as object, 'openapi', undefined, false);
  const validators = new Map<string, ValidateFunction>();
  const holds = (at: readonly string[], value: unknown): boolean => {
    const pointer = pointerOf(at);
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    validators.set(pointer, validate);
    return validate(value);
  };

  /** The parts of a value that is filed under a key. */
  const partKeys = (filed: string, value: unknown): string[] => {
    const body: Body = {
      knows: (part) => known.has(partKey(filed, part)),
      alternatives: (part, one) =>
        (alternatives.get(partKey(filed, part)) ?? []).flatMap(({ part: inner, at }) =>
          holds(at, one) ? [inner] : [],
        ),
    };
    return [...partsIn(value, body)].map((part) => partKey(filed, part));
  };

  const bodyKeys = (whole: string, text: string): string[] => {
    const filed = bodies.get(whole);
    return filed === undefined || text === '' ? [] : partKeys(filed, JSON.parse(text));
  };

  const readersOf = remembered((operation: Operation) =>
    PLACES.map((place) => [place, placeReader(undefined, operation, place)] as const),
  );

  function* ofRequest(operation: Operation, { path, request }: Exchange): Generator<string> {
    const { operationId, path: template, security } = operation;
    const sent = sentIn(template, path, request);
    const texts = { path: sent.params, query: sent.query, header: sent.headers, cookie: sent.cookies };
    const read = Object.fromEntries(readersOf(operation).map(([place, reader]) => [place, reader(sent, [])]));
    for (const { name, in: place } of parameters.get(operationId) ?? []) {
      const named = place === 'header' ? name.toLowerCase() : name;
      const value = read[place]?.[named] ?? texts[place][named];
      const key = `${operationId} ${place} ${name}`;
      if (value !== undefined) yield* [key, ...partKeys(key, value)];
    }
    const asked = new Set(security.flatMap(Object.keys).filter((name) => uses(request, name)));
    for (const one of security) {
      const names = Object.keys(one);
      if (names.length === 0 ? asked.size === 0 : names.every((name) => asked.has(name)))
        yield `${operationId} ${securityName(one)}`;
    }
    const media = mediaOf(request.headers);
    yield `${operationId} body ${media}`;
    if (media.endsWith('json')) yield* bodyKeys(`${operationId} body`, request.body ?? '');
  }

  function* ofAnswer(owner: string, { status, headers, text }: Exchange): Generator<string> {
    const media = mediaOf(headers);
    yield `${owner} ${status}`;
    for (const { header, whole } of declared.get(`${owner} ${status}`) ?? [])
      if (headers.has(header)) yield `${whole} header ${header}`;
    yield `${owner} ${status} ${media}`;
    // A range of a JSON document is a piece of text.
    if (media.endsWith('json') && status !== 206) yield* bodyKeys(`${owner} ${status}`, text);
  }

  return (operation, exchange) => {
    if (exchange.method === 'HEAD' && operation?.method !== 'HEAD') return new Set();
    const seen = [...ofAnswer(operation?.operationId ?? UNMATCHED, exchange)];
    if (operation !== undefined && exchange.status < 400) seen.push(...ofRequest(operation, exchange));
    return new Set(seen.filter((key) => known.has(key)));
  };
}
