import { Failure } from '../calls/errors.js';
import type { Operation } from '../contract/openapi.js';
import { acceptable } from '../http/accept.js';
import { bodyFormFor, bodyForms } from './request-body.js';

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
 * How an operation chooses the media type to answer with (RFC 9110 §12.5.1). One that does not declare 406 answers with its
 * first, whatever is asked for.
 * @param vendor the media type of the application
 * @returns by the `Accept` of a request; throws Failure NOT_ACCEPTABLE
 */
export function answerTypes(operation: Operation, vendor: string): (accept: string | undefined) => string {
  const types = offered(operation);
  const [first = ''] = types;
  if (types.length === 0 || !('406' in operation.operation.responses)) return () => first;
  const versions = versionsIn(vendor);
  return (accept) => {
    if (accept === undefined || accept === '*/*') return first;
    if (types.includes(accept)) return accept;
    // The version parameter of the vendor type has been read already; it names no other representation.
    const [chosen] = acceptable(accept.replace(versions, '$1'), types);
    if (chosen !== undefined) return chosen;
    throw new Failure('NOT_ACCEPTABLE', `This is served as ${types.join(' or ')}; failures are ${PROBLEM}.`);
  };
}

/** @returns throws Failure UNSUPPORTED_MEDIA_TYPE for the `Content-Type` of a body that this operation does not read */
export function bodyTypes(operation: Operation): (contentType: string | undefined) => void {
  const read = bodyForms(operation).map(({ type }) => type);
  const formFor = bodyFormFor(operation);
  return (contentType) => {
    if (contentType === undefined || read.length === 0 || formFor(contentType)) return;
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', `This operation reads ${read.join(' or ')}.`);
  };
}
