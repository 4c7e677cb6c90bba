import { upgradeFromThreeToThreeOne } from '@scalar/openapi-upgrader/3.0-to-3.1';
import { isObject } from 'accord/contract/references';

/** What is data: nothing in it is a keyword. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'value']);
/** A path item may say more beside its reference, a schema may not. */
const OF_PATHS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'parameters', 'servers'];

/** What the library reads otherwise than OpenAPI 3.0 means it, in words that it does not touch. */
function plainly(node: unknown, names: boolean): void {
  if (Array.isArray(node)) for (const one of node) plainly(one, false);
  if (!isObject(node)) return;
  if (!names) {
    // What stands beside a reference is to be ignored (OpenAPI 3.0.3, 4.7.23).
    if (typeof node['$ref'] === 'string' && !OF_PATHS.some((key) => key in node)) {
      for (const key of Object.keys(node)) if (key !== '$ref') delete node[key];
    }
    if (node['nullable'] === false) delete node['nullable'];
    if (node['type'] === 'string' && node['format'] === 'byte') {
      delete node['format'];
      node['contentEncoding'] = 'base64';
    }
  }
  for (const [key, value] of Object.entries(node)) {
    if (names || !(DATA.has(key) || key.startsWith('x-'))) plainly(value, !names && key === 'properties');
  }
}

/** A document of OpenAPI 3.0 in the words of 3.1, for whoever compares what the two say. */
export function upgraded(document: Record<string, unknown>): Record<string, unknown> {
  const copy = structuredClone(document);
  plainly(copy, false);
  return upgradeFromThreeToThreeOne(copy) as unknown as Record<string, unknown>;
}
