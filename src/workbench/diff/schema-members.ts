import { isPlain } from 'accord/contract/references';
import type { Part, Spot } from './form.js';
import { askedFor } from './schema-conditions.js';
import { containsNothing } from './schema-contained.js';
import { BY_NAME, COVARIANT, matches, meetsAll, strings } from './schema-keywords.js';
import { flatten, type Member, type Node, type Said, shapeOf, takesNothing } from './schema-part.js';
import { down } from './spot.js';

/** What an object says of its members. */
export interface Members {
  members: Map<string, Member>;
  required: Map<string, Spot>;
  /** What else it may have. */
  extra: 'any' | 'none' | Part;
  extraSpot: Spot | undefined;
  /** Where it says so. */
  extraAt: Spot['source'] | undefined;
}

export const spotOf = (spot: Spot, keyword: string, ...keys: (string | number)[]): Spot =>
  down(spot, { id: `:${keyword}`, source: [keyword, ...keys] });

function append(map: Map<string, Member>, key: string, value: unknown, spot: Spot): void {
  const known = map.get(key);
  map.set(key, { part: [...(known?.part ?? []), { value, spot }], spot: known?.spot ?? spot });
}

export function partsIn(said: Said[], parts: Map<string, Member>): void {
  const longest = Math.max(0, ...said.map(({ node }) => strings(node['prefixItems']).length));
  for (const { node, spot } of said) {
    const first = Array.isArray(node['prefixItems']) ? node['prefixItems'] : [];
    const items = down(spot, { id: '[]', source: 'items', name: `${spot.name}[]` });
    for (let index = 0; index < longest; index += 1) {
      const at = down(spot, { id: `[${index}]`, source: ['prefixItems', index], name: `${spot.name}[${index}]` });
      if (index < first.length) append(parts, `prefixItems\0${index}`, first[index], at);
      else if (node['items'] !== undefined && !takesNothing(node['items']))
        append(parts, `prefixItems\0${index}`, node['items'], items);
    }
    // No further items is so many at most.
    if (node['items'] !== undefined && !takesNothing(node['items'])) append(parts, 'items', node['items'], items);
    for (const keyword of COVARIANT.slice(1)) {
      if (node[keyword] === undefined || asksNothing(keyword, node)) continue;
      const at = { ...spotOf(spot, keyword), name: `${spot.name}:${keyword}` };
      append(parts, keyword, node[keyword], at);
      // Names are texts.
      if (keyword === 'propertyNames') append(parts, keyword, { type: 'string' }, down(at, { source: 'type' }));
    }
    for (const keyword of BY_NAME) {
      for (const [name, one] of Object.entries(isPlain(node[keyword]) ? node[keyword] : {}))
        byName(keyword, name, one, spot, [keyword, name]);
    }
    const asked = askedFor(node);
    if (asked !== undefined) byName('dependentSchemas', asked, node['then'], spot, ['then']);
    for (const [name, names] of Object.entries(isPlain(node['dependentRequired']) ? node['dependentRequired'] : {})) {
      depends(spotOf(spot, 'dependentRequired', name), name, names);
    }
  }
  function byName(keyword: string, name: string, one: unknown, spot: Spot, source: string[]): void {
    const at = down(spot, { id: `:${keyword}.${name}`, source, name: `${spot.name}.${name}` });
    if (keyword === 'dependentSchemas' && onlyRequires(one)) depends({ ...at, name: spot.name }, name, one['required']);
    else append(parts, `${keyword}\0${name}`, one, at);
  }
  function depends(at: Spot, name: string, names: unknown): void {
    for (const one of strings(names))
      if (one !== name) append(parts, `dependentRequired\0${name}`, { required: [one] }, at);
  }
}

/** Whether a schema asks for members and for nothing else: then it is `dependentRequired` in other words. */
const onlyRequires = (value: unknown): value is { required: unknown } =>
  isPlain(value) && Object.keys(value).join() === 'required';

/** Whether a keyword says nothing by itself: `contains` that nothing need match, names that are text. */
function asksNothing(keyword: string, node: Node): boolean {
  if (keyword === 'contains') return containsNothing(node);
  return keyword === 'propertyNames' && ['true', '{}', '{"type":"string"}'].includes(shapeOf(node[keyword]));
}

/** Whether a member goes the spot's way at all (readOnly, writeOnly; JSON Schema validation, 9.4). */
function travels(part: Part): boolean {
  return !flatten(part).said.some(
    ({ node, spot }) => node[spot.direction === 'request' ? 'readOnly' : 'writeOnly'] === true,
  );
}

