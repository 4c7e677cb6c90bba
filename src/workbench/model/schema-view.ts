import { isPlain } from '@accord-api/platform/contract/document';
import {
  canonical,
  entriesOf,
  isText,
  listOf,
  nodeOf,
  printed,
  resolved,
  type Version,
  versionAt,
} from './openapi-node.js';

const RESTRICTED: [RegExp, string[]][] = [
  [/Length$|^pattern$|^content[EMS]|^x-uncommon$/, ['string']],
  [/imum$|^multipleOf$/, ['integer', 'number']],
  [/Items$|^prefixItems$|[cC]ontains$/, ['array']],
  [/Properties$|^propertyNames$|^dependent/, ['object']],
];

export function concerns(keyword: string, types: ReadonlySet<string> | undefined): boolean {
  const own = RESTRICTED.find(([name]) => name.test(keyword))?.[1];
  return own === undefined || types === undefined || own.some((type) => types.has(type));
}

/** Keywords that have members of their own in a view. */
const STRUCTURE = new Set([
  ...'$ref allOf oneOf anyOf then else type nullable enum const properties required additionalProperties'.split(' '),
  ...'unevaluatedProperties items discriminator readOnly writeOnly'.split(' '),
  ...'x-extensible-enum x-deprecation x-sunset'.split(' '),
]);

export interface AlternativeGroup {
  kind: 'oneOf' | 'anyOf';
  alternatives: Version[];
  at: Version;
}

/** The merged keywords of a schema, its references and its `allOf`. */
export interface View {
  /** Without null; undefined for any type. */
  types: Set<string> | undefined;
  nullable: boolean;
  /** The keywords that state the type, and null separately. */
  typed: Version | undefined;
  nulled: Version | undefined;
  /** The values of `enum` or `const` by their text, without null. */
  values: Map<string, Version> | undefined;
  listed: Version | undefined;
  keywords: Map<string, Version>;
  properties: Map<string, Version>;
  required: Map<string, Version>;
  /** The schema of other properties: undefined for any, false for none. */
  extra: Version | undefined;
  items: Version | undefined;
  groups: AlternativeGroup[];
  nodes: Version[];
}

const isAnything = (value: unknown): boolean =>
  value === undefined || value === true || (isPlain(value) && Object.keys(value).every(isText));
const isNothing = (value: unknown): boolean =>
  value === false || (isPlain(value) && 'not' in value && isAnything(value['not']));

/** Values of keywords that have no effect. */
const USUAL: Record<string, unknown> = {
  ...{ minLength: 0, minItems: 0, minProperties: 0, uniqueItems: false, deprecated: false, 'x-uncommon': false },
  ...{ pattern: '.*', minContains: 1, nullable: false },
};

function intersection(all: Set<string> | undefined, own: readonly unknown[]): Set<string> {
  const other = new Set(own.filter((type) => type !== 'null').map(String));
  if (all === undefined) return other;
  const both = [...all].filter((type) => other.has(type) || (type === 'integer' && other.has('number')));
  return new Set([...both, ...(all.has('number') && other.has('integer') ? ['integer'] : [])]);
}

/** Merges two values of a keyword: the stricter limit, or else both. */
function merged(keyword: string, known: Version | undefined, own: Version): Version {
  if (known === undefined || canonical(known.value) === canonical(own.value)) return known ?? own;
  const [a, b] = [known.value, own.value];
  if (typeof a === 'number' && typeof b === 'number' && /^(?:exclusive)?m(?:in|ax)/i.test(keyword))
    return a > b === /min/i.test(keyword) ? known : own;
  if (keyword.startsWith('x-') || keyword === 'default') return own;
  return {
    ...own,
    value: [known, own]
      .map(({ value }) => printed(value))
      .sort()
      .join(' and '),
  };
}

function append(map: Map<string, Version>, name: string, own: Version): void {
  const known = map.get(name);
  map.set(name, known === undefined ? own : { ...known, value: undefined, parts: [...(known.parts ?? [known]), own] });
}

