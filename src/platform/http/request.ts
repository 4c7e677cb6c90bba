import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
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
  return { traceparent: `00${traceparent.slice(2, 55)}`, ...(isPassedOn && { tracestate }) };
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
