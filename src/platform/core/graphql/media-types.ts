/** The address of GraphQL, and its media types. @module */

import { acceptableTypes } from '../http/headers.js';

export const PATH = '/graphql';

const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';

/** Returns the media type of an answer (GraphQL over HTTP, "Accept"). `application/json` has precedence. */
export function mediaTypeFor(accept: string | undefined): string {
  if (accept === undefined) return JSON_TYPE;
  const known = accept.replace(/;\s*charset="?utf-8"?/gi, '');
  const takes = (type: string) => acceptableTypes(known, [type]).length > 0;
  return !takes('application/json') && takes('application/graphql-response+json') ? GRAPHQL_TYPE : JSON_TYPE;
}
