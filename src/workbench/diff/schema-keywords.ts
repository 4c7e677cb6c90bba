import type { Spot } from './form.js';
import { type Flat, isNullableAlone, isWord, type Stated } from './schema-part.js';

/** Keywords that narrow by themselves. A list is what must hold together. */
export type Keywords = Map<string, Stated<number | boolean | string[]> & { stated?: string }>;

const UPPER = ['maxLength', 'maxItems', 'maxProperties', 'maxContains'];
const LOWER = ['minLength', 'minItems', 'minProperties', 'minContains'];
const LISTS = ['pattern', 'format', 'multipleOf', 'contentEncoding', 'contentMediaType'];
const FLAGS = ['uniqueItems', 'x-uncommon'];
const BOUNDS = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'];
export const COVARIANT = ['items', 'contains', 'propertyNames', 'unevaluatedItems', 'contentSchema'];
const CONDITION = ['if', 'then', 'else'];
export const BY_NAME = ['patternProperties', 'dependentSchemas'];
export const NOTES = ['default', 'deprecated', 'x-deprecation', 'discriminator', 'x-extensible-enum', 'xml'];
const STRUCTURE = ['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'prefixItems', 'not'];
const LOOKED_AT = [
  '$ref',
  'allOf',
  'oneOf',
  'anyOf',
  'readOnly',
  'writeOnly',
  'dependentRequired',
  'unevaluatedProperties',
];
export const KNOWN = new Set(
  [UPPER, LOWER, LISTS, FLAGS, BOUNDS, COVARIANT, CONDITION, BY_NAME, NOTES, STRUCTURE, LOOKED_AT].flat(),
);

/** Whether a keyword of a schema is only the same or not: nobody here knows what it asks. */
export const isOpaque = (keyword: string, node: Record<string, unknown>): boolean =>
  !KNOWN.has(keyword) && !isWord(keyword) && !(keyword === 'nullable' && isNullableAlone(node));

/** Keywords whose value is a number, a flag or a text, which narrow by themselves. */
export const SIMPLE = [...UPPER, ...LOWER, ...FLAGS, ...LISTS];

/** The types that a keyword says something of; of the others it says nothing. */
const CONCERNS: [RegExp, string[]][] = [
  [/Length$|^pattern$|^content|^x-uncommon$/, ['string']],
  [/imum$|^multipleOf$/, ['integer', 'number']],
  [/[iI]tems$|[cC]ontains$/, ['array']],
  [/[pP]roperties$|^propertyNames$|^dependent/, ['object']],
];
/** Whether a keyword says something of one of the types. */
export const concerned = (keyword: string, types: ReadonlySet<string>): boolean => {
  const found = CONCERNS.find(([pattern]) => pattern.test(keyword.split('\0')[0] ?? ''));
  return found === undefined || found[1].some((type) => types.has(type));
};

const NUMERIC = new Set([
  'int8',
  'int16',
  'int32',
  'int64',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'float',
  'double',
  'decimal',
]);
export const typeOfFormat = (format: string): string[] => (NUMERIC.has(format) ? ['integer', 'number'] : ['string']);

export const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
export const typeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : value === null ? 'null' : typeof value;
export const isOf = (value: unknown, types: ReadonlySet<string>): boolean =>
  types.has(typeOf(value)) || (typeOf(value) === 'integer' && types.has('number'));

export function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}

/** Patterns that refuse nothing, and those that only ask for a length, in its words. */
function plainPattern(pattern: string): { least?: number; most?: number } | undefined {
  if (/^(?:\^?|\$|\^?\(?(?:\.|\[\\s\\S\])\*\)?\$?)$/.test(pattern)) return {};
  if (/^\^?\.\+\$?$/.test(pattern)) return { least: 1 };
  const [, least, comma, most = ''] = /^\^\.\{(\d+)(?:(,)(\d*))?\}\$$/.exec(pattern) ?? [];
  if (least === undefined) return undefined;
  const upper = comma === undefined ? least : most;
  return { least: Number(least), ...(upper !== '' && { most: Number(upper) }) };
}

