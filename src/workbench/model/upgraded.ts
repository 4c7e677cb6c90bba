import { upgradeFromThreeToThreeOne } from '@scalar/openapi-upgrader/3.0-to-3.1';
import { elementsOf } from './elements.js';

/** What the library reads otherwise than OpenAPI 3.0 means it, in words that it does not touch. */
function plainly(document: object): void {
  for (const { kind, object } of elementsOf(document)) {
    // What stands beside a reference is to be ignored (OpenAPI 3.0.3, 4.7.23); a path item may say more.
    if (typeof object.$ref === 'string' && kind !== 'pathItem') {
      for (const key of Object.keys(object)) if (key !== '$ref') delete object[key];
    }
    if (kind !== 'schema') continue;
    if (object.nullable === false) delete object.nullable;
    if (object.type === 'string' && object.format === 'byte') {
      delete object.format;
      object.contentEncoding = 'base64';
    }
  }
}

/** A document of OpenAPI 3.0 in the words of 3.1, for whoever compares what the two say. */
export function upgraded(document: Record<string, unknown>): Record<string, unknown> {
  const copy = structuredClone(document);
  plainly(copy);
  return upgradeFromThreeToThreeOne(copy) as unknown as Record<string, unknown>;
}
