import type { Direction, Part } from './form.js';
import type { Condition } from './schema-conditions.js';
import { containedCovers } from './schema-contained.js';
import { besideNamed, held, needed } from './schema-held.js';
import { identical, numberOf } from './schema-identity.js';
import { accepts, concerned, isOf, typeOf } from './schema-keywords.js';
import { type Normal, normal, saysNothing } from './schema-normal.js';
import { type Group, ways } from './schema-part.js';
import { hasScalar, isScalar, keywordCovers } from './schema-sizes.js';

/** Whether everything that `narrow` allows is allowed by `wide`, as far as that can be shown. */
type Includes = (wide: Part, narrow: Part, direction: Direction) => boolean;

const DIRECTIONS: readonly Direction[] = ['request', 'response'];

/** What tells a part from all others. */
const keyOf = (part: Part): string =>
  part
    .map(
      ({ spot, own, evaluated }) =>
        `${numberOf(spot.document)}${own ? '!' : ''}${evaluated ? '?' : ''}${spot.text ? '"' : ''}${spot.source.join('/')}`,
    )
    .join('+');

/** A range of more whole numbers is not looked at one by one. */
const FEW = 64;

/** The values of a schema of scalars that lists them, or has few: truth values, or whole numbers of a range. Undefined of all others. */
function scalarsOf({ values, types, keywords }: Normal): unknown[] | undefined {
  if (values !== undefined)
    return [...types].every(isScalar) ? [...values.values()].map(({ value }) => value) : undefined;
  if ([...types].join() === 'boolean') return [true, false];
  const [least, most] = [keywords.get('minimum')?.value, keywords.get('maximum')?.value];
  if ([...types].join() !== 'integer' || typeof least !== 'number' || typeof most !== 'number') return undefined;
  if (most - least >= FEW) return undefined;
  const range = Array.from({ length: most - least + 1 }, (_, index) => least + index);
  return range.filter((value) => accepts({ types, keywords }, value) !== false);
}

/** Whether no value meets both: they have no type in common, or a member whose values tell them apart. */
function apart(one: Normal, other: Normal): boolean {
  const types = [...one.types].filter(
    (type) =>
      other.types.has(type) ||
      (['integer', 'number'].includes(type) && (other.types.has('number') || other.types.has('integer'))),
  );
  if (types.length === 0) return true;
  if (one.values !== undefined && other.values !== undefined)
    return ![...one.values.keys()].some((key) => other.values?.has(key));
  if (types.join() !== 'object') return false;
  return [...one.required.keys()].some((name) => {
    const [mine, theirs] = [one.members.get(name), other.members.get(name)];
    if (mine === undefined || theirs === undefined || !other.required.has(name)) return false;
    const [a, b] = [normal(mine.part).values, normal(theirs.part).values];
    return a !== undefined && b !== undefined && ![...a.keys()].some((key) => b.has(key));
  });
}

