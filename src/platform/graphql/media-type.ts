import { acceptable } from '../http/request.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';

/**
 * The media type of an answer (GraphQL over HTTP, "Accept"). Who asks for `application/graphql-response+json` alone gets it;
 * everybody else, also who takes neither, gets `application/json`.
 */
export function mediaTypeFor(accept: string | undefined): string {
  if (accept === undefined) return JSON_TYPE;
  const known = accept.replace(/;\s*charset="?utf-8"?/gi, '');
  const takes = (type: string) => acceptable(known, [type]).length > 0;
  return !takes('application/json') && takes('application/graphql-response+json') ? GRAPHQL_TYPE : JSON_TYPE;
}
