import { isPlain } from 'accord/contract/references';
import type { Part, Spot } from './form.js';
import { type Condition, conditionsIn } from './schema-conditions.js';
import { besideContained, type Contained, containedIn, containsNothing } from './schema-contained.js';
import { discriminatorOf, kindsIn } from './schema-discriminator.js';
import {
  accepts,
  bounds,
  concerned,
  isOf,
  isOpaque,
  type Keywords,
  KNOWN,
  NOTES,
  narrow,
  SIMPLE,
  typeOf,
  typeOfFormat,
} from './schema-keywords.js';
import { type Members, membersIn, ofEachName, ofListedNames, partsIn, spotOf } from './schema-members.js';
import {
  type Flat,
  flatten,
  type Group,
  listOf,
  type Member,
  type Stated,
  shapeOf,
  takesAnything,
  takesNothing,
  twiceRefused,
  typesRefused,
} from './schema-part.js';
import { down } from './spot.js';

/** A schema in normal form: what is said in several places met, what says nothing left out. Null is looked at by itself. */
export interface Normal extends Members {
  never: boolean;
  null: boolean;
  /** Whether its values are written as text. */
  text: boolean;
  types: ReadonlySet<string>;
  typed: Spot | undefined;
  /** The values listed, by their JSON; undefined without a list. */
  values: Map<string, Stated> | undefined;
  listed: Spot | undefined;
  keywords: Keywords;
  /** Schemas for what is inside: what they narrow narrows the whole. */
  parts: Map<string, Member>;
  /** Schemas that must not hold. */
  nots: Part[];
  /** What is only the same or not. */
  opaque: Map<string, Stated<string>>;
  /** What refuses nothing, and is read all the same. */
  notes: Map<string, Stated>;
  /** What is asked under conditions. */
  conditions: Condition[];
  /** What a list must contain. One alone is among the keywords and the parts as well. */
  contained: Contained[];
  groups: Group[];
  /** What else may stand in its place, by the value of the discriminator that says so. */
  kinds: Map<string, Part>;
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

function typesIn(said: Flat['said']): Pick<Normal, 'types' | 'typed'> {
  let types = new Set(TYPES);
  let typed: Spot | undefined;
  for (const { node, spot } of said) {
    if (node['type'] === undefined) continue;
    const own = new Set([node['type']].flat() as string[]);
    typed ??= spot;
    const both = [...types].filter((type) => own.has(type) || (type === 'integer' && own.has('number')));
    types = new Set(both);
  }
  // What is so many times a whole number is a whole number.
  const whole = said.some(({ node }) => Number.isInteger(node['multipleOf']));
  if (types.has('number') && whole) types.add('integer').delete('number');
  if (types.has('number')) types.delete('integer');
  for (const type of said.flatMap(({ node }) => typesRefused(node))) {
    types.delete(String(type));
    if (type === 'number') types.delete('integer');
  }
  return { types, typed };
}

function valuesIn(said: Flat['said']): Map<string, Stated> | undefined {
  let values: Map<string, Stated> | undefined;
  for (const { node, spot } of said) {
    const list = Array.isArray(node['enum']) ? node['enum'] : 'const' in node ? [node['const']] : undefined;
    if (list === undefined) continue;
    const own = new Map<string, Stated>();
    for (const [index, value] of list.entries()) {
      const source = Array.isArray(node['enum']) ? ['enum', index] : ['const'];
      if (value !== null)
        own.set(shapeOf(value, 'data'), { value, spot: { ...spot, source: [...spot.source, ...source] } });
    }
    const known = values;
    values = known === undefined ? own : new Map([...own].filter(([key]) => known.has(key)));
  }
  return values;
}

function notesIn(said: Flat['said']): Pick<Normal, 'notes' | 'opaque'> {
  const notes: Normal['notes'] = new Map();
  const opaque: Normal['opaque'] = new Map();
  for (const { node, spot, opaque: closed } of said) {
    for (const keyword of Object.keys(node)) {
      const value = node[keyword];
      const at = down(spot, { id: `:${keyword}`, source: keyword });
      if (keyword === 'deprecated' && value !== true) continue;
      // Others call so what `x-deprecation` says.
      if (keyword === 'x-sunset')
        notes.set('x-deprecation', { value: node['x-deprecation'] ?? { sunset: value }, spot: at });
      else if (keyword === 'discriminator') notes.set(keyword, { value: discriminatorOf(node, spot), spot: at });
      else if (NOTES.includes(keyword) || (keyword.startsWith('x-') && !KNOWN.has(keyword)))
        notes.set(keyword, { value, spot: at });
      else if (closed || isOpaque(keyword, node)) {
        // Said several times, all of it holds.
        const all = new Set([...(opaque.get(keyword)?.value.split('\0') ?? []), shapeOf(value)]);
        opaque.set(keyword, { value: [...all].sort().join('\0'), spot });
      }
    }
  }
  return { notes, opaque };
}

const isCount = (keyword: string) => keyword.endsWith('Contains');

/** Whether a count of what is contained says nothing: nothing is asked for, or one, as without it. */
const countsNothing = (keyword: string, node: Flat['said'][number]['node']) =>
  containsNothing(node) || (keyword === 'minContains' && node[keyword] === 1);

/** Schemas that are being looked at for the sake of what they are part of. */
const underway = new WeakSet<object>();

/** The normal form of a schema within another one; undefined of one that holds itself, which says nothing by itself. */
function within(value: unknown, spot: Spot): Normal | undefined {
  if (!isPlain(value) || underway.has(value)) return undefined;
  underway.add(value);
  const found = normal([{ value, spot }]);
  underway.delete(value);
  return found;
}

/** Whether a `not` refuses what is none of the values anyway: of another type, or listed and of none that there is. */
function refusesOthers(refused: unknown, spot: Spot, all: Pick<Normal, 'types' | 'keywords' | 'null'>): boolean {
  const other = within(refused, spot);
  if (other === undefined || (other.null && all.null)) return false;
  if (other.values !== undefined) return [...other.values.values()].every(({ value }) => accepts(all, value) === false);
  const isNumber = (type: string) => type === 'integer' || type === 'number';
  const has = (type: string) => all.types.has(type) || (isNumber(type) && [...all.types].some(isNumber));
  return other.never || ![...other.types].some(has);
}

/** The names that an object may have, where they are listed and no more is said of them. */
function namesIn({ node, spot }: Flat['said'][number]): string[] | undefined {
  const names = within(node['propertyNames'], spot);
  if (names === undefined) return undefined;
  const { values, keywords, parts, opaque, nots, conditions, groups } = names;
  const more = keywords.size + parts.size + opaque.size + nots.length + conditions.length + groups.length;
  if (values === undefined || more > 0) return undefined;
  return [...values.values()].flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}

/** The keywords that narrow by themselves, but for the bounds of numbers. */
function keywordsIn(said: Flat['said']): Keywords {
  const keywords: Keywords = new Map();
  for (const { node, spot } of said) {
    for (const keyword of SIMPLE) {
      if (node[keyword] === undefined || (isCount(keyword) && countsNothing(keyword, node))) continue;
      narrow(keywords, keyword, node[keyword], spot);
    }
    if (takesAnything(node['contains'])) {
      // Items of any kind are counted as items.
      narrow(keywords, 'minItems', node['minContains'] ?? 1, spot, 'contains');
      if (node['maxContains'] !== undefined) narrow(keywords, 'maxItems', node['maxContains'], spot, 'maxContains');
    }
    if (takesNothing(node['items'])) narrow(keywords, 'maxItems', listOf(node['prefixItems']).length, spot, 'items');
  }
  return keywords;
}

/** The normal form of a part. */
export function normal(part: Part): Normal {
  const flat = flatten(part);
  const { groups } = flat;
  const stated = flat.said.flatMap((one) => ofListedNames(one, namesIn(one))).flatMap(ofEachName);
  const contained = containedIn(stated);
  const all = besideContained(stated, contained);
  const said = all.filter(({ opaque }) => opaque !== true);
  const typed = typesIn(said);
  const listed = valuesIn(said);
  let { types } = typed;
  let values = listed;
  if (values !== undefined) {
    values = new Map([...values].filter(([, { value }]) => isOf(value, types)));
    types = new Set([...values.values()].map(({ value }) => typeOf(value)));
    if (types.has('number')) types = new Set([...types].filter((type) => type !== 'integer'));
    // Both truth values are all there are.
    if ([...types].join() === 'boolean' && values.size === 2) values = undefined;
  }
  const { notes, opaque } = notesIn(all);
  const keywords = keywordsIn(said);
  const parts: Normal['parts'] = new Map();
  bounds(said, types, keywords);
  partsIn(said, parts);
  withoutLateItems(parts, keywords);
  const format = keywords.get('format')?.value as string[] | undefined;
  if (format !== undefined && !format.some((one) => typeOfFormat(one).some((type) => types.has(type))))
    keywords.delete('format');
  if (!types.has('number')) wholeSteps(keywords);
  for (const keyword of keywords.keys()) if (!concerned(keyword, types)) keywords.delete(keyword);
  for (const key of parts.keys()) if (!concerned(key, types)) parts.delete(key);
  const object = membersIn(types.has('object') ? said : []);
  const atMost = keywords.get('maxProperties');
  if (atMost?.value === 0) {
    // No member is a closed object that names none.
    for (const key of parts.keys()) if (key.startsWith('patternProperties')) parts.delete(key);
    Object.assign(object, { members: new Map(), extra: 'none', extraSpot: atMost.spot });
  }
  const nots = said.flatMap(({ node, spot }) =>
    node['not'] === undefined ||
    twiceRefused(node) !== undefined ||
    refusesOthers(node['not'], spot, { types, keywords, null: flat.null })
      ? []
      : [[{ value: node['not'], spot: spotOf(spot, 'not') }]],
  );
  const never = flat.never || types.size === 0;
  const listedAt = said.find(({ node }) => Array.isArray(node['enum']) || 'const' in node)?.spot;
  const whole: Normal = {
    ...object,
    ...{ never, null: flat.null, types, typed: flat.nullable ?? typed.typed ?? listedAt, values, listed: listedAt },
    ...{
      keywords,
      parts,
      nots,
      opaque,
      notes,
      conditions: conditionsIn(said),
      contained,
      groups,
      kinds: kindsIn(said),
    },
    text: part.some(({ spot }) => spot.text === true),
  };
  if (values !== undefined) listValues(whole);
  return whole;
}

/** Whole numbers are so many times each number that one is so many times itself. */
function wholeSteps(keywords: Keywords): void {
  const stated = keywords.get('multipleOf');
  const left = listOf(stated?.value).filter((step) => !Number.isInteger(1 / Number(step)));
  if (stated === undefined || left.length > 0) return;
  keywords.delete('multipleOf');
}

/** What comes after the last item allowed is never there. */
function withoutLateItems(parts: Normal['parts'], keywords: Keywords): void {
  const most = Number(keywords.get('maxItems')?.value ?? Number.POSITIVE_INFINITY);
  const placed = [...parts.keys()].filter((key) => key.startsWith('prefixItems'));
  for (const key of placed) if (Number(key.split('\0')[1]) >= most) parts.delete(key);
  if (placed.length >= most) parts.delete('items');
}

/** Where values are listed, other conditions only leave some of them out. */
function listValues(all: Normal): void {
  const left = [...(all.values ?? [])].filter(([, { value }]) => accepts(all, value) !== false);
  all.values = new Map(left);
  if ([...all.types].some((type) => type === 'object' || type === 'array')) return;
  for (const keyword of all.keywords.keys())
    if (keyword !== 'format' && keyword !== 'x-uncommon') all.keywords.delete(keyword);
}

/** Whether no type is stated, and nothing of members. */
export const saysNothing = ({ typed, members, required, extraSpot }: Normal): boolean =>
  typed === undefined && members.size === 0 && required.size === 0 && extraSpot === undefined;
