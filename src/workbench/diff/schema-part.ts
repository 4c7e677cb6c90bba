import { isPlain } from 'accord/contract/references';
import type { Part, Spot, Written } from './form.js';
import { follow } from './spot.js';

export type Node = Record<string, unknown>;

/** What is said of something, and where. */
export interface Stated<T = unknown> {
  value: T;
  spot: Spot;
}

/** A member that an object names, with what it must be. */
export interface Member {
  part: Part;
  spot: Spot;
}

/** Alternatives of which one must hold (JSON Schema, 10.2.1). */
export interface Group {
  kind: 'oneOf' | 'anyOf';
  alternatives: Part[];
  spot: Spot;
}

/** What one schema says itself. */
export interface Said {
  node: Node;
  spot: Spot;
  /** What an `additionalProperties` leaves alone that stands for another keyword, and where that stands. */
  evaluated?: Node;
  restAt?: Spot['source'];
  /** Whether it is only the same or not. */
  opaque?: true;
}

/** A part taken apart: what is said by each schema itself, and what it leaves open. Null is looked at by itself. */
export interface Flat {
  said: Said[];
  groups: Group[];
  /** Whether nothing but null can be meant. */
  never: boolean;
  /** Whether null is allowed. */
  null: boolean;
  /** Where that is said of something that is of a type elsewhere. */
  nullable?: Spot;
}

const KINDS = ['oneOf', 'anyOf'] as const;
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The part one step further down in a schema. */
export const partAt = (value: unknown, spot: Spot): Part => [{ value, spot }];

/** Whether a schema says nothing to programs, or nothing but one keyword. */
const saysOnly = (value: unknown, keyword?: string): value is Node =>
  isPlain(value) && Object.keys(value).every((key) => key === keyword || isWord(key));

/** What a `not` of a `not` asks for. */
export const twiceRefused = ({ not }: Node): unknown => (saysOnly(not, 'not') ? not['not'] : undefined);

/** Whether a schema takes whatever there is. */
export const takesAnything = (value: unknown): boolean => value === true || saysOnly(value);

/** Whether a schema takes nothing: `false`, or what is not whatever there is. */
export const takesNothing = (value: unknown): boolean =>
  value === false || (isPlain(value) && (value['not'] === true || saysOnly(value['not'])));

/** The types that a `not` refuses, where it says no more than them. */
export const typesRefused = ({ not }: Node): unknown[] =>
  saysOnly(not, 'type') && not['type'] !== undefined ? [not['type']].flat() : [];

/** Whether a schema of 3.0 is nullable beside what it refers to or is made of. */
export const isNullableAlone = (node: Node): boolean => node['nullable'] === true && node['type'] === undefined;

/** Whether a schema takes null and nothing else, as one of those that it is made of says. */
const isNull = ({ said, null: nullable }: Flat): boolean =>
  nullable &&
  said.some(({ node }) => {
    if (node['const'] === null && 'const' in node) return true;
    if (Array.isArray(node['enum']) && node['enum'].every((one) => one === null)) return true;
    return [node['type']].flat().join() === 'null';
  });

/** Whether a schema has null among its values by its own words, and not for want of any. */
function saysNull({ value, spot }: Written, met = new Set<unknown>()): boolean {
  const { node } = follow(value, spot);
  if (met.has(node)) return false;
  met.add(node);
  const isOfNull = [node['type']].flat().includes('null') || listOf(node['enum']).includes(null);
  const within = [...listOf(node['oneOf']), ...listOf(node['anyOf'])];
  return (
    isOfNull ||
    node['const'] === null ||
    node['nullable'] === true ||
    within.some((one) => saysNull({ value: one, spot }, met))
  );
}

/** Whether a schema says itself that null is none of its values. */
function refusesNull(node: Node, spot: Spot, within: ReadonlySet<unknown>): boolean {
  if (node['type'] !== undefined && ![node['type']].flat().includes('null')) return true;
  // What a `not` of a `not` says of null is asked where that is met.
  const refused = twiceRefused(node) === undefined ? node['not'] : undefined;
  const takesNull = (value: unknown) => flattenOne({ value, spot }, within).null;
  if (refused !== undefined && takesNull(refused)) return true;
  if (node['if'] !== undefined && !takesNull(node[takesNull(node['if']) ? 'then' : 'else'])) return true;
  if (Array.isArray(node['enum']) && !node['enum'].includes(null)) return true;
  return 'const' in node && node['const'] !== null;
}

