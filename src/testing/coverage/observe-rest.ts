import type { Issue } from '@accord-api/platform/internals/calls/issues';
import { pointerTo } from '@accord-api/platform/internals/calls/text';
import type { OpenApiDocument, SecurityScheme } from '@accord-api/platform/internals/contract/document';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { isObject } from '@accord-api/platform/internals/contract/references';
import { MAX_DEPTH } from '@accord-api/platform/internals/http/json-text';
import { nameOf, placeReader } from '@accord-api/platform/internals/rest/parameters';
import { bodyFormFor } from '@accord-api/platform/internals/rest/request-body';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { refusalOf, type Side, sideName, sideOf } from './bounds.js';
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

/** A value with all that it holds, as deep as a body may be: each with its part of the contract, see `partsOf`, and its own pointer. */
function* valuesIn(
  value: unknown,
  body: Body,
  part = '',
  pointer = '',
  depth = 0,
): Generator<{ value: unknown; part: string; pointer: string }> {
  yield { value, part, pointer };
  for (const one of body.alternatives(part, value)) yield* valuesIn(value, body, one, pointer, depth);
  if (!isObject(value) || depth === MAX_DEPTH) return;
  for (const [name, member] of Object.entries(value)) {
    const inner = `${part}/${name}`;
    const known = Array.isArray(value) ? `${part}[]` : body.knows(inner) ? inner : `${part}{}`;
    yield* valuesIn(member, body, known, pointer + pointerTo(name), depth + 1);
  }
}

/** The parts of a value that the contract knows. Of a list without items nothing is seen. */
function* partsIn(whole: unknown, body: Body): Generator<string> {
  for (const { value, part } of valuesIn(whole, body)) {
    if (part !== '' && body.knows(part) && !isEmptyList(value)) yield part;
    if (!isObject(value) && body.knows(`${part} = ${value}`)) yield `${part} = ${value}`;
  }
}

/** The value of a text of JSON; undefined where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong with a request, as its answer says. */
const issuesIn = ({ headers, text }: Exchange): readonly Issue[] => {
  const problem = mediaOf(headers).endsWith('json') ? parsed(text) : undefined;
  return isObject(problem) && Array.isArray(problem['errors']) ? problem['errors'] : [];
};

/** Whether an answer shows that the content of a request was taken. Who it is and what there is comes before content. */
const isTaken = (status: number): boolean => status < 400;

/** The same of an id in a path, whose form comes before all that (docs/decisions.md, "Failures"). */
const isIdTaken = (status: number): boolean => isTaken(status) || [403, 404, 409, 410, 412, 422].includes(status);

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

/** The text of a segment, as it was sent where it is no text. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

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
    params: Object.fromEntries(names.map((name) => [name, decoded(segmentOf(name, template, path) ?? '')])) as Record<
      string,
      unknown
    >,
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
 * the answer counts, how it was read nobody knows; and the bounds that it broke, where the answer says so at that place.
 * @param document `openapi.yaml`, complete, with its references
 * @returns a function of an exchange and the operation at its method and path, undefined where there is none
 */
export function restObserver(
  document: OpenApiDocument,
): (operation: Operation | undefined, exchange: Exchange) => Set<string> {
  const { elements, bodies, alternatives, headers: declared, parameters, bounds } = restElements(document);
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

  /** @param isSound whether a value holds for one of its alternatives; where one is broken it may be meant for any of them */
  const bodyOf = (filed: string, isSound: boolean): Body => ({
    knows: (part) => known.has(partKey(filed, part)),
    alternatives: (part, one) =>
      (alternatives.get(partKey(filed, part)) ?? []).flatMap(({ part: inner, at }) =>
        !isSound || holds(at, one) ? [inner] : [],
      ),
  });

  /** The parts of a value that is filed under a key. */
  const partKeys = (filed: string, value: unknown): string[] =>
    [...partsIn(value, bodyOf(filed, true))].map((part) => partKey(filed, part));

  /**
   * The bounds on this side of which something in a value stands.
   * @param standing under which key the value is filed, and the media type of the body that it is, as the contract has it
   * @param isTold whether the answer says so of the place
   */
  function* boundKeys(
    { filed, media }: { filed: string; media?: string },
    whole: unknown,
    side: Side,
    isTold: (pointer: string, refusal: string | undefined) => boolean = () => true,
  ): Generator<string> {
    for (const { value, part, pointer } of valuesIn(whole, bodyOf(filed, side === 'at'))) {
      const key = partKey(filed, part);
      const own = (bounds.get(key) ?? []).filter((one) => one.media === media);
      for (const bound of own.flatMap((one) => one.bounds))
        if (sideOf(bound, value) === side && isTold(pointer, refusalOf(bound, value))) yield sideName(key, bound, side);
    }
  }

  const bodyKeys = (whole: string, text: string): string[] => {
    const filed = bodies.get(whole);
    return filed === undefined || text === '' ? [] : partKeys(filed, JSON.parse(text));
  };

  const readersOf = remembered((operation: Operation) =>
    PLACES.map((place) => [place, placeReader(undefined, operation, place)] as const),
  );

  const formFor = remembered(bodyFormFor);

  /** The parameters of a request, as far as they can be read. */
  function* parametersOf(operation: Operation, { path, request }: Exchange) {
    const sent = sentIn(operation.path, path, request);
    const texts = { path: sent.params, query: sent.query, header: sent.headers, cookie: sent.cookies };
    const read = Object.fromEntries(readersOf(operation).map(([place, reader]) => [place, reader(sent, [])]));
    for (const parameter of parameters.get(operation.operationId) ?? []) {
      const { name, in: place } = parameter;
      const named = nameOf(parameter);
      const value = read[place]?.[named] ?? texts[place][named];
      if (value !== undefined) yield { key: `${operation.operationId} ${place} ${name}`, place, named, value };
    }
  }

  function* ofRequest(operation: Operation, exchange: Exchange): Generator<string> {
    const { operationId, security } = operation;
    const { request } = exchange;
    for (const { key, value } of parametersOf(operation, exchange)) yield* [key, ...partKeys(key, value)];
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

  /** The bounds of a request, from both sides. */
  function* ofBounds(operation: Operation, exchange: Exchange): Generator<string> {
    const { status, request } = exchange;
    const isRefused = status === 400 || status === 422;
    const issues = isRefused ? issuesIn(exchange) : [];
    if (isRefused && issues.length === 0) return;
    for (const { key, place, named, value } of parametersOf(operation, exchange)) {
      const isId = place === 'path' && typeof value === 'number';
      if ((isId ? isIdTaken : isTaken)(status)) yield* boundKeys({ filed: key }, value, 'at');
      const own = issues.filter(({ parameter }) => parameter === named);
      yield* boundKeys({ filed: key }, value, 'beyond', (pointer, refusal) =>
        // The form of an id says of one that is too small that it is none.
        own.some(({ detail }) => (isId && status === 400) || detail === `${pointer} ${refusal}`.trimStart()),
      );
    }
    const form = formFor(operation)(request.headers?.get('content-type') ?? '');
    const body = form?.kind === 'json' ? parsed(request.body ?? '') : request.body;
    if (form === undefined || body === undefined) return;
    const as = { filed: `${operation.operationId} body`, media: form.type };
    if (isTaken(status)) yield* boundKeys(as, body, 'at');
    yield* boundKeys(as, body, 'beyond', (pointer, refusal) =>
      issues.some((one) => one.pointer === pointer && one.detail === refusal),
    );
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
    if (operation !== undefined) seen.push(...ofBounds(operation, exchange));
    return new Set(seen.filter((key) => known.has(key)));
  };
}
