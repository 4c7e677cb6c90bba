import type { FastifyRequest } from 'fastify';
import { Failure } from '../calls/errors.js';
import type { Operation } from '../contract/openapi.js';
import { acceptable } from '../http/accept.js';

const PROBLEM = 'application/problem+json';

/** The media types that an operation can answer with when it succeeds, the first being the default. */
const offered = ({ operation }: Operation): string[] => [
  ...new Set(
    Object.entries(operation.responses)
      .filter(([status]) => status < '400')
      .flatMap(([, response]) => Object.keys(response.content ?? {})),
  ),
];

/** The vendor media type with a version; what else stands in it is none of a regular expression. */
const versionsIn = (mediaType: string): RegExp =>
  new RegExp(`(${mediaType.replaceAll(/[.+]/g, '\\$&')})\\s*;\\s*(?:version|v)="?[^",;\\s]+"?`, 'gi');

/**
 * The media type to answer with (RFC 9110 §12.5.1). An operation that does not declare 406 answers with its first,
 * whatever is asked for.
 * @throws Failure NOT_ACCEPTABLE
 */
export function chooseMediaType({ headers, server: { names } }: FastifyRequest, operation: Operation): string {
  const types = offered(operation);
  if (types.length === 0 || !('406' in operation.operation.responses)) return types[0] ?? '';
  // The version parameter of the vendor type has been read already; it names no other representation.
  const accept = headers.accept?.replace(versionsIn(names.mediaType), '$1');
  const [chosen] = acceptable(accept, types);
  if (chosen !== undefined) return chosen;
  throw new Failure('NOT_ACCEPTABLE', `This is served as ${types.join(' or ')}; failures are ${PROBLEM}.`);
}

/** @throws Failure UNSUPPORTED_MEDIA_TYPE when the body is of a type that this operation does not read */
export function refuseMediaType({ headers }: FastifyRequest, { operation }: Operation): void {
  const given = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const read = Object.keys(operation.requestBody?.content ?? {});
  if (given === undefined || read.length === 0 || read.includes(given)) return;
  throw new Failure('UNSUPPORTED_MEDIA_TYPE', `This operation reads ${read.join(' or ')}.`);
}
