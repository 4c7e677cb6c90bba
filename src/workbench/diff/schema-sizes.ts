import { accepts, isMultiple } from './schema-keywords.js';
import type { Normal } from './schema-normal.js';
import { listOf } from './schema-part.js';

/** Formats of which the first allows no more than the others. */
const WITHIN: Record<string, string[]> = {
  int8: ['int16', 'int32', 'int64'],
  int16: ['int32', 'int64'],
  int32: ['int64'],
  float: ['double'],
  email: ['idn-email'],
  hostname: ['idn-hostname'],
  uri: ['uri-reference', 'iri', 'iri-reference', 'url'],
  'uri-reference': ['iri-reference'],
  iri: ['iri-reference'],
  url: ['uri', 'uri-reference', 'iri', 'iri-reference'],
};

/** Whether what a keyword of `wide` asks is asked by `narrow`, by the same keyword or another one. */
export function keywordCovers(keyword: string, wide: Normal, narrow: Normal): boolean {
  const [w, n] = [wide.keywords.get(keyword)?.value, narrow.keywords.get(keyword)?.value];
  if (w === undefined) return true;
  if (keyword.endsWith('imum')) return boundCovers(keyword, Number(w), narrow);
  if (typeof w === 'number') {
    const known = [n, implied(keyword, narrow)].filter((one) => typeof one === 'number');
    return known.some((one) => (keyword.startsWith('max') ? one <= w : one >= w));
  }
  if (typeof w === 'boolean') return n === true;
  const mine = Array.isArray(n) ? n : [];
  if (keyword === 'multipleOf') {
    const steps = narrow.types.has('number') ? mine : [...mine, 1];
    return w.every((one) => steps.some((other) => isMultiple(Number(other), Number(one))));
  }
  if (keyword === 'format')
    return w.every((one) => mine.some((other) => other === one || WITHIN[other]?.includes(one)) || fitsIn(one, narrow));
  return w.every((one) => mine.includes(one));
}

const BITS: Record<string, number> = { int8: 8, int16: 16, int32: 32, int64: 64 };

/** Whether whole numbers of which no size is stated are of a size by their bounds. */
function fitsIn(format: string, narrow: Normal): boolean {
  const bits = BITS[format];
  const sized = listOf(narrow.keywords.get('format')?.value).some((one) => String(one) in BITS);
  if (bits === undefined || sized || narrow.types.has('number')) return false;
  const most = 2 ** (bits - 1);
  return boundCovers('exclusiveMaximum', most, narrow) && boundCovers('minimum', -most, narrow);
}

/** How many members there are at least by those that are required, and at most by those that a closed object names. */
function implied(keyword: string, { required, members, extra, parts }: Normal): number | undefined {
  if (keyword === 'minProperties') return required.size;
  const named = extra === 'none' && ![...parts.keys()].some((key) => key.startsWith('patternProperties'));
  return keyword === 'maxProperties' && named ? members.size : undefined;
}

function boundCovers(keyword: string, bound: number, { keywords }: Normal): boolean {
  const upper = keyword.toLowerCase().endsWith('maximum');
  const open = keyword.startsWith('exclusive');
  return (upper ? ['maximum', 'exclusiveMaximum'] : ['minimum', 'exclusiveMinimum']).some((one) => {
    const limit = keywords.get(one)?.value;
    if (typeof limit !== 'number') return false;
    const inside = upper ? limit < bound : limit > bound;
    return inside || (limit === bound && (one.startsWith('exclusive') || !open));
  });
}

export const isScalar = (type: string): boolean => type !== 'object' && type !== 'array';

/** No longer texts are tried. */
const LONG = 10_000;

/** Texts of which some have the form that a pattern asks for. */
const TEXTS = ['a', 'A', '1', 'a1', 'ab', 'abc', 'a-b', '12345', 'a@example.com', '2026-01-31', 'https://example.com'];

/** Whether a schema is sure to take a scalar. One without alternatives; of a condition nobody knows here what it asks. */
export function hasScalar(all: Normal): boolean {
  const { never, types, values, keywords, opaque, nots, conditions } = all;
  if (never || opaque.size + nots.length + conditions.length > 0) return false;
  if (values !== undefined) return [...values.values()].some(({ value }) => accepts(all, value) === true);
  const bound = (keyword: string, usual: number) => Number(keywords.get(keyword)?.value ?? usual);
  const least = Math.max(
    bound('minimum', Number.NEGATIVE_INFINITY),
    bound('exclusiveMinimum', Number.NEGATIVE_INFINITY),
  );
  const most = Math.min(
    bound('maximum', Number.POSITIVE_INFINITY),
    bound('exclusiveMaximum', Number.POSITIVE_INFINITY),
  );
  const numbers = [0, least, most, least + 1, most - 1, Math.ceil(least), Math.floor(most), (least + most) / 2].filter(
    Number.isFinite,
  );
  const multiples = listOf(keywords.get('multipleOf')?.value).flatMap((of) =>
    [least, most]
      .filter(Number.isFinite)
      .flatMap((end) => [Math.ceil(end / Number(of)), Math.floor(end / Number(of))].map((one) => one * Number(of))),
  );
  const texts = ['', 'a'.repeat(Math.min(bound('minLength', 0), LONG)), ...TEXTS];
  return (
    types.has('boolean') ||
    (types.has('string') && texts.some((one) => accepts(all, one) === true)) ||
    [...numbers, ...multiples].some((one) => accepts(all, one) === true)
  );
}
