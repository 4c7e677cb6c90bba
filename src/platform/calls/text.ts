import { type Issues, issueList } from './issues.js';

/** Returns false for U+0000 and lone surrogates, which PostgreSQL does not store. */
export const isStorableText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** Returns one step of a JSON pointer (RFC 6901 §3). */
export const pointerTo = (key: string | number): string =>
  `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Finds texts in a JSON value that PostgreSQL does not store. */
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