/** The decision by inclusion between schemas of two documents. What was decided is kept for as long as it is. */
export function inclusion(): {
  includes: Includes;
  same: (one: Part, other: Part) => boolean;
  equivalent: (one: Part, other: Part) => boolean;
  surelyMeet: (one: Part, other: Part) => boolean;
} {
  const decided = new Map<string, boolean>();
  const order: string[] = [];
  const same = identical();

  const exclusive = ({ kind, alternatives }: Group): boolean => {
    if (kind === 'anyOf') return false;
    const all = alternatives.map(formsOf);
    const areApart = (some: Normal[], others: Normal[]) =>
      some.every((one) => others.every((other) => apart(one, other)));
    return !all.every((one, index) => all.slice(index + 1).every((other) => areApart(one, other)));
  };

  const includes: Includes = (wide, narrow, direction) => {
    const key = `${direction}|${keyOf(wide)}|${keyOf(narrow)}`;
    const found = decided.get(key);
    if (found !== undefined) return found;
    // A schema that holds itself includes itself unless something else in it speaks against it.
    decided.set(key, true);
    const since = order.push(key);
    const result = same(wide, narrow) || decide(wide, narrow, direction);
    // What was shown on the strength of it meanwhile is open again; what could not be shown even so cannot be.
    if (!result) for (const other of order.splice(since)) if (decided.get(other)) decided.delete(other);
    decided.set(key, result);
    return result;
  };

  function decide(wide: Part, narrow: Part, direction: Direction): boolean {
    const [w, n] = [formOf(wide), formOf(narrow)];
    if (n.null && !w.null) return false;
    if (n.never) return true;
    if (w.never) return false;
    // Of alternatives of which only one may hold, none may be met by two.
    if (n.groups.some(({ kind }) => kind === 'anyOf') && w.groups.some(exclusive)) return false;
    const [mine, theirs] = [waysOf(narrow), waysOf(wide)];
    if (mine === undefined || theirs === undefined || !kindsCover(w, n, direction)) return false;
    const open = theirs.map(({ form }) => form);
    const exclusives = w.groups.filter(({ kind }) => kind === 'oneOf').map(({ alternatives }) => alternatives);
    return mine.every(({ way, form: one }) => {
      const values = scalarsOf(one);
      if (values !== undefined) {
        const isTaken = (by: Normal[], value: unknown) => by.some((other) => takes(other, one, value));
        const alternatives = exclusives.map((all) => all.map(formsOf));
        const isOne = (value: unknown) =>
          alternatives.every((all) => all.filter((by) => isTaken(by, value)).length < 2);
        return values.every((value) => isTaken(open, value) && isOne(value));
      }
      const isCovered = [...one.types].every((type) => open.some((other) => covers(other, one, type, direction)));
      if (!isCovered || direction === 'response') return isCovered;
      // Who was met by another alternative too was refused before.
      const others = n.groups.length > 0 ? mine.filter((before) => before.way !== way) : [];
      const isTaker = (alternative: Part) =>
        surelyMeet(alternative, way) && !others.some((before) => includes(before.way, alternative, direction));
      const areMet = (x: Part, y: Part) => surelyMeet([...x, ...way], y) || surelyMeet(x, [...y, ...way]);
      return exclusives.every((alternatives) => {
        const takers = alternatives.filter(isTaker);
        return !takers.some((x, index) => takers.slice(index + 1).some((y) => areMet(x, y)));
      });
    });
  }

  /** Whether each kind that may stand in the place of a schema is one of the other, where that knows it. */
  const kindsCover = (wide: Normal, narrow: Normal, direction: Direction): boolean =>
    [...narrow.kinds].every(([value, part]) => {
      const other = wide.kinds.get(value);
      return other === undefined || includes(other, part, direction);
    });

  /** What was made of a part is kept for as long as what was decided. */
  function kept<Made>(make: (part: Part) => Made): (part: Part) => Made {
    const made = new Map<string, Made>();
    return (part) => {
      const key = `${part[0]?.spot.direction}|${keyOf(part)}`;
      if (!made.has(key)) made.set(key, make(part));
      return made.get(key) as Made;
    };
  }
  const formOf = kept(normal);
  /** Each way to meet a part, of those that can be met; undefined where there are too many. */
  const waysOf = kept((part) =>
    ways(part)
      ?.map((way) => ({ way, form: normal(way) }))
      .filter(({ form }) => !form.never),
  );
  const formsOf = (part: Part): Normal[] => waysOf(part)?.map(({ form }) => form) ?? [];

  /** Whether some value is sure to meet both: one takes all the objects, arrays or texts of the other, or there is a scalar. */
  function surelyMeet(one: Part, other: Part): boolean {
    const [a, b] = [formsOf(one), formsOf(other)];
    // A member that one of them does not name is no matter of which way it goes.
    const all = (wide: Normal, narrow: Normal, type: string) =>
      DIRECTIONS.some((direction) => covers(wide, narrow, type, direction));
    // Of texts of a form nobody knows here how one looks.
    const isSome = ({ keywords }: Normal, type: string) =>
      !isScalar(type) || (type === 'string' && (keywords.has('pattern') || keywords.has('format')));
    const holds = (wide: Normal, narrow: Normal) =>
      [...narrow.types].some((type) => isSome(narrow, type) && all(wide, narrow, type));
    return a.some((x) => b.some((y) => holds(x, y) || holds(y, x))) || formsOf([...one, ...other]).some(hasScalar);
  }

  /** Whether what a schema asks beside its keywords, the other asks as well. */
  function insideCovers(wide: Normal, narrow: Normal, about: (keyword: string) => boolean, direction: Direction) {
    for (const [keyword, { value }] of wide.opaque) if (narrow.opaque.get(keyword)?.value !== value) return false;
    if (!wide.conditions.every((one) => conditionCovers(one, narrow, direction))) return false;
    const isItem = (whole: Part, one: Part) => includes(whole, one, direction);
    if (about('contains') && !containedCovers(wide.contained, narrow.contained, isItem)) return false;
    return [...wide.parts].every(
      ([key, { part }]) =>
        !about(key) || key === 'contains' || includes(part, held(narrow, key, part[0]?.spot), direction),
    );
  }

  /** Whether the same is asked wherever the condition holds and where it does not, or follows from what is asked anyway. */
  function conditionCovers(one: Condition, narrow: Normal, direction: Direction): boolean {
    const hold = (other: Condition, index: number) =>
      index === 0 ? within(one.if, other.if) : within(other.if, one.if);
    return one.asked.every((part, index) => {
      const asked = narrow.conditions
        .filter((other) => hold(other, index))
        .map((other): Part => other.asked[index] ?? []);
      // What one of them asks by itself may show more than what all ask together, which names more members.
      return [...asked, asked.flat()].some((more) => includes(part, needed(narrow, more, one.spot), direction));
    });
  }

  /** Whether all values of a schema are of another one, whichever way these go. */
  const within = (narrow: Part, wide: Part): boolean =>
    same(wide, narrow) || DIRECTIONS.every((direction) => includes(wide, narrow, direction));

  /** Whether two schemas take the same values, whichever way these go. */
  const equivalent = (one: Part, other: Part): boolean => within(one, other) && within(other, one);

  /** Whether a schema is sure to refuse a scalar. */
  const refuses = (part: Part, value: unknown): boolean => {
    const isOther = ({ values }: Normal) =>
      values !== undefined && ![...values.values()].some((one) => one.value === value);
    const isRefused = (one: Normal) => !isOf(value, one.types) || isOther(one) || accepts(one, value) === false;
    return waysOf(part)?.every(({ form }) => isRefused(form)) ?? false;
  };

  /** Whether a listed value is taken by a schema. */
  function takes(wide: Normal, narrow: Normal, value: unknown): boolean {
    if (isAnyText(wide) && typeof value !== 'string') return true;
    if (!wide.nots.every((refused) => refuses(refused, value)) && !notCovered(wide, narrow, 'request')) return false;
    const about = (keyword: string) => concerned(keyword, new Set([typeOf(value)]));
    if (!insideCovers(wide, narrow, about, 'request')) return false;
    if (wide.values !== undefined) return [...wide.values.values()].some((one) => one.value === value);
    const result = accepts(wide, value);
    return (
      result ??
      [...wide.keywords.keys()].every((keyword) => keywordCovers(keyword, wide, narrow) || keyword !== 'format')
    );
  }

  const notCovered = (wide: Normal, narrow: Normal, direction: Direction) =>
    wide.nots.every((refused) => narrow.nots.some((one) => includes(one, refused, direction)));

  function covers(wide: Normal, narrow: Normal, type: string, direction: Direction): boolean {
    if (isAnyText(wide) && ['boolean', 'integer', 'number'].includes(type)) return true;
    if (!(wide.types.has(type) || (type === 'integer' && wide.types.has('number')))) return false;
    if (wide.values !== undefined) {
      const { values } = narrow;
      if (
        values === undefined ||
        ![...values].every(([key, { value }]) => typeOf(value) !== type || wide.values?.has(key))
      )
        return false;
    }
    const about = (keyword: string) => concerned(keyword, new Set([type]));
    for (const keyword of wide.keywords.keys())
      if (about(keyword) && !/Contains$/.test(keyword) && !keywordCovers(keyword, wide, narrow)) return false;
    if (!insideCovers(wide, narrow, about, direction)) return false;
    for (const [key, { part }] of narrow.parts) {
      if (!/^(?:patternProperties|prefixItems)\0/.test(key) || wide.parts.has(key) || !about(key)) continue;
      if (!includes(held(wide, key, part[0]?.spot), part, direction)) return false;
    }
    if (!notCovered(wide, narrow, direction)) return false;
    return type !== 'object' || objectCovers(wide, narrow, direction);
  }

  function objectCovers(wide: Normal, narrow: Normal, direction: Direction): boolean {
    for (const name of wide.required.keys()) if (!narrow.required.has(name)) return false;
    if (wide.extra === 'none' && narrow.extra !== 'none') return false;
    if (typeof wide.extra !== 'string' && narrow.extra !== 'none') {
      if (narrow.extra === 'any' || !includes(wide.extra, narrow.extra, direction)) return false;
    }
    if (direction === 'request' && saysNothing(wide)) return true;
    for (const [name, { part }] of narrow.members) {
      const other = wide.members.get(name)?.part ?? besideNamed(wide, name);
      // What a request named and nobody reads any more is not heard; what an answer names besides hurts nobody.
      const isUnheard = direction === 'request' && !wide.members.has(name);
      if (isUnheard || (other === undefined ? wide.extra === 'none' : !includes(other, part, direction))) return false;
    }
    return [...wide.members].every(([name, { part }]) => {
      if (narrow.members.has(name)) return true;
      if (direction === 'response') return false;
      // Where any other member is of a schema, one that has a name now may be narrower.
      const other = besideNamed(narrow, name);
      return other === undefined || includes(part, other, direction);
    });
  }

  return { includes, same, equivalent, surelyMeet };
}

/** Whether whatever is written as text is allowed: a number is one. */
const isAnyText = ({ text, types, values, keywords, opaque, nots, conditions }: Normal): boolean =>
  text &&
  types.has('string') &&
  values === undefined &&
  opaque.size + nots.length + conditions.length === 0 &&
  ![...keywords.keys()].some((keyword) => keyword === 'format' || concerned(keyword, new Set(['string'])));
