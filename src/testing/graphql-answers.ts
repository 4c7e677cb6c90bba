import type { Catalogue } from '@accord-api/platform/internals/contract/codes';
import type { Json } from './people.js';

/**
 * Holds an answer of GraphQL to docs/decisions.md, "The 200 rule of GraphQL", and to the shape of errors.
 * @param body one result, or those of a batch
 * @param catalogue the error codes that there are
 * @returns what is wrong, in words
 */
export function* graphqlBreaches(response: Response, body: Json, catalogue: Catalogue): Generator<string> {
  if (response.status !== 200) yield `GraphQL answered ${response.status}`;
  const isShed = body.errors?.[0]?.message === 'The service is overloaded.';
  if (!isShed && !response.headers.has('x-rate-limit-limit')) yield 'GraphQL sent no rate headers';
  for (const result of Array.isArray(body) ? body : [body]) yield* resultBreaches(result, catalogue);
}

/** The same of one result, over HTTP or a socket. */
export function* resultBreaches({ errors = [] }: Json, catalogue: Catalogue): Generator<string> {
  for (const { message, path = [], locations = [], extensions } of errors) {
    const { code, statusCode } = extensions;
    if (typeof message !== 'string') yield 'an error has no message';
    if (catalogue[code]?.status !== statusCode) yield `${code} came with the status ${statusCode}`;
    if (path.some((key: unknown) => typeof key !== 'string' && typeof key !== 'number'))
      yield 'a path holds no name or index';
    for (const { line, column } of locations) if (!line || !column) yield 'a location has no line or column';
  }
}
