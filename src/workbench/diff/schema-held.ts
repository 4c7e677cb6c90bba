import type { Part, Spot } from './form.js';
import { matches } from './schema-keywords.js';
import type { Normal } from './schema-normal.js';
import { partAt } from './schema-part.js';
import { down } from './spot.js';

/**
 * What holds inside of a schema: what it says of it; or else, of an item without a place of its own, what it says of all, and
 * of members by a pattern what it says of others. What is needed with a member is beside what is needed anyway.
 */
export function held(normal: Normal, key: string, spot: Spot | undefined): Part {
  const own = normal.parts.get(key)?.part;
  return key.startsWith('dependent') ? needed(normal, own ?? [], spot) : (own ?? fallback(normal, key, spot));
}

/** A part beside the members that are needed anyway. @param spot where it stands, or would */
export function needed({ required }: Normal, part: Part, spot: Spot | undefined): Part {
  const names = [...required.keys()];
  if (spot === undefined || names.length === 0) return part;
  // Its place is a key of what was decided: it is another one for other members.
  return [...part, ...partAt({ required: names }, down(spot, { source: ['required', ...names] }))];
}

function fallback({ parts, extra, keywords }: Normal, key: string, spot: Spot | undefined): Part {
  const nothing = (): Part => (spot === undefined ? [] : partAt(false, down(spot, { source: 'nothing' })));
  const [keyword, index] = key.split('\0');
  if (keyword === 'prefixItems') {
    const most = keywords.get('maxItems')?.value;
    return most !== undefined && Number(index) >= Number(most) ? nothing() : (parts.get('items')?.part ?? []);
  }
  if (keyword === 'items') {
    const most = keywords.get('maxItems')?.value;
    const named = [...parts.keys()].filter((one) => one.startsWith('prefixItems')).length;
    return most !== undefined && Number(most) <= named ? nothing() : [];
  }
  if (keyword !== 'patternProperties' || extra === 'any') return [];
  return extra === 'none' ? nothing() : extra;
}

/** What an object says of a member by patterns that its name matches. */
const byPattern = ({ parts }: Normal, name: string): Part =>
  [...parts].flatMap(([key, { part }]) => {
    const [keyword, pattern = ''] = key.split('\0');
    return keyword === 'patternProperties' && matches(pattern, name) ? part : [];
  });

/** What holds of a member that is not named; undefined where that is anything, or that there is none. */
export function besideNamed(normal: Normal, name: string): Part | undefined {
  const matched = byPattern(normal, name);
  return matched.length > 0 ? matched : typeof normal.extra === 'string' ? undefined : normal.extra;
}
