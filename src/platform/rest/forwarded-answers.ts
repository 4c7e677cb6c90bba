import { Failure, type FailureOptions } from '../calls/errors.js';
import { closed } from '../contract/closed.js';
import type { Catalogue, Code, Kind } from '../contract/codes.js';
import type { Response as DeclaredResponse, MediaType } from '../contract/document.js';
import type { Operation } from '../contract/openapi.js';
import { isObject } from '../contract/references.js';
import { bodyIssues, lazily, type schemaCompiler } from '../http/json-schema.js';
import { hiddenFaults } from '../http/json-text.js';
import type { Reply } from './represent.js';

/** Seconds after which another attempt makes sense. */
const RETRY_AFTER = 2;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;

/** What is said of one connection (RFC 9110 §7.6.1), or of the way in which a body came by it: nothing for the next one. */
export const OF_CONNECTION = [
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

/** What another service answered. */
export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

type Absent = (status: number, what: string, options?: FailureOptions) => Failure;

/** What it is when no answer comes: of the status that says most if the operation declares it and there is a code for it, else 503. */
export const absences =
  ({ operationId, operation: { responses } }: Operation, errors: Catalogue): Absent =>
  (status, what, options = {}) => {
    const message = `The service behind ${operationId} ${what}.`;
    const [told] = status !== 503 && responses[status] ? kindsOf(errors, status) : [];
    if (told) return new Failure(told[0] as Code, message, { cause: options.cause }, told[1]);
    return new Failure('UNAVAILABLE', message, { retryAfter: RETRY_AFTER, ...options });
  };

/** The codes of a status. */
const kindsOf = (errors: Catalogue, status: number): [code: string, kind: Kind][] =>
  Object.entries(errors).filter(([, kind]) => kind.status === status);

interface Understanding {
  /** Turns a header's addresses there into those here. */
  here: (name: string, value: string) => string;
  absent: Absent;
  ajv: ReturnType<typeof schemaCompiler>;
  errors: Catalogue;
}

/** How the answers to an operation are understood. What the contract does not declare is thrown, for the log to tell. */
export function answersOf(
  { operationId, forward, operation: { responses } }: Operation,
  { here, absent, ajv, errors }: Understanding,
) {
  const broken = (what: string) =>
    new Failure('INTERNAL', 'The service behind this one did not keep the contract.', {
      cause: new Error(`${forward?.to} answered ${operationId} ${what}`),
    });
  const bodies = new Map(
    Object.entries(responses).map(([status, declared]) => [Number(status), bodyReader(declared, ajv, broken)]),
  );

  return ({ status, headers, bytes }: Answer): Reply => {
    const declared = responses[status];
    const read = bodies.get(status);
    if (status === 401) throw broken('with 401: it does not take the credentials in its address');
    if (status >= 502 && status <= 504) {
      throw absent(status, 'is not available', { retryAfter: secondsOf(headers) ?? RETRY_AFTER });
    }
    if (status >= 500) throw broken(`with ${status}`);
    if (!declared || !read) throw broken(`with ${status}, which is not declared`);
    if (status >= 400) throw refusal(status, headers, bytes, errors);
    return { status, headers: headersOf(declared, headers, here), body: read(headers, bytes) };
  };
}

/** A refusal in the form of this service: by the code that the other one names, if that is one of its status here. */
function refusal(status: number, headers: Headers, bytes: Buffer, errors: Catalogue): Failure {
  const said = objectIn(bytes);
  const ofStatus = kindsOf(errors, status);
  const [code, kind] = ofStatus.find(([name]) => name === said['code']) ??
    ofStatus[0] ?? ['INTERNAL', errors['INTERNAL']];
  const message = [said['detail'], said['message'], said['error']].find((text) => typeof text === 'string');
  const retryAfter = secondsOf(headers);
  const options = retryAfter === undefined ? {} : { retryAfter };
  return new Failure(code as Code, String(message ?? kind?.description), options, kind as Kind);
}

/** The declared headers that it gave; those that answers have by themselves, and those of its connection, are ours. */
function headersOf({ headers: declared = {} }: DeclaredResponse, headers: Headers, here: Understanding['here']) {
  const named =
    headers
      .get('connection')
      ?.toLowerCase()
      .split(/[\s,]+/) ?? [];
  const ours = new Set([...OF_CONNECTION, ...named]);
  const own = Object.keys(declared)
    .filter((name) => declared[name]?.['x-automatic'] !== true)
    .map((name) => name.toLowerCase());
  const given = own
    .filter((name) => headers.has(name) && !ours.has(name))
    // Cookies have commas, so that they are no list.
    .map((name) => [name, name === 'set-cookie' ? headers.getSetCookie() : here(name, headers.get(name) as string)]);
  return Object.fromEntries(given) as Record<string, string | string[]>;
}

/** Reads a body as one of the declared media types: JSON by its schema, the rest as bytes. */
function bodyReader(
  { content = {} }: DeclaredResponse,
  ajv: ReturnType<typeof schemaCompiler>,
  broken: (what: string) => Failure,
): (headers: Headers, bytes: Buffer) => unknown {
  const types = Object.keys(content);
  const json = Object.entries(content).find(([type]) => JSON_TYPE.test(type))?.[1];
  const check = json && lazily(ajv, () => closed(schemaOf(json)));
  return (headers, bytes) => {
    if (types.length === 0) return undefined;
    const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'nothing';
    if (!check || !JSON_TYPE.test(type)) {
      if (types.includes(type)) return bytes;
      throw broken(`with ${type}, and the contract says ${types.join(', ')}`);
    }
    const body = parsed(bytes);
    if (body === undefined) throw broken('with what is no JSON');
    const [wrong] = [...hiddenFaults(bytes.toString()).issues, ...bodyIssues(check(body)).issues];
    if (wrong) throw broken(`with a body of which ${wrong.pointer || 'the whole'} ${wrong.detail}`);
    return body;
  };
}

const schemaOf = ({ schema = {} }: MediaType) => schema;

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

function objectIn(bytes: Buffer): Record<string, unknown> {
  const value = parsed(bytes);
  return isObject(value) ? value : {};
}

function secondsOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined;
}
