import { isPlain } from 'accord/contract/references';
import type { Difference } from './differences.js';
import type { Direction, Part, Spot, Value } from './form.js';
import { exclusive, listed, refused } from './schema-choices.js';
import { circles } from './schema-circles.js';
import { conditional } from './schema-conditions.js';
import { containedOtherwise } from './schema-contained.js';
import { kindsOfBoth } from './schema-discriminator.js';
import { besideNamed, held } from './schema-held.js';
import { inclusion } from './schema-inclusion.js';
import { concerned } from './schema-keywords.js';
import { type Normal, normal, saysNothing } from './schema-normal.js';
import { NOTE_RULES, notes } from './schema-notes.js';
import { flatten, labelOf, type Member, type Stated, shapeOf } from './schema-part.js';
import { type Both, placing } from './schema-place.js';
import { SCHEMA_RULES } from './schema-rules.js';
import { types, typesOf } from './schema-types.js';
import { down } from './spot.js';
import { at, told } from './told.js';

const isItem = (key: string): boolean => /^(?:prefixItems|items)\b/.test(key);

/** What a member is compared by, to tell a rename, and how its removal is looked at. */
function memberTree({ part }: Member, required: boolean): Value {
  const { notes } = normal(part);
  const sunset = notes.get('x-deprecation')?.value;
  const date = isPlain(sunset) ? sunset['sunset'] : undefined;
  return {
    required,
    schema: part.map(({ value }) => shapeOf(value)).join('+'),
    ...(notes.has('deprecated') && { deprecated: true }),
    ...(date !== undefined && { sunset: String(date) }),
  };
}

/** What tells two versions of a document apart, which keeps what it has decided. */
export interface Comparison {
  differences(both: Both, direction: Direction): Difference[];
  /** Whether two nodes say the same in the same form, with all that they refer to. */
  same(one: Part, other: Part): boolean;
}

/**
 * Compares schemas: decides by inclusion whether all that was allowed to be sent still is, and nothing can be answered that
 * could not be before; the keywords that differ give the words. What was decided of a schema is kept for all that use it.
 */