/** Names that are listed, as the names of a closed object. @param names those of `propertyNames`, where that lists them */
export function ofListedNames(one: Said, names: readonly string[] | undefined): Said[] {
  if (names === undefined) return [one];
  const { propertyNames: _, ...others } = one.node;
  const properties = Object.fromEntries(names.map((name) => [name, true]));
  const restAt = [...one.spot.source, 'propertyNames'];
  const node = { properties, additionalProperties: false };
  return [
    { ...one, node: others },
    { node, spot: one.spot, evaluated: { properties }, restAt },
  ];
}

/**
 * What is asked of members by a pattern that each name meets, as asked of all of them: nothing is left for
 * `additionalProperties`.
 */
export function ofEachName(one: Said): Said[] {
  const { node, spot, evaluated } = one;
  const { patternProperties, additionalProperties: _, ...others } = node;
  // Where each name meets a pattern, none is left for `unevaluatedProperties` either.
  const known = evaluated?.['patternProperties'];
  if (patternProperties === undefined && isPlain(known) && Object.keys(known).some(meetsAll)) return [];
  const all = Object.entries(isPlain(patternProperties) ? patternProperties : {});
  const each = all.filter(([pattern]) => meetsAll(pattern));
  if (each.length === 0) return [one];
  const left = Object.fromEntries(all.filter(([pattern]) => !meetsAll(pattern)));
  return [
    { node: { ...others, patternProperties: left }, spot, evaluated: { patternProperties } },
    ...each.map(([pattern, schema]) => ({
      ...{ node: { additionalProperties: schema }, spot, evaluated: {} },
      restAt: [...spot.source, 'patternProperties', pattern],
    })),
  ];
}

/** A member's part: what each schema says of it by name or by pattern, or else of what it does not name. */
export function membersIn(said: Said[]): Members {
  const members = new Map<string, Member>();
  const required = new Map<string, Spot>();
  const named = new Map<string, Spot>();
  let [extra, extraSpot]: [Members['extra'], Spot | undefined] = ['any', undefined];
  let extraAt: Members['extraAt'];
  for (const one of said) {
    const { node, spot } = one;
    const rest = node['additionalProperties'];
    if (isPlain(node['properties']) || rest !== undefined) extraSpot ??= spot;
    if (rest !== undefined) extraAt = restAtOf(one);
    if (rest !== undefined && rest !== true && !(isPlain(rest) && shapeOf(rest) === '{}')) {
      if (takesNothing(rest)) [extra, extraSpot] = ['none', spot];
      else if (extra !== 'none') {
        const at = down(spot, { id: ':additionalProperties', name: `${spot.name}{}` });
        const more: Part = [{ value: rest, spot: { ...at, source: restAtOf(one) } }];
        [extra, extraSpot] = [extra === 'any' ? more : [...extra, ...more], spot];
      }
    }
    for (const name of Object.keys(isPlain(node['properties']) ? node['properties'] : {})) {
      if (!named.has(name)) named.set(name, memberSpot(spot, name));
    }
    for (const [index, name] of strings(node['required']).entries()) {
      if (!required.has(name)) required.set(name, { ...spot, source: [...spot.source, 'required', index] });
    }
  }
  for (const [name, spot] of named) members.set(name, { part: memberPart(said, name), spot });
  for (const [name, { part }] of members) {
    if (travels(part)) continue;
    members.delete(name);
    required.delete(name);
  }
  return { members, required, extra, extraSpot, extraAt };
}

const restAtOf = ({ spot, restAt }: Said): Spot['source'] => restAt ?? [...spot.source, 'additionalProperties'];

const memberSpot = (spot: Spot, name: string): Spot =>
  down(spot, { id: `.${name}`, source: ['properties', name], name: spot.name === '' ? name : `${spot.name}.${name}` });

function memberPart(said: Said[], name: string): Part {
  return said.flatMap((one): Part => {
    const { node, spot, evaluated = node } = one;
    const at = memberSpot(spot, name);
    const own =
      isPlain(node['properties']) && name in node['properties'] ? [{ value: node['properties'][name], spot: at }] : [];
    for (const [pattern, value] of Object.entries(isPlain(node['patternProperties']) ? node['patternProperties'] : {}))
      if (matches(pattern, name))
        own.push({ value, spot: { ...at, source: [...spot.source, 'patternProperties', pattern] } });
    const named = isPlain(evaluated['properties']) && name in evaluated['properties'];
    const patterns = Object.keys(isPlain(evaluated['patternProperties']) ? evaluated['patternProperties'] : {});
    if (named || patterns.some((pattern) => matches(pattern, name))) return own;
    const rest = node['additionalProperties'];
    return rest === undefined ? own : [...own, { value: rest, spot: { ...at, source: restAtOf(one) } }];
  });
}
