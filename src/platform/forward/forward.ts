import { Readable } from 'node:stream';
import { isBrokenCircuitError, isBulkheadRejectedError } from 'cockatiel';
import { authoriseRole, traceHeaders } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { Catalogue } from '../contract/codes.js';
import { kindOf, type Location } from '../contract/document.js';
import { type Operation, splitPath } from '../contract/openapi.js';
import { textsOf } from '../contract/parameter-form.js';
import type { schemaCompiler } from '../http/json-schema.js';
import { formsIn, isInexact } from '../rest/parameters.js';
import type { Reply } from '../rest/represent.js';
import type { Context, ReadRequest } from '../rest/routes.js';
import { answerReader, CONNECTION_HEADERS, type ForwardedOperation, missingAnswerFailure } from './answers.js';
import { AnswerTooLarge, type Upstreams, upstreamClient } from './outside.js';

type ForwardingHandler = (request: ReadRequest, context: Pick<Context, 'call'>) => Promise<Reply>;

/** Headers that only this service sets, even if the contract declares them. */
const RESERVED_HEADERS = new Set([
  ...CONNECTION_HEADERS,
  'accept-encoding',
  'authorization',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'if-range',
  'range',
  'traceparent',
  'tracestate',
  'x-forwarded-for',
  'x-forwarded-groups',
  'x-forwarded-user',
  'x-request-id',
]);

interface ForwardingOptions {
  upstreams: Upstreams;
  ajv: ReturnType<typeof schemaCompiler>;
  errors: Catalogue;
}

/**
 * Returns the handlers of forwarded operations. A handler authorises by role, checks the content, calls the upstream,
 * and checks the answer.
 * @param operations all forwarded operations
 */
export function forwardingHandlers(
  operations: readonly ForwardedOperation[],
  { upstreams, ajv, errors }: ForwardingOptions,
): Map<Operation, ForwardingHandler> {
  const clients = new Map(Object.entries(upstreams).map(([name, upstream]) => [name, upstreamClient(upstream)]));

  const handlerOf = (operation: ForwardedOperation): ForwardingHandler => {
    const { method, permission, forward } = operation;
    const { base, credentials, send } = clients.get(forward.to) as ReturnType<typeof upstreamClient>;
    const version = splitPath(operation.path)?.version;
    const siblings = operations.filter(
      (one) => one.forward.to === forward.to && splitPath(one.path)?.version === version,
    );
    const missingAnswer = missingAnswerFailure(operation, errors);
    const readAnswer = answerReader(operation, { base, siblings, missingAnswer, ajv, errors });
    const write = parameterWriter(operation);
    const [bodyType] = Object.keys(operation.operation.requestBody?.content ?? {});

    return async (request, { call }) => {
      if (permission !== 'public') authoriseRole(call, permission.action);
      // Comes before the content (422): the upstream would read another id.
      if (Object.values(request.path).some(isInexact)) throw nothingHere();
      const address = base + targetOf(forward.path, request, write);
      await call.enforce();
      const { actor } = call;
      const body = bodyType === undefined || request.body === undefined ? undefined : bodyOf(request);
      const headers = {
        accept: '*/*',
        ...Object.fromEntries(write('header', request.headers, String).filter(([name]) => !RESERVED_HEADERS.has(name))),
        ...credentials,
        ...traceHeaders(call),
        'x-forwarded-for': call.address,
        ...(actor && { 'x-forwarded-user': String(actor.id), 'x-forwarded-groups': actor.role.toLowerCase() }),
        ...(body && { 'content-type': request.mediaType || String(bodyType) }),
      };
      const answer = await send(address, { method, headers, ...body }).catch((cause: Error) => {
        if (cause instanceof Failure) throw cause;
        if (cause instanceof AnswerTooLarge) throw missingAnswer(502, 'sent an answer that is too large', { cause });
        if (cause.name === 'TimeoutError') throw missingAnswer(504, 'took too long', { cause });
        if (isBulkheadRejectedError(cause)) throw missingAnswer(503, 'has too many calls at once', { cause });
        if (isBrokenCircuitError(cause)) throw missingAnswer(503, 'has not answered for a while', { cause });
        throw missingAnswer(503, 'cannot be reached', { cause });
      });
      return readAnswer(answer);
    };
  };
  return new Map(operations.map((operation) => [operation, handlerOf(operation)]));
}

const nothingHere = () => new Failure('NOT_FOUND', 'There is nothing at this address.');

const bodyOf = ({ body, mediaType }: ReadRequest): Pick<RequestInit, 'body' | 'duplex'> =>
  body instanceof Readable
    ? { body: body as never, duplex: 'half' }
    : { body: kindOf(mediaType) === 'text' ? String(body) : JSON.stringify(body) };

/** Fills a path template, and adds the query. @throws Failure NOT_FOUND for a parameter that is not one segment */
function targetOf(template: string, { path, query }: ReadRequest, write: ParameterWriter): string {
  const segments = new Map(write('path', path, encodeURIComponent));
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(segments.get(name) ?? ''));
  const search = write('query', query, encodeURIComponent)
    .map(([name, text]) => `${encodeURIComponent(name)}=${text}`)
    .join('&');
  return search === '' ? filled : `${filled}?${search}`;
}

/** Characters that end a segment, its name (`;`, RFC 3986 §3.3) or the path on some servers, and control characters. */
const SEPARATOR = /[/\\;?#]|[^ -~\u0080-\uffff]/;

/** No chain of servers decodes a path more often. */
const MAX_DECODINGS = 4;

/**
 * Returns a parameter that stays one segment however often an upstream decodes it.
 * @throws Failure NOT_FOUND for empty and dot segments and separators, however encoded
 */
function segmentOf(encoded: string): string {
  let text = encoded;
  for (let decodings = 0; decodings <= MAX_DECODINGS; decodings++) {
    if (/^\.{0,2}$/.test(text) || SEPARATOR.test(text)) break;
    const decoded = decodedOnce(text);
    if (decoded === text) return encoded;
    text = decoded;
  }
  throw nothingHere();
}

/** Decodes each byte by itself, like a lenient server. */
const decodedOnce = (text: string): string =>
  text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

type ParameterWriter = (
  place: Exclude<Location, 'cookie'>,
  values: Record<string, unknown>,
  encode: (text: string) => string,
) => [key: string, text: string][];

function parameterWriter(operation: Operation): ParameterWriter {
  const of = (place: Location) => formsIn(operation, place);
  const forms = { path: of('path'), query: of('query'), header: of('header') };
  return (place, values, encode) =>
    forms[place].flatMap(({ name, form }) => {
      if (values[name] === undefined) return [];
      return textsOf(name, form, values[name], place === 'header' && form.kind === 'json' ? inAscii : encode);
    });
}

/** Escapes JSON for a header, because fetch rejects characters beyond Latin-1. */
const inAscii = (json: string): string =>
  json.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