function addOwn(view: View, version: Version): void {
  const node = nodeOf(version);
  const own = (...keys: (string | number)[]) => versionAt(version, ...keys) as Version;
  view.nodes.push(version);
  if (node['type'] !== undefined) {
    const types = [node['type']].flat();
    view.types = intersection(view.types, types);
    view.nullable &&= types.includes('null') || node['nullable'] === true;
    view.typed ??= own('type');
  }
  const list = Array.isArray(node['enum']) ? node['enum'] : 'const' in node ? [node['const']] : undefined;
  if (list !== undefined) {
    const at = (index: number) => own(...(Array.isArray(node['enum']) ? ['enum', index] : ['const']));
    const values = list.flatMap((item, i) => (item === null ? [] : [[canonical(item, 'data'), at(i)] as const]));
    view.values = new Map(view.values === undefined ? values : values.filter(([key]) => view.values?.has(key)));
    view.nullable &&= list.includes(null);
    view.listed ??= own(Array.isArray(node['enum']) ? 'enum' : 'const');
  }
  for (const [name] of entriesOf(node['properties'])) append(view.properties, name, own('properties', name));
  for (const [index, name] of listOf(node['required']).entries())
    if (!view.required.has(String(name))) view.required.set(String(name), own('required', index));
  for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
    if (isAnything(node[keyword]) || view.extra?.value === false) continue;
    view.extra = isNothing(node[keyword]) ? { ...own(keyword), value: false } : own(keyword);
  }
  if (!isAnything(node['items'])) view.items ??= own('items');
  for (const [keyword, value] of Object.entries(node)) {
    if (isText(keyword) || STRUCTURE.has(keyword) || value === USUAL[keyword]) continue;
    const { if: condition, then: yes, else: no } = node;
    const version = keyword === 'if' ? { ...own(keyword), value: { condition, yes, no } } : own(keyword);
    view.keywords.set(keyword, merged(keyword, view.keywords.get(keyword), version));
  }
}

const isNull = (version: Version): boolean => {
  const { type, const: value, enum: values } = nodeOf(resolved(version));
  return [type].flat().join() === 'null' || value === null || (Array.isArray(values) && values.join() === '');
};

const isConstant = (version: Version): boolean =>
  'const' in nodeOf(version) &&
  Object.keys(nodeOf(version)).every((key) => isText(key) || /^(?:const|type)$/.test(key));

/** Adds alternatives. The alternative null makes the schema nullable. A single other alternative is merged like `allOf`. */
function addGroup(view: View, version: Version, kind: AlternativeGroup['kind'], met: Set<unknown>): void {
  const all = listOf(nodeOf(version)[kind]).map((_, index) => versionAt(version, kind, index) as Version);
  if (all.length === 0) return;
  const others = all.filter((version) => !isNull(version));
  const [first] = others;
  const at = versionAt(version, kind) as Version;
  // Constants with descriptions are equivalent to an `enum`.
  if (others.length > 1 && others.every(isConstant)) {
    const values = others.map(
      (version) => [canonical(nodeOf(version)['const'], 'data'), versionAt(version, 'const') as Version] as const,
    );
    view.values = new Map(values.filter(([key]) => view.values?.has(key) ?? true));
    view.nullable &&= others.length < all.length;
    view.listed ??= at;
  } else if (first !== undefined && others.length === 1) {
    const before = view.nullable;
    add(view, first, met);
    if (others.length < all.length) {
      view.nullable = before;
      view.nulled ??= at;
    }
  } else if (others.length > 0) {
    const hasNull = others.length < all.length;
    view.nullable &&= hasNull || others.some((version) => isNullable(version, met));
    if (hasNull) view.nulled ??= at;
    view.groups.push({ kind, alternatives: others, at });
  }
}

const isNullable = (version: Version, met: ReadonlySet<unknown>): boolean =>
  met.has(resolved(version)?.value) ? true : viewOf(version, new Set(met)).nullable;

function add(view: View, version: Version, met: Set<unknown>): void {
  for (const part of version.parts ?? []) add(view, part, met);
  if (isNothing(version.value)) Object.assign(view, { types: new Set(), nullable: false, typed: version });
  const { value } = version;
  if (!isPlain(value) || isNothing(value) || met.has(value)) return;
  met.add(value);
  if (typeof value['$ref'] === 'string')
    add(view, resolved({ ...version, value: { $ref: value['$ref'] } }) as Version, met);
  for (const index of listOf(value['allOf']).keys()) add(view, versionAt(version, 'allOf', index) as Version, met);
  addOwn(view, version);
  for (const kind of ['oneOf', 'anyOf'] as const) addGroup(view, version, kind, met);
  if (value['nullable'] === true && value['type'] === undefined)
    Object.assign(view, { nullable: true, nulled: versionAt(version, 'nullable') });
}

