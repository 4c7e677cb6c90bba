import type { Issue } from './errors.js';

/** PostgreSQL stores neither U+0000 nor lone surrogates; text with them can be the text of no stored row. */
export const isStorableText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** One step of a JSON pointer (RFC 6901 §3): to a member by its name, or to an item by its position. */
export const pointerTo = (key: string | number): string =>
  `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Finds every text in a JSON value that cannot be stored, by JSON pointer (RFC 6901). */
export function unstorableText(value: unknown, pointer = ''): Issue[] {
  if (typeof value === 'string') {
    return isStorableText(value) ? [] : [{ pointer, detail: 'must not contain U+0000 or lone surrogates' }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => unstorableText(member, pointer + pointerTo(key)));
}