/** An alternative is called by the component that it is, by its title, or by its type. */
export function labelOf(part: Part): string {
  const [first] = part;
  if (first === undefined) return 'anything';
  const { node, component } = follow(first.value, first.spot);
  if (component !== undefined) return component;
  if (typeof node['title'] === 'string') return node['title'];
  const [value] = listOf(node['enum']).concat('const' in node ? node['const'] : []);
  const members = node['properties'] !== undefined || node['required'] !== undefined ? 'object' : 'anything';
  return [node['type'] ?? (value === undefined ? members : typeof value)].flat().sort().join(' | ');
}

const step = (spot: Spot, ...source: (string | number)[]): Spot => ({ ...spot, source: spot.source.concat(source) });

/** What `unevaluatedProperties` closes: undefined where that depends on the alternative that is met. */
function evaluatedBy(flat: Flat): Node | undefined {
  const conditional = flat.said.some(({ node }) => node['if'] !== undefined || node['dependentSchemas'] !== undefined);
  if (flat.groups.length > 0 || conditional) return undefined;
  const all = (keyword: string) => Object.assign({}, ...flat.said.map(({ node }) => node[keyword]));
  return { properties: all('properties'), patternProperties: all('patternProperties') };
}

/** @param within those that it is part of @param met those that all hold and were looked at, which say nothing new */
function flattenOne(
  { value, spot: here, own, evaluated, opaque }: Written,
  within: ReadonlySet<unknown>,
  met = new Set<unknown>(),
): Flat {
  if (takesNothing(value)) return { said: [], groups: [], never: true, null: false };
  const isKnown = within.has(value) || (met.has(value) && own !== true);
  if (!isPlain(value) || isKnown) return { said: [], groups: [], never: false, null: true };
  met.add(value);
  const deeper = new Set(within).add(value);
  const flat: Flat = { said: [], groups: [], never: false, null: own === true || !refusesNull(value, here, deeper) };
  const add = (one: Flat) => {
    flat.said.push(...one.said);
    flat.groups.push(...one.groups);
    flat.never ||= one.never;
    flat.null &&= one.null;
    if (one.nullable !== undefined) flat.nullable ??= one.nullable;
  };
  if (own)
    return { ...flat, said: [{ node: value, spot: here, ...(evaluated && { evaluated }), ...(opaque && { opaque }) }] };
  if (typeof value['$ref'] === 'string') {
    const target = follow({ $ref: value['$ref'] }, here);
    add(flattenOne({ value: target.node, spot: target.spot }, deeper, met));
  }
  for (const [index, part] of listOf(value['allOf']).entries()) {
    add(flattenOne({ value: part, spot: step(here, 'allOf', index) }, deeper, met));
  }
  const asked = twiceRefused(value);
  if (asked !== undefined) add(flattenOne({ value: asked, spot: step(here, 'not', 'not') }, deeper, met));
  flat.said.push({ node: value, spot: here });
  for (const kind of KINDS) {
    if (!Array.isArray(value[kind])) continue;
    const written = value[kind].map((one, index) => {
      const spot = step(here, kind, index);
      return { value: one, spot: { ...spot, id: `${spot.id}:${kind}.${labelOf([{ value: one, spot }])}` } };
    });
    const flats = written.map((one) => flattenOne({ ...one, spot: { ...one.spot, id: here.id } }, deeper));
    const isOpen = (one: Flat) => !one.never && !isNull(one);
    const open = written.filter((_, index) => isOpen(flats[index] as Flat));
    const nulls = written.filter((_, index) => flats[index]?.null);
    flat.null &&= nulls.length > 0 && !(kind === 'oneOf' && nulls.filter((one) => saysNull(one)).length > 1);
    if (open.length === 1) add({ ...(flats.find(isOpen) as Flat), null: true });
    else if (open.length === 0) flat.never = true;
    else flat.groups.push({ kind, alternatives: open.map((one) => [one]), spot: here });
  }
  // Without a type it says nothing by the letter of 3.0, and tools take null all the same.
  if (isNullableAlone(value)) {
    flat.null = true;
    flat.nullable = here;
  }
  close(flat, value, here);
  return flat;
}