const typeOf = (value: unknown): string => {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** Returns the view of a schema. An absent schema allows everything. */
export function viewOf(version: Version | undefined, met = new Set<unknown>()): View {
  const view: View = {
    ...{ types: undefined, nullable: true, typed: undefined, nulled: undefined, values: undefined, listed: undefined },
    ...{ keywords: new Map(), properties: new Map(), required: new Map(), extra: undefined },
    ...{ items: undefined, groups: [], nodes: [] },
  };
  if (version !== undefined) add(view, version, met);
  const { keywords, values } = view;
  if (values !== undefined && view.types === undefined) {
    view.types = new Set([...values.values()].map(({ value }) => typeOf(value)));
    view.typed = view.listed;
  }
  // An exclusive limit of integers is the next inclusive limit.
  if (view.types?.has('integer') && !view.types.has('number'))
    for (const [exclusive, inclusive, step] of [
      ['exclusiveMinimum', 'minimum', 1],
      ['exclusiveMaximum', 'maximum', -1],
    ] as const) {
      const own = keywords.get(exclusive);
      if (typeof own?.value !== 'number' || !Number.isInteger(own.value)) continue;
      keywords.delete(exclusive);
      keywords.set(inclusive, merged(inclusive, keywords.get(inclusive), { ...own, value: own.value + step }));
    }
  for (const keyword of keywords.keys()) if (!concerns(keyword, view.types)) keywords.delete(keyword);
  return view;
}

/** Returns true if a schema restricts neither types nor members. */
export const isUnrestricted = (view: View): boolean =>
  view.types === undefined &&
  view.properties.size + view.required.size + view.groups.length === 0 &&
  view.extra === undefined &&
  view.items === undefined;

/** Returns true for a property that messages in a direction lack. */
export const isHidden = (version: Version, direction: 'request' | 'response'): boolean =>
  viewOf(version).nodes.some((node) => nodeOf(node)[direction === 'request' ? 'readOnly' : 'writeOnly'] === true);

/** Returns the name of an alternative: its component, title or type. */
export function labelOf(version: Version): string {
  const node = nodeOf(version);
  if (typeof node['$ref'] === 'string') return String(node['$ref'].split('/').at(-1));
  if (typeof node['title'] === 'string') return node['title'];
  const { types } = viewOf(version);
  return types === undefined ? 'anything' : [...types].sort().join(' | ');
}

export const allTypesOf = ({ types, groups }: View): string[] =>
  types ? [...types] : groups.flatMap(({ alternatives }) => alternatives.flatMap((part) => allTypesOf(viewOf(part))));

/** Returns the alternatives of a schema, or the schema itself, or one alternative for each of its types. */
export function listOfGroups({ groups, types, properties }: View, version: Version | undefined): Version[] {
  if (groups.length > 0) return groups.flatMap(({ alternatives }) => alternatives);
  if (version === undefined) return [];
  const [only, ...others] = Object.entries(nodeOf(version)).filter(([key]) => !isText(key) && key !== 'discriminator');
  const [kind = '', list] = only ?? [];
  const index = listOf(list).findIndex((_, at) => !isNull(versionAt(version, kind, at) as Version));
  if (/^(?:one|any|all)Of$/.test(kind) && others.length === 0 && index >= 0)
    return [versionAt(version, kind, index) as Version];
  if (types === undefined || types.size < 2 || properties.size > 0) return [version];
  return [...types].map((type) => ({ ...version, value: { type } }));
}

/** Returns the constant properties, by which clients distinguish alternatives. */
export const constantsOf = (version: Version): string =>
  [...viewOf(version).properties]
    .flatMap(([name, version]) => {
      const { values } = viewOf(version);
      return values?.size === 1 ? [`${name}=${[...values.keys()].join()}`] : [];
    })
    .sort()
    .join();
