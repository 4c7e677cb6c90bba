import { concerned, isMultiple, isOf } from './schema-keywords.js';
import type { Normal } from './schema-normal.js';

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
  if (keyword === 'multipleOf') return w.every((one) => mine.some((other) => isMultiple(Number(other), Number(one))));
  if (keyword === 'format')
    return w.every((one) => mine.some((other) => other === one || WITHIN[other]?.includes(one)));
  return w.every((one) => mine.includes(one));
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

/** How much further a bound lies that is none of the numbers itself. */
const BEYOND = 1e-9;

/** Whether of two schemas that ask for no more than a size, one size of a type is allowed by both. */
export function rangesMeet(one: Normal, other: Normal, type: string): boolean {
  const about = (keyword: string) => concerned(keyword, new Set([type]));
  const sized = ({ types, keywords, parts, opaque, nots, groups }: Normal) =>
    isOf(type === 'string' ? '' : type === 'integer' ? 1 : 1.5, types) &&
    opaque.size + nots.length + groups.length === 0 &&
    ![...parts.keys()].some(about) &&
    [...keywords.keys()].every((keyword) => !about(keyword) || /(?:imum|Length)$/.test(keyword));
  if (type === 'object' || type === 'array' || ![one, other].every(sized)) return false;
  const limits = (keyword: string, beyond = 0) =>
    [one, other].flatMap(({ keywords }) =>
      keywords.has(keyword) ? [Number(keywords.get(keyword)?.value) + beyond] : [],
    );
  const size = type === 'string' ? 'Length' : 'imum';
  const least = Math.max(...limits(`min${size}`), ...limits('exclusiveMinimum', BEYOND));
  const most = Math.min(...limits(`max${size}`), ...limits('exclusiveMaximum', -BEYOND));
  return type === 'number' ? least < most : Math.ceil(least) <= Math.floor(most);
}