export function schemaComparison(): Comparison {
  const { includes, same, equivalent, surelyMeet } = inclusion();
  const placed = placing(same);
  const { once, isWhole } = circles();
  const proved = new WeakMap<Difference, Difference>();

  function compare({ old, now, here }: Both, direction: Direction): Difference[] {
    if (same(old, now)) return [];
    const keyOf = (part: Part, spot: Spot) =>
      part
        .map((one) => `${one.own ?? ''}${one.spot.text ?? ''}${one.spot.id}@${one.spot.source.join('/')}`)
        .join('+') || spot.id;
    const key = `${direction}|${keyOf(old, here.old)}|${keyOf(now, here.now)}`;
    // Once each: a schema is met by every way that leads to it, and their number grows with each schema on the way.
    return once(key, () => [...new Set(compareForms({ old, now, here }, direction))]);
  }

  /** What was shown of a whole holds for what it is made of; of what refuses nothing, nothing was shown. */
  function asProved(one: Difference): Difference {
    if (one.proved === true || NOTE_RULES.has(one.fact.rule)) return one;
    // The same each time, so that what many ways lead to stays one.
    const known = proved.get(one) ?? { ...one, proved: true };
    proved.set(one, known);
    return known;
  }

  function compareForms(both: Both, direction: Direction): Difference[] {
    const { old, now, here } = both;
    const [a, b] = [normal(old), normal(now)];
    const [wide, narrow] = direction === 'request' ? [now, old] : [old, now];
    const fits = includes(wide, narrow, direction);
    const equal = fits && includes(narrow, wide, direction);
    const widened = direction === 'request' ? fits : includes(narrow, wide, direction);
    const spots = { old: flatten(old).said[0]?.spot ?? here.old, now: flatten(now).said[0]?.spot ?? here.now };
    const whole = { ...both, here: spots };
    const grouped = a.groups.length > 0 || b.groups.length > 0;
    const single = a.groups.length > 0 !== b.groups.length > 0;
    const values = equal ? [] : keywords(a, b, both, spots, single);
    const inside = single ? [] : [...members(a, b, direction), ...insides(a, b, spots, direction, equal)];
    const choices = grouped && !equal ? alternatives(whole, a, b, direction) : grouped ? notedIn(a, b, direction) : [];
    const kinds = kindsOfBoth(a.kinds, b.kinds).flatMap((pair) => compare(pair, direction));
    const all = [...values.map((one) => ({ ...one, widened })), ...inside, ...choices, ...kinds];
    const found = fits ? all.map(asProved) : all;
    const silent = ![...found].some(
      (one) => one.proved !== true && SCHEMA_RULES[one.fact.rule]?.(one)?.verdict !== 'safe',
    );
    // What the keywords have no words for is told all the same; within a schema that holds itself, where it is met first.
    const untold = fits ? !equal && found.length === 0 : silent;
    const [was, is] = [spots.old, spots.now].map((spot): Stated<Value> => ({ value: undefined, spot }));
    const unknown = told('unjudged', was, is, { proved: fits });
    const net = untold ? (exclusive(a, b, fits) ?? (isWhole() ? unknown : [])) : [];
    return [...notes(a, b), ...found, ...net].map((one) => placed(one, both));
  }

  /** The conditions on the values themselves. */
  function keywords(a: Normal, b: Normal, both: Both, here: Both['here'], single: boolean): Difference[] {
    const type = types(a, b, both, here, single);
    const all = [...new Set([...a.keywords.keys(), ...b.keywords.keys()])].flatMap((keyword) => {
      const of = ({ keywords }: Normal): Stated<Value> | undefined => {
        const one = keywords.get(keyword);
        const words = Array.isArray(one?.value) ? one.value.join(' and ') : one?.value;
        return one === undefined
          ? undefined
          : { value: words, spot: down(one.spot, { id: `:${keyword}`, source: one.stated ?? keyword }) };
      };
      const [before, after] = [of(a), of(b)];
      // With another type come other conditions, of which the type tells.
      const shared = concerned(keyword, a.types) && concerned(keyword, b.types);
      return before?.value === after?.value || !shared ? [] : told(keyword, before, after);
    });
    const conditions = [...new Set([...a.opaque.keys(), ...b.opaque.keys()])].flatMap((keyword) => {
      const of = (one: Stated<string> | undefined) => one && { value: one.value, spot: at(one.spot, keyword) };
      const [before, after] = [of(a.opaque.get(keyword)), of(b.opaque.get(keyword))];
      return before?.value === after?.value ? [] : told('condition', before, after);
    });
    const contained = containedOtherwise(a.contained, b.contained);
    return [...type, ...listed(a, b, here), ...all, ...conditions, ...contained, ...refused(a, b)];
  }

  function members(a: Normal, b: Normal, direction: Direction): Difference[] {
    // What is of another type, or says nothing at all, has not lost its members: the type tells.
    if (a.types.has('object') !== b.types.has('object')) return [];
    if (saysNothing(a) !== saysNothing(b) && typesOf(a) !== typesOf(b)) return [];
    const siblings = { before: [...a.members.keys()], after: [...b.members.keys()] };
    const names = new Set([...a.members.keys(), ...b.members.keys(), ...a.required.keys(), ...b.required.keys()]);
    return [...names].flatMap((name) => {
      const [was, is] = [a.members.get(name), b.members.get(name)];
      const [had, has] = [a.required.has(name), b.required.has(name)];
      const tree = (one: Member | undefined, required: boolean): Stated<Value> | undefined =>
        one && { value: memberTree(one, required), spot: one.spot };
      if ((was === undefined) !== (is === undefined)) {
        const parent = ((was ?? is)?.spot.id ?? '').slice(0, -name.length - 1);
        const others = besideNamed(was === undefined ? a : b, name);
        const closed = [a, b].some((one) => one.extra === 'none' && besideNamed(one, name) === undefined);
        const part = (was ?? is)?.part as Part;
        // Where any other member is of a schema, one more has narrowed it, and one less is held to it.
        const isFresh = was === undefined && direction === 'request';
        const refused =
          others !== undefined && !(isFresh ? includes(part, others, direction) : includes(others, part, direction));
        const more = { path: [parent, name], closed: closed || refused, refused, siblings };
        return told('member', tree(was, had), tree(is, has), more);
      }
      const spot = requiredSpot(a, b, name);
      const needed =
        had === has || spot === undefined ? [] : told('required', { value: had, spot }, { value: has, spot });
      if (was === undefined || is === undefined) return needed;
      return [...needed, ...compare({ old: was.part, now: is.part, here: { old: was.spot, now: is.spot } }, direction)];
    });
  }

  /** Where it is said that a member must be there, or where it was and the list still stands. */
  function requiredSpot(a: Normal, b: Normal, name: string): Spot | undefined {
    const spot = b.members.get(name)?.spot ?? a.members.get(name)?.spot;
    const list = b.required.get(name) ?? [...b.required.values()][0];
    const stated = list ?? b.extraSpot ?? spot ?? a.required.get(name);
    if (stated === undefined) return undefined;
    const own = spot ?? {
      ...stated,
      id: `${stated.id}.${name}`,
      name: stated.name === '' ? name : `${stated.name}.${name}`,
    };
    const source = b.required.has(name) ? stated.source : list === undefined ? own.source : list.source.slice(0, -1);
    return { ...own, id: `${own.id}:required`, source };
  }

  /** What is inside: items, other members, and whatever else a schema is asked of. */
  function insides(a: Normal, b: Normal, here: Both['here'], direction: Direction, equal: boolean): Difference[] {
    const width = ({ extra }: Normal): Value => (typeof extra === 'string' ? extra : { schema: '' });
    const spot = (one: Normal, other: Spot): Spot => {
      const own = at(one.extraSpot ?? other, 'additionalProperties');
      return { ...own, source: one.extraAt ?? own.source };
    };
    const both = typeof a.extra !== 'string' && typeof b.extra !== 'string';
    // Where no member may be there, the number of them tells.
    const counted = [a, b].some(({ keywords }) => keywords.get('maxProperties')?.value === 0);
    const extra =
      both || a.extra === b.extra || counted
        ? []
        : told('extra', { value: width(a), spot: spot(a, here.old) }, { value: width(b), spot: spot(b, here.now) });
    const other = both
      ? compare(
          { old: a.extra as Part, now: b.extra as Part, here: { old: spot(a, here.old), now: spot(b, here.now) } },
          direction,
        )
      : [];
    const keys = [...new Set([...a.parts.keys(), ...b.parts.keys()])];
    const bothHaveItems = [a, b].every((one) => [...one.parts.keys()].some(isItem));
    const parts = keys.flatMap((key) => {
      const [was, is] = [a.parts.get(key), b.parts.get(key)];
      // What is of another type has lost nothing: the type tells.
      if (![a, b].every(({ types }) => concerned(key, types))) return [];
      // Of several things that a list must contain is told as of one.
      if (key === 'contains' && [a, b].some(({ contained }) => contained.length > 1)) return [];
      // The same said otherwise: a list of one item is a tuple of one.
      if (equal && isItem(key) && bothHaveItems && (was === undefined || is === undefined)) return [];
      const spots = { old: (was ?? is)?.spot as Spot, now: (is ?? was)?.spot as Spot };
      // What is asked of a list or of names alone is no value that anybody reads: it is there or not.
      if ((was === undefined || is === undefined) && /^(?:contains|propertyNames)$/.test(key)) {
        const stated = (one: Member | undefined) =>
          one && { value: key, spot: { ...one.spot, name: one.spot.name.replace(/:\w+$/, '') } };
        return told('condition', stated(was), stated(is));
      }
      return compare({ old: held(a, key, spots.old), now: held(b, key, spots.now), here: spots }, direction);
    });
    const among = { equal, equivalent, compare: (both: Both) => compare(both, direction) };
    const conditions = conditional(a.conditions, b.conditions, among);
    return [...extra, ...other, ...parts, ...conditions];
  }

  /** Alternatives that mean the same are one, wherever they stand and whatever they are called. */
  function alternatives({ old, now, here }: Both, a: Normal, b: Normal, direction: Direction): Difference[] {
    const listOf = (one: Normal, whole: Part): Part[] =>
      one.groups.length === 0 ? [whole] : one.groups.flatMap((group) => group.alternatives);
    const both = (x: Part, y: Part) => same(x, y) || (includes(x, y, direction) && includes(y, x, direction));
    const left = { old: [...listOf(a, old)], now: [...listOf(b, now)] };
    const found: Difference[] = [];
    const pair = (matches: (x: Part, y: Part) => boolean, tell: boolean) => {
      for (const x of [...left.old]) {
        const y = left.now.find((one) => matches(x, one));
        if (y === undefined) continue;
        left.old = left.old.filter((one) => one !== x);
        left.now = left.now.filter((one) => one !== y);
        if (tell || !same(x, y)) found.push(...compare({ old: x, now: y, here: spotsOf(x, y) }, direction));
      }
    };
    const kindOf = (one: Normal) => one.groups[0]?.kind;
    const kind = kindOf(a) ?? kindOf(b) ?? 'oneOf';
    const spotOf = (part: Part, base: Spot): Spot => ({
      ...base,
      id: `${base.id}:${kind}.${labelOf(part)}`,
      source: part[0]?.spot.source ?? base.source,
    });
    const spotsOf = (x: Part, y: Part) => ({ old: spotOf(x, here.old), now: spotOf(y, here.now) });
    pair(both, false);
    pair((x, y) => labelOf(x) === labelOf(y), true);
    if (left.old.length === 1 && left.now.length === 1 && a.groups.length > 0 && b.groups.length > 0)
      pair(() => true, true);
    const gone = left.old.flatMap((part) => {
      const proved = direction === 'response' || includes(now, part, direction);
      return told('alternative', { value: {}, spot: spotOf(part, here.old) }, undefined, {
        path: [labelOf(part)],
        proved,
      });
    });
    const fresh = left.now.flatMap((part) => {
      // Of what meets two alternatives of which one may hold, nothing is left.
      const refused = direction === 'request' && kindOf(b) === 'oneOf' && !includes(now, old, direction);
      const overlapping = refused && listOf(a, old).some((one) => surelyMeet(part, one));
      const proved = direction === 'request' ? !overlapping : includes(old, part, direction);
      const more = { path: [labelOf(part)], proved, overlapping };
      return told('alternative', undefined, { value: {}, spot: spotOf(part, here.now) }, more);
    });
    return [...found, ...gone, ...fresh];
  }

  /** Of alternatives that allow the same, what is only noted may differ. */
  function notedIn(a: Normal, b: Normal, direction: Direction): Difference[] {
    const all = (one: Normal) => one.groups.flatMap(({ alternatives: list }) => list);
    return all(a).flatMap((x) => {
      const y = all(b).find((one) => same(x, one) || (includes(x, one, direction) && includes(one, x, direction)));
      if (y === undefined || x[0] === undefined || y[0] === undefined) return [];
      return compare({ old: x, now: y, here: { old: x[0].spot, now: y[0].spot } }, direction);
    });
  }

  return { differences: compare, same };
}
