import type { Rest, RestFlaw, RestRule } from './rule.js';

/** What the methods of HTTP say already; what they cannot say, as in `/orders/7/cancel`, has to be in a path. */
const SAID_BY_METHODS = new Set(
  'get fetch retrieve read create add insert update modify edit change replace delete remove destroy put'.split(' '),
);
/** Nouns too, so that they are verbs only where a noun follows. */
const NOUNS_TOO = new Set('head list options patch post trace'.split(' '));

/** `getAllUsers`, `get-all-users` and `get_all_users` are get, all, users. */
const wordsOf = (segment: string): string[] =>
  segment
    .split(/[-_.~]|(?<=[a-z\d])(?=[A-Z])/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

function verbIn(segment: string): string | undefined {
  const [first = '', ...others] = segment.includes('{') ? [] : wordsOf(segment);
  const isVerb = SAID_BY_METHODS.has(first) || (NOUNS_TOO.has(first) && others.length > 0);
  return isVerb ? first : undefined;
}

const verbs = ({ source }: Rest): RestFlaw[] =>
  Object.keys(source.paths ?? {}).flatMap((path) => {
    const segment = path.split('/').find((one) => verbIn(one) !== undefined);
    if (segment === undefined) return [];
    const message = `"${segment}" says "${verbIn(segment)}", which the method of an operation says: name the thing.`;
    return [{ path: ['paths', path], onKey: true, message }];
  });

export const PATH_RULES: RestRule[] = [
  {
    name: 'path-verb',
    why: 'A path names a thing, and methods say what is done to it: else each thing has as many paths as verbs, and caches and clients know none of them.',
    severity: 'warning',
    check: verbs,
  },
];
