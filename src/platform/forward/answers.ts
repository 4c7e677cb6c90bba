/** Turns the response of an upstream into the answer of a forwarded operation, or into a Failure. The handler of `x-forward` calls it. @module */

import { Failure, type FailureOptions, RETRY_AFTER_S } from '../calls/errors.js';
import type { Catalogue, Code, Kind } from '../contract/codes.js';
import { type Response as DeclaredResponse, isObject } from '../contract/document.js';
import type { Forward, Operation } from '../contract/openapi.js';
import { closedSchema } from '../contract/schemas.js';
import { strictJsonIssues } from '../http/bodies.js';
import { bodyIssues, lazily, type schemaCompiler } from '../http/json-schema.js';
import type { Reply } from '../rest/represent.js';
import type { UpstreamResponse } from './outside.js';

export type ForwardedOperation = Operation & { forward: Forward };

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;

/** Headers of one connection (RFC 9110 §7.6.1) or of the transfer of a body, which are not forwarded. */
export const CONNECTION_HEADERS = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

type CreateFailure = (status: number, what: string, options?: FailureOptions) => Failure;

/** Returns a function that creates the failure of a missing answer. Undeclared statuses become 503. */
export const missingAnswerFailure =
  ({ operationId, operation: { responses } }: Operation, errors: Catalogue): CreateFailure =>
  (status, what, options = {}) => {
    const message = `The service behind ${operationId} ${what}.`;
    const [declared] = status !== 503 && responses[status] ? codesOf(errors, status) : [];
    if (declared) return new Failure(declared[0] as Code, message, { cause: options.cause }, declared[1]);
    return new Failure('UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S, ...options });
  };

const codesOf = (errors: Catalogue, status: number): [code: string, kind: Kind][] =>
  Object.entries(errors).filter(([, kind]) => kind.status === status);

interface ReaderOptions {
  base: string;
  /** The operations of the same version and upstream. */
  siblings: readonly ForwardedOperation[];
  missingAnswer: CreateFailure;
  ajv: ReturnType<typeof schemaCompiler>;
  errors: Catalogue;
}

/** Returns a function that turns an answer into a reply. @throws Failure INTERNAL for an answer against the contract */
export function answerReader(
  { operationId, forward, operation: { responses } }: ForwardedOperation,
  { base, siblings, missingAnswer, ajv, errors }: ReaderOptions,
) {
  const invalidAnswer = (what: string) =>
    new Failure('INTERNAL', 'The service behind this one returned a response that violates the contract.', {
      cause: new Error(`${forward.to} answered ${operationId} ${what}`),
    });
  const translate = addressTranslator(base, siblings);
  const bodies = new Map(
    Object.entries(responses).map(([status, declared]) => [Number(status), bodyReader(declared, ajv, invalidAnswer)]),
  );

  return ({ status, headers, bytes }: UpstreamResponse): Reply => {
    const declared = responses[status];
    const readBody = bodies.get(status);
    if (status === 401) throw invalidAnswer('with 401: it does not accept the credentials of its URL');
    if (status >= 502 && status <= 504) {
      throw missingAnswer(status, 'is not available', { retryAfter: retryAfterIn(headers) ?? RETRY_AFTER_S });
    }
    if (status >= 500) throw invalidAnswer(`with ${status}`);
    if (!declared || !readBody) throw invalidAnswer(`with ${status}, which is not declared`);
    if (status >= 400) throw upstreamFailure(status, headers, bytes, errors);
    return { status, headers: headersOf(declared, headers, translate), body: readBody(headers, bytes) };
  };
}

/** Returns the failure of an upstream with the code that the upstream names, if that code has the status. */
function upstreamFailure(status: number, headers: Headers, bytes: Buffer, errors: Catalogue): Failure {
  const body = parseJson(bytes);
  const members: Record<string, unknown> = isObject(body) ? body : {};
  const ofStatus = codesOf(errors, status);
  const [code, kind] = ofStatus.find(([name]) => name === members['code']) ??
    ofStatus[0] ?? ['INTERNAL', errors['INTERNAL']];
  const message = [members['detail'], members['message'], members['error']].find((text) => typeof text === 'string');
  const retryAfter = retryAfterIn(headers);
  const options = retryAfter === undefined ? {} : { retryAfter };
  return new Failure(code as Code, String(message ?? kind?.description), options, kind as Kind);
}

/** Returns the declared headers except connection headers and `x-automatic` ones, which this service sets. */
function headersOf({ headers: declared = {} }: DeclaredResponse, headers: Headers, translate: AddressTranslator) {
  const named = (headers.get('connection') ?? '').toLowerCase().split(/[\s,]+/);
  const excluded = new Set([...CONNECTION_HEADERS, ...named]);
  const names = Object.entries(declared).flatMap(([name, header]) =>
    header['x-automatic'] === true ? [] : name.toLowerCase(),
  );
  const forwarded = names
    .filter((name) => headers.has(name) && !excluded.has(name))
    // The dates of cookies contain commas.
    .map((name) => [name, name === 'set-cookie' ? headers.getSetCookie() : translate(name, String(headers.get(name)))]);
  return Object.fromEntries(forwarded) as Record<string, string | string[]>;
}

/** Returns a reader that checks JSON by its schema, and returns other declared media types as bytes. */
function bodyReader(
  { content = {} }: DeclaredResponse,
  ajv: ReturnType<typeof schemaCompiler>,
  invalidAnswer: (what: string) => Failure,
): (headers: Headers, bytes: Buffer) => unknown {
  const types = Object.keys(content);
  const json = Object.entries(content).find(([type]) => JSON_TYPE.test(type))?.[1];
  const check = json && lazily(ajv, () => closedSchema(json.schema ?? {}));
  return (headers, bytes) => {
    if (types.length === 0) return undefined;
    const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'nothing';
    if (!check || !JSON_TYPE.test(type)) {
      if (types.includes(type)) return bytes;
      throw invalidAnswer(`with ${type}, but the contract declares ${types.join(', ')}`);
    }
    const body = parseJson(bytes);
    if (body === undefined) throw invalidAnswer('with invalid JSON');
    const [wrong] = [...strictJsonIssues(bytes.toString()).issues, ...bodyIssues(check(body)).issues];
    if (wrong) throw invalidAnswer(`with an invalid body: ${wrong.pointer || 'it'} ${wrong.detail}`);
    return body;
  };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

function retryAfterIn(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined;
}

type AddressTranslator = (name: string, value: string) => string;

/** Headers that contain only an address (RFC 9110 §8.7 and §10.2.2). */
const ADDRESS_HEADERS = new Set(['location', 'content-location']);

/**
 * Returns a function that translates the upstream's addresses in headers into addresses of this service, or removes
 * their origin.
 */
function addressTranslator(base: string, operations: readonly ForwardedOperation[]): AddressTranslator {
  const { origin } = new URL(base);
  const root = base.slice(origin.length);
  const ofUpstream = new RegExp(`${escapeRegExp(origin)}(?=[/?#\\s"'>;,]|$)`, 'g');
  const templates = operations.map(({ path, forward }) => ({ path, ...patternOf(forward.path) }));

  function translate(address: string): string {
    const relative = address.startsWith(`${root}/`) ? address.slice(root.length) : address;
    for (const { path, pattern, names } of templates) {
      const [found, ...values] = pattern.exec(relative) ?? [];
      if (found === undefined) continue;
      const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[names.indexOf(name)] ?? whole);
      // A path of this service may have more parameters.
      if (!filled.includes('{')) return filled + relative.slice(found.length);
    }
    return address;
  }

  return (name, value) => {
    const address = value.replaceAll(ofUpstream, '');
    return ADDRESS_HEADERS.has(name) && address.startsWith('/') ? translate(address) : address;
  };
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

function patternOf(template: string): { pattern: RegExp; names: string[] } {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parts = template.split(/\{\w+\}/).map(escapeRegExp);
  return { pattern: new RegExp(`^${parts.join('([^/?#]+)')}(?=[?#]|$)`), names };
}
