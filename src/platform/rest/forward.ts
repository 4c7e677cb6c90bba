import { Readable } from 'node:stream';
import { authoriseRole } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { Catalogue } from '../contract/codes.js';
import type { Location } from '../contract/document.js';
import { kindOf } from '../contract/media-types.js';
import type { Operation } from '../contract/openapi.js';
import { parameterForm, textsOf } from '../contract/parameter-form.js';
import type { Dependency } from '../database/outages.js';
import type { schemaCompiler } from '../http/json-schema.js';
import type { Context } from './context.js';
import { addressesHere, type Forwarded } from './forwarded-addresses.js';
import { type Answer, absences, answersOf, OF_CONNECTION } from './forwarded-answers.js';
import { isInexact, nameOf, parametersIn } from './parameters.js';
import type { Reply } from './represent.js';
import type { ReadRequest } from './validation.js';

/** A service behind this one, to which operations are handed on (`x-forward`). */
export interface Upstream {
  /** Where it is. A user name and a password in it are sent as Basic credentials. */
  url: string;
  /** Told whether it answers. */
  dependency: Dependency;
}

/** By the names that the contract uses. */
export type Upstreams = Readonly<Record<string, Upstream>>;

/** Milliseconds for its whole answer: less than a handler gets, so that the answer says who took too long. */
const TIME = 8_000;
/** Bytes of an answer that are read. */
const MAX_ANSWER = 8 * 1024 * 1024;
/** What only this service says to the other one, whatever the contract declares: who calls, for which host, and which part of it. */
const OURS = new Set([
  ...OF_CONNECTION,
  'accept-encoding',
  'authorization',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'if-range',
  'range',
  'x-forwarded-for',
  'x-forwarded-groups',
  'x-forwarded-user',
  'x-request-id',
]);

/**
 * The handler of an operation that another service carries out. The stages before it are those of all operations; it decides by
 * the role, checks the content, hands the call on, and holds the answer to the contract: what that does not declare is INTERNAL.
 * @param siblings the operations of the same version that the same service carries out, to whose addresses its own are turned
 * @param errors the codes of the application, into which refusals are put by their status
 */
export function forwarding(
  operation: Forwarded,
  siblings: readonly Forwarded[],
  { url, dependency }: Upstream,
  ajv: ReturnType<typeof schemaCompiler>,
  errors: Catalogue,
) {
  const { method, permission, forward } = operation;
  const { base, credentials } = addressOf(url);
  const absent = absences(operation, errors);
  const understand = answersOf(operation, { here: addressesHere(base, siblings), absent, ajv, errors });
  const textsIn = writerOf(operation);
  const [bodyType] = Object.keys(operation.operation.requestBody?.content ?? {});

  return async (request: ReadRequest, { call }: Pick<Context, 'call'>): Promise<Reply> => {
    if (permission !== 'public') authoriseRole(call, permission.action);
    // A number that is not the one that was sent would name something else there.
    if (Object.values(request.path).some(isInexact))
      throw new Failure('NOT_FOUND', 'There is nothing at this address.');
    await call.checkpoint();
    const { actor, address, requestId } = call;
    const body =
      bodyType !== undefined && request.body !== undefined
        ? { type: request.mediaType || bodyType, sent: bodyOf(request) }
        : undefined;
    // Of what the client sent, only what the contract declares: no credential, and no word of its own on who it is.
    const headers = {
      accept: '*/*',
      ...Object.fromEntries(textsIn('header', request.headers, String).filter(([name]) => !OURS.has(name))),
      ...credentials,
      'x-request-id': requestId,
      'x-forwarded-for': address,
      ...(actor && { 'x-forwarded-user': String(actor.id), 'x-forwarded-groups': actor.role.toLowerCase() }),
      ...(body && { 'content-type': body.type }),
    };
    const init = {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIME),
      ...body?.sent,
    } as const;
    return understand(await ask(base + addressFor(forward.path, request, textsIn), init));
  };

  /** An answer of any status; a service that gives none is told of as away. */
  async function ask(address: string, init: RequestInit): Promise<Answer> {
    try {
      const response = await fetch(address, init);
      const answer = { status: response.status, headers: response.headers, bytes: await bytesOf(response) };
      dependency.back();
      return answer;
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      const timedOut = (cause as Error).name === 'TimeoutError';
      dependency.away(timedOut ? 'it took too long' : reasonOf(cause));
      if (timedOut) throw absent(504, 'took too long', { cause });
      throw absent(503, 'cannot be reached', { cause });
    }
  }
}

/** A stream is handed on as it comes. */
const bodyOf = ({ body, mediaType }: ReadRequest): Pick<RequestInit, 'body' | 'duplex'> =>
  body instanceof Readable
    ? { body: body as never, duplex: 'half' }
    : { body: kindOf(mediaType) === 'text' ? String(body) : JSON.stringify(body) };

async function bytesOf({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_ANSWER) {
      const cause = new Error(`an answer of more than ${MAX_ANSWER} bytes`);
      throw new Failure('INTERNAL', 'The service behind this one answered too much.', { cause });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** fetch refuses an address with credentials. */
function addressOf(url: string) {
  const { username, password, origin, pathname } = new URL(url);
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    base: origin + pathname.replace(/\/$/, ''),
    credentials: username === '' ? {} : { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
  };
}

/** A template with the values of a request, and its query. What would lead to another address there names nothing. */
function addressFor(template: string, { path, query }: ReadRequest, textsIn: TextsIn): string {
  const segments = new Map(textsIn('path', path, encodeURIComponent));
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(segments.get(name) ?? ''));
  const search = textsIn('query', query, encodeURIComponent)
    .map(([name, text]) => `${encodeURIComponent(name)}=${text}`)
    .join('&');
  return search === '' ? filled : `${filled}?${search}`;
}

/** Dots alone stay what they are however they are escaped (URL Standard, "double-dot URL path segment"), and nothing is no segment. */
function segmentOf(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new Failure('NOT_FOUND', 'There is nothing at this address.');
  return value;
}

type TextsIn = (
  place: Location,
  values: Record<string, unknown>,
  escaped: (text: string) => string,
) => [key: string, text: string][];

/** @returns writes the parameters of a place that were read, as the contract has them written */
function writerOf(operation: Operation): TextsIn {
  const forms = new Map(
    (['path', 'query', 'header'] as const).map((place) => [
      place as Location,
      new Map(parametersIn(operation, place).map((one) => [nameOf(one), parameterForm(one)])),
    ]),
  );
  return (place, values, escaped) =>
    Object.entries(values).flatMap(([name, value]) => {
      const form = forms.get(place)?.get(name);
      if (form === undefined) return [];
      return textsOf(name, form, value, place === 'header' && form.kind === 'json' ? inAscii : escaped);
    });
}

/** JSON by the characters that every header may hold; fetch refuses others. */
const inAscii = (json: string): string =>
  json.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Why a request of fetch failed, in a word. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
