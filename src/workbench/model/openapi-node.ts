import { isPlain, type Keys, keysOf, valueAt } from '@accord-api/platform/contract/document';

export type OpenApiNode = Record<string, unknown> & { $ref?: unknown };
export interface Version {
  value: unknown;
  path: Keys;
  document: unknown;
  /** Schemas that all apply, in place of `value`. */
  parts?: readonly Version[];
}

export const nodeOf = (version: Version | undefined): OpenApiNode => (isPlain(version?.value) ? version.value : {});
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const entriesOf = (value: unknown): [string, unknown][] => (isPlain(value) ? Object.entries(value) : []);

export function versionAt(version: Version | undefined, ...keys: Keys): Version | undefined {
  const value = valueAt(version?.value, keys.map(String));
  return version === undefined || value === undefined
    ? undefined
    : { ...version, value, path: [...version.path, ...keys] };
}

/** Follows references. Returns an empty object for a reference that leads nowhere or to itself. */
export function resolved(version: Version | undefined, met: readonly unknown[] = []): Version | undefined {
  const { $ref: reference, ...beside } = nodeOf(version);
  if (version === undefined || typeof reference !== 'string') return version;
  if (met.includes(reference)) return { ...version, value: {} };
  const path = keysOf(reference);
  const target = resolved({ ...version, path, value: valueAt(version.document, path) ?? {} }, [...met, reference]);
  const more = Object.keys(beside).some((key) => !isText(key));
  return more && target !== undefined ? { ...target, value: { ...nodeOf(target), ...beside } } : target;
}

/** Returns the reference of a value that has no other members but texts. */
export function referenceOf(version: Version | undefined): string | undefined {
  const { $ref: reference, ...beside } = nodeOf(version);
  return typeof reference === 'string' && Object.keys(beside).every(isText) ? reference : undefined;
}

const TEXTS = new Set(
  'title description summary example examples externalDocs $comment $id $schema $defs $anchor'.split(' '),
);
/** Returns true for keywords that change no message. */
export const isText = (keyword: string): boolean => TEXTS.has(keyword);

const NAMES = new Set(
  'properties patternProperties dependentSchemas dependentRequired $defs mapping headers responses content links callbacks encoding variables scopes flows'.split(
    ' ',
  ),
);
const DATA = new Set(['default', 'const', 'enum', 'required', 'security']);
type ValueKind = 'node' | 'names' | 'data';

const kindOf = (keyword: string, value: unknown, within: ValueKind): ValueKind => {
  if (within === 'data') return 'data';
  if (within === 'names') return 'node';
  if (NAMES.has(keyword) && isPlain(value)) return 'names';
  return DATA.has(keyword) || keyword.startsWith('x-') ? 'data' : 'node';
};

/** Returns a text that is equal for equal values: no descriptions, members sorted. */
export function canonical(value: unknown, kind: ValueKind = 'node'): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, kind === 'names' ? 'node' : kind)).join()}]`;
  if (!isPlain(value)) return JSON.stringify(value) ?? '';
  const members = Object.entries(value).filter(([key]) => kind !== 'node' || !isText(key));
  return `{${members
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member, kindOf(key, member, kind))}`)
    .sort()
    .join()}}`;
}

export const printed = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'object' && value !== null ? canonical(value, 'data') : `${value}`;

/** Returns true if a reference leads nowhere in another version. */
export const isGone = (reference: string | undefined, other: Version | undefined): boolean =>
  reference !== undefined && valueAt(other?.document, keysOf(reference)) === undefined;

const SCHEMAS = '#/components/schemas/';

/** Converts the value of a mapping, which may be only a name, to a reference. */
const referenceTo = (target: string): string => (/^[\w.-]+$/.test(target) ? SCHEMAS + target : target);
const referencesIn = (list: unknown): string[] =>
  listOf(list).flatMap((part) => (isPlain(part) && typeof part['$ref'] === 'string' ? [part['$ref']] : []));

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
export const hasGroup = (version: Version): boolean =>
  ['oneOf', 'anyOf'].some((kind) => nodeOf(version)[kind] !== undefined);

/** Returns the schemas by the discriminator values that select them, by the mapping or by name (OpenAPI 3.1, 4.8.25). */
export function targetsOf(version: Version | undefined): Map<string, string> {
  const { discriminator, oneOf, anyOf } = nodeOf(version);
  if (version === undefined || !isPlain(discriminator)) return new Map();
  const mapped = entriesOf(discriminator['mapping']).map(([value, to]) => [value, referenceTo(String(to))] as const);
  const listed = [...referencesIn(oneOf), ...referencesIn(anyOf)];
  const all = hasGroup(version) ? listed : heirsOf(placeOf(version), version.document);
  const others = all.filter((reference) => !mapped.some(([, target]) => target === reference));
  return new Map([...mapped, ...others.map((reference) => [String(keysOf(reference).at(-1)), reference] as const)]);
}

/** Returns references to the subtypes of a schema, if it has no alternatives. */
export function subtypesOf(version: Version | undefined): string[] {
  const schema = resolved(version);
  if (schema === undefined || hasGroup(schema)) return [];
  const own = placeOf(schema);
  if (isPlain(nodeOf(schema)['discriminator'])) return [...targetsOf(schema).values()].filter((name) => name !== own);
  return nodeOf(schema)['allOf'] !== undefined && own.startsWith(SCHEMAS) ? heirsOf(own, schema.document) : [];
}
