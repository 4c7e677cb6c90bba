import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import parseRange from 'range-parser';
import { BOUNDS } from '../bounds.js';

/** Returns the id that the caller gave the request, if it is valid, or else a new one. */
export function requestIdOf({ 'x-request-id': id }: IncomingHttpHeaders): string {
  const isValid = typeof id === 'string' && id.length <= BOUNDS.requestId.value && /^[\w.:+/=@-]+$/.test(id);
  return isValid ? id : randomUUID();
}

/** The version, the ids of trace and parent, and the flags. A version after 00 may have more fields. */
const TRACEPARENT = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;

/** The length that W3C Trace Context asks servers to pass on. A longer one could exceed the limits of upstreams. */
const TRACESTATE = /^[ -~]{1,512}$/;

/** Returns valid headers of a trace (W3C Trace Context), in version 00. */
export function traceOf({ traceparent, tracestate }: IncomingHttpHeaders) {
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return undefined;
  const isPassedOn = typeof tracestate === 'string' && TRACESTATE.test(tracestate);
  const passedOn = `00${traceparent.slice(2, 55)}`;
  return isPassedOn ? { traceparent: passedOn, tracestate } : { traceparent: passedOn };
}

/** negotiator takes quadratic time for an unclosed quote. */
const MAX_ACCEPT_LENGTH = 2048;

/**
 * Returns the acceptable media types, the best first (RFC 9110 §12.5.1): all without `Accept`, none for one that is too
 * long.
 */
export function acceptableTypes<MediaType extends string>(
  accept: string | undefined,
  offered: readonly MediaType[],
): MediaType[] {
  if (accept === undefined) return [...offered];
  if (accept.length > MAX_ACCEPT_LENGTH) return [];
  return new Negotiator({ headers: { accept } }).mediaTypes([...offered]) as MediaType[];
}

/** Returns the values of all lines of a header. Node's `headers` may keep only the first. @param name in lower case */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const one = rawHeaders[at] as string;
    if (one.length === name.length && one.toLowerCase() === name) lines.push(rawHeaders[at + 1] as string);
  }
  return lines;
}

export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

const varyNames = (reply: FastifyReply): string[] =>
  [reply.getHeader('vary') ?? []]
    .flat()
    .join(',')
    .split(',')
    .flatMap((name) => name.trim() || []);

/** Adds a header to `Vary` (RFC 9110 §12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  if (!reply.hasHeader('vary')) return void reply.header('vary', name);
  const names = varyNames(reply);
  if (!names.some((text) => text.toLowerCase() === name.toLowerCase()))
    reply.header('vary', [...names, name].join(', '));
}

const compress = promisify(gzip);

const compressed = new WeakMap<Buffer, Promise<Buffer> | undefined>();

/**
 * Marks bytes that are equal for all callers. The length of other bytes would reveal secrets if compressed
 * (BREACH).
 */
export function markCompressible(bytes: Buffer): Buffer {
  if (!compressed.has(bytes)) compressed.set(bytes, undefined);
  return bytes;
}

/** Returns true if a body is sent with gzip, and adds to `Vary`. A range selects plain bytes. */
export function negotiateGzip({ raw, headers }: FastifyRequest, reply: FastifyReply, body: unknown): boolean {
  if (!Buffer.isBuffer(body) || !compressed.has(body)) return false;
  addVary(reply, 'Accept-Encoding');
  return headers.range === undefined && new Negotiator(raw).encodings(['gzip']).includes('gzip');
}

/** Sends bytes compressed, plain, or as one range (RFC 9110 §14.2). */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, whole: Buffer): Promise<FastifyReply> {
  reply.header('accept-ranges', 'bytes');
  if (negotiateGzip(request, reply, whole)) {
    const pending = compressed.get(whole) ?? compress(whole);
    compressed.set(whole, pending);
    return reply.header('content-encoding', 'gzip').send(await pending);
  }
  const { range, 'if-range': ifRange } = request.headers;
  const isCurrent = ifRange === undefined || ifRange === reply.getHeader('etag');
  // Ranges apply to GET only.
  const isRange = range !== undefined && isCurrent && request.method === 'GET';
  const ranges = isRange ? parseRange(whole.length, range) : undefined;
  if (!Array.isArray(ranges) || ranges.type !== 'bytes' || ranges.length !== 1) return reply.send(whole);
  const { start, end } = ranges[0] as { start: number; end: number };
  reply.code(206).header('content-range', `bytes ${start}-${end}/${whole.length}`);
  return reply.send(whole.subarray(start, end + 1));
}

/** RFC 9112 §6. Node sets `complete` after the event for the headers. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Returns true for the request of a WebSocket. */
export const isUpgrade = ({ raw }: FastifyRequest): boolean => (raw as { upgrade?: boolean }).upgrade === true;

/** Fetch, "CORS-preflight request". */
export const isPreflight = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
