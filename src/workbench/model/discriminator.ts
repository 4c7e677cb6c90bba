import { isPlain, keysOf } from '@accord-api/platform/contract/references';
import { entriesOf, listOf, nodeOf, resolved, type Version } from './openapi-node.js';

const SCHEMAS = '#/components/schemas/';

/** Returns the reference of a schema in a mapping, which may be only its name. */
const referenceTo = (target: string): string => (/^[\w.-]+$/.test(target) ? SCHEMAS + target : target);
const referencesIn = (list: unknown): string[] =>
  listOf(list).flatMap((one) => (isPlain(one) && typeof one['$ref'] === 'string' ? [one['$ref']] : []));

/** Returns the components that extend another one by `allOf`, directly or not. */
function heirsOf(base: string, document: unknown): string[] {
  const schemas = entriesOf((document as { components?: { schemas?: unknown } }).components?.schemas);
  const found = new Set([base]);
  for (const known of found)
    for (const [name, schema] of schemas)
      if (isPlain(schema) && referencesIn(schema['allOf']).includes(known)) found.add(SCHEMAS + name);
  return [...found].slice(1);
}

const placeOf = ({ path }: Version): string => `#/${path.join('/')}`;
/** Returns true if a schema has alternatives. */
export const hasGroup = (version: Version): boolean =>
  ['oneOf', 'anyOf'].some((kind) => nodeOf(version)[kind] !== undefined);

/** Returns the values of a discriminator with the schemas that they select: by the mapping, else by name (OpenAPI 3.1, 4.8.25). */
export function targetsOf(version: Version | undefined): Map<string, string> {
  const { discriminator, oneOf, anyOf } = nodeOf(version);
  if (version === undefined || !isPlain(discriminator)) return new Map();
  const mapped = entriesOf(discriminator['mapping']).map(([value, to]) => [value, referenceTo(String(to))] as const);
  const listed = [...referencesIn(oneOf), ...referencesIn(anyOf)];
  const all = hasGroup(version) ? listed : heirsOf(placeOf(version), version.document);
  const others = all.filter((one) => !mapped.some(([, target]) => target === one));
  return new Map([...mapped, ...others.map((one) => [String(keysOf(one).at(-1)), one] as const)]);
}

/** Returns the references of the subtypes that may stand in the place of a schema without being one of its alternatives. */
export function subtypesOf(version: Version | undefined): string[] {
  const schema = resolved(version);
  if (schema === undefined || hasGroup(schema)) return [];
  const own = placeOf(schema);
  if (isPlain(nodeOf(schema)['discriminator'])) return [...targetsOf(schema).values()].filter((one) => one !== own);
  return nodeOf(schema)['allOf'] !== undefined && own.startsWith(SCHEMAS) ? heirsOf(own, schema.document) : [];
}