/** Whether there is no text that a pattern refuses. */
export const meetsAll = (pattern: string): boolean => Object.keys(plainPattern(pattern) ?? [pattern]).length === 0;

/** @param stated the keyword that says it, where it is another one */
export function narrow(keywords: Keywords, keyword: string, value: unknown, spot: Spot, stated = keyword): void {
  const known = keywords.get(keyword)?.value;
  const set = (next: number | boolean | string[]) =>
    keywords.set(keyword, { value: next, spot, ...(stated !== keyword && { stated }) });
  if (UPPER.includes(keyword) && !(Number(known) <= Number(value))) set(Number(value));
  else if (LOWER.includes(keyword) && Number(value) > 0 && !(Number(known) >= Number(value))) set(Number(value));
  else if (FLAGS.includes(keyword) && value === true) set(true);
  else if (keyword === 'pattern') {
    const length = plainPattern(String(value));
    if (length === undefined) set([...new Set([...((known as string[]) ?? []), String(value)])].sort());
    if (length?.least !== undefined) narrow(keywords, 'minLength', length.least, spot);
    if (length?.most !== undefined) narrow(keywords, 'maxLength', length.most, spot);
  } else if (LISTS.includes(keyword)) set([...new Set([...((known as string[]) ?? []), String(value)])].sort());
}

/** The stricter of an inclusive and an exclusive bound, of which only one is left; whole numbers have inclusive ones alone. */
export function bounds(said: Flat['said'], types: ReadonlySet<string>, keywords: Keywords): void {
  for (const [inclusive, exclusive, sign] of [
    ['minimum', 'exclusiveMinimum', 1],
    ['maximum', 'exclusiveMaximum', -1],
  ] as const) {
    let best: { value: number; open: boolean; spot: Spot } | undefined;
    for (const { node, spot } of said) {
      for (const [keyword, open] of [
        [inclusive, false],
        [exclusive, true],
      ] as const) {
        if (typeof node[keyword] !== 'number') continue;
        const whole = !types.has('number');
        const value = !whole
          ? node[keyword]
          : open
            ? sign > 0
              ? Math.floor(node[keyword]) + 1
              : Math.ceil(node[keyword]) - 1
            : sign > 0
              ? Math.ceil(node[keyword])
              : Math.floor(node[keyword]);
        const one = { value, open: open && !whole, spot };
        const stricter = best === undefined || (value - best.value) * sign > 0 || (value === best.value && one.open);
        if (stricter) best = one;
      }
    }
    if (best !== undefined) keywords.set(best.open ? exclusive : inclusive, { value: best.value, spot: best.spot });
  }
}

/** Whether one number is so many times another, as far as numbers in binary tell. */
export const isMultiple = (value: number, of: number): boolean => Math.abs(value / of - Math.round(value / of)) < 1e-9;

/** Whether a scalar meets the keywords; undefined where only the service can say. */
export function accepts(
  { types, keywords }: { types: ReadonlySet<string>; keywords: Keywords },
  value: unknown,
): boolean | undefined {
  if (!isOf(value, types)) return false;
  let known: true | undefined = true;
  for (const [keyword, { value: bound }] of keywords) {
    const size = typeof value === 'string' ? [...value].length : Number(value);
    if (typeof value === 'string' && !concerned(keyword, new Set(['string']))) continue;
    if (typeof value === 'number' && !concerned(keyword, new Set(['number', 'integer']))) continue;
    if (typeof value === 'boolean') continue;
    if (typeof value === 'object' || keyword === 'format' || keyword === 'x-uncommon' || keyword.startsWith('content'))
      known = undefined;
    else if (keyword === 'pattern') {
      if (!(bound as string[]).every((one) => matches(one, String(value)))) return false;
    } else if (keyword === 'multipleOf') {
      if ((bound as string[]).some((one) => !isMultiple(Number(value), Number(one)))) return false;
    } else if (
      keyword === 'exclusiveMinimum'
        ? size <= Number(bound)
        : keyword === 'exclusiveMaximum'
          ? size >= Number(bound)
          : keyword.startsWith('min')
            ? size < Number(bound)
            : size > Number(bound)
    )
      return false;
  }
  return known;
}
