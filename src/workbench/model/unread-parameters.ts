import type { OpenApiDocument, Parameter, Schema } from '@accord-api/platform/contract/document';
import { parameterForm } from '@accord-api/platform/contract/parameter-form';
import { placedOperations } from '@accord-api/platform/contract/placed-operations';
import { keysOf, valueAt } from '@accord-api/platform/contract/references';
import type { Finding } from './yaml-source.js';

type Place = Finding['path'];

/** Where the parameters of a list stand that is at a place, or may be: each once, however many refer to it. */
const listedAt = (document: OpenApiDocument, place: Place): Place[] =>
  ((valueAt(document, place.map(String)) ?? []) as { $ref?: string }[]).map(({ $ref }, index) =>
    $ref === undefined ? [...place, index] : keysOf($ref),
  );

/** The parameters that have no reading, by schema and style: they would reach a handler as something else than was declared. */
export function unreadParameters(document: OpenApiDocument): Finding[] {
  const places = placedOperations(document).flatMap(({ at }) =>
    [at.slice(0, -1), at].flatMap((owner) => listedAt(document, [...owner, 'parameters'])),
  );
  return [...new Map(places.map((place) => [place.join('\0'), place])).values()].flatMap((path) => {
    const parameter = valueAt(document, path.map(String)) as Parameter;
    const form = parameterForm(parameter, document as object as Schema);
    if (form.kind !== 'unread') return [];
    return [{ path, rule: 'parameter-form', message: `The ${parameter.in} parameter ${parameter.name} ${form.why}.` }];
  });
}
