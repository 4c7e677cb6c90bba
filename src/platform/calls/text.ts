import { type Issues, issueList } from './issues.js';

/** PostgreSQL stores neither U+0000 nor lone surrogates; text with them can be the text of no stored row. */
export const isStorableText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** One step of a JSON pointer (RFC 6901 §3): to a member by its name, or to an item by its position. */
export const pointerTo = (key: string | number): string =>
  `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Finds the texts in a JSON value that cannot be stored, by JSON pointer (RFC 6901). */
export function unstorableText(value: unknown): Issues {
  const { add, found } = issueList();
  const place: string[] = [];
  const look = (at: unknown): void => {
    if (typeof at === 'string') {
      if (isStorableText(at)) return;
      add(() => ({ pointer: place.map(pointerTo).join(''), detail: 'must not contain U+0000 or lone surrogates' }));
    } else if (typeof at === 'object' && at !== null) {
      for (const [key, member] of Object.entries(at)) {
        place.push(key);
        look(member);
        place.pop();
      }
    }
  };
  look(value);
  return found();
}