function close(flat: Flat, value: Node, here: Spot): void {
  const rest = value['unevaluatedProperties'];
  const open = flat.said.some(({ node }) => ![undefined, false].includes(node['additionalProperties'] as undefined));
  if (rest === undefined || open) return;
  const evaluated = evaluatedBy(flat);
  // Which are left depends on the alternative: then it is only the same or not.
  if (evaluated === undefined) flat.said.push({ node: { unevaluatedProperties: rest }, spot: here, opaque: true });
  else
    flat.said.push({
      ...{ node: { additionalProperties: rest }, spot: here, evaluated },
      restAt: [...here.source, 'unevaluatedProperties'],
    });
}

/** Takes a part apart: references followed, `allOf` and single alternatives met together with what stands beside them. */
export function flatten(part: Part): Flat {
  const all = part.map((one) => flattenOne(one, new Set()));
  const nullable = all.find((one) => one.nullable !== undefined)?.nullable;
  return {
    ...(nullable && { nullable }),
    said: all.flatMap(({ said }) => said),
    groups: all.flatMap(({ groups }) => groups),
    never: all.some(({ never }) => never),
    null: all.every((one) => one.null),
  };
}

/** Alternatives are met one at a time; more of them than this are not multiplied. */
const MOST = 64;

/** Each way to meet a part, none of which has alternatives; undefined when there are too many. */
export function ways(part: Part, met: readonly unknown[] = []): Part[] | undefined {
  // An alternative that is its own is met by none of its own.
  if (part.some(({ value, own }) => !own && isPlain(value) && met.includes(value))) return [];
  const { said, groups } = flatten(part);
  if (groups.length === 0) return [part];
  const base: Part = said.map(({ node, spot, evaluated, opaque }) => ({
    ...{ value: node, spot, own: true as const },
    ...(evaluated && { evaluated }),
    ...(opaque && { opaque }),
  }));
  let all: Part[] = [base];
  for (const { alternatives } of groups) {
    const inner: Part[] = [];
    for (const one of alternatives) {
      const more = ways(one, [...met, ...part.map(({ value }) => value)]);
      if (more === undefined || inner.push(...more) > MOST) return undefined;
    }
    all = all.flatMap((one) => inner.map((choice) => [...one, ...choice]));
    if (all.length > MOST) return undefined;
  }
  return all;
}

/** What nobody's program looks at. */
const WORDS = new Set([
  'title',
  'description',
  'summary',
  'example',
  'examples',
  'externalDocs',
  '$comment',
  '$id',
  '$schema',
  '$defs',
  '$anchor',
]);
export const isWord = (keyword: string): boolean => WORDS.has(keyword);

/** What the value of a keyword is: a schema, schemas or other nodes by name, or data, in which nothing is a word. */
export type Kind = 'node' | 'names' | 'data';

const NAMES = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', 'dependentRequired', '$defs', 'mapping', 'headers'],
  ...['responses', 'content', 'links', 'callbacks', 'encoding', 'variables', 'scopes', 'flows'],
]);
const DATA = new Set(['default', 'const', 'enum', 'required', 'security']);

export const kindOf = (keyword: string, value: unknown, within: Kind): Kind => {
  if (within === 'data') return 'data';
  if (within === 'names') return 'node';
  // A list of names is none.
  if (NAMES.has(keyword) && isPlain(value)) return 'names';
  return DATA.has(keyword) || keyword.startsWith('x-') ? 'data' : 'node';
};

/** A text by which two nodes of one document are the same: without words, its members in one order. */
export function shapeOf(value: unknown, kind: Kind = 'node'): string {
  if (Array.isArray(value)) return `[${value.map((one) => shapeOf(one, kind === 'names' ? 'node' : kind)).join()}]`;
  if (!isPlain(value)) return JSON.stringify(value) ?? '';
  const members = Object.entries(value).filter(([key]) => kind !== 'node' || !WORDS.has(key));
  return `{${members
    .map(([key, one]) => `${JSON.stringify(key)}:${shapeOf(one, kindOf(key, one, kind))}`)
    .sort()
    .join()}}`;
}
