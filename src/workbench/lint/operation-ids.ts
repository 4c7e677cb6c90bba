import { RESERVED } from '../model/reserved-words.js';
import type { Rest, RestFlaw, RestRule } from './rule.js';
import { VERBS } from './verbs.js';

interface Named {
  id: string;
  tag: string;
  /** `getUserBook` is get, user, book. */
  words: string[];
}

const wordsOf = (id: string) =>
  (id.match(/[A-Z]?[a-z\d]+|(?<![A-Z])[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());

/** What a rule has to say about single operationIds, at each one that it says it of. */
const each =
  (judge: (named: Named) => string | undefined) =>
  ({ operations }: Rest): RestFlaw[] =>
    operations.flatMap(({ operationId: id, tag, at }) => {
      const message = judge({ id, tag, words: wordsOf(id) });
      return message === undefined ? [] : [{ path: [...at, 'operationId'], message }];
    });

const inCamelCase = each(({ id }) => {
  if (/^[a-z][a-z\d]*([A-Z][a-z\d]+)*$/.test(id)) return undefined;
  const words = wordsOf(id).map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)));
  return `operationId "${id}" is not camelCase, one capital for each word: "${words.join('')}"?`;
});

const verbFirst = each(({ id, words: [first = ''] }) =>
  VERBS.has(first)
    ? undefined
    : `operationId "${id}" does not begin with a verb that says what it does, as "get" does.`,
);

const singular = (word: string) => word.replace(/(?<=..)s$/, '');

const noTag = each(({ id, tag, words }) => {
  const [first = '', ...rest] = words.map(singular);
  if (rest.length > 0 && first === singular(tag.toLowerCase())) {
    return `operationId "${id}" repeats its tag: SDKs put it below "${tag}" already.`;
  }
  const twice = [first, ...rest].find((word, index, all) => index > 0 && word === all[index - 1]);
  return twice === undefined ? undefined : `operationId "${id}" says "${twice}" twice.`;
});

const notReserved = each(({ id }) => {
  // What JavaScript reserves is refused by codegen already.
  const found = (['Python', 'Java'] as const).find((language) => (RESERVED[language] as string[]).includes(id));
  if (found === undefined || RESERVED.JavaScript.includes(id)) return undefined;
  return `operationId "${id}" is a reserved word of ${found}, so its SDK will call it something else.`;
});

function distinct({ operations }: Rest): RestFlaw[] {
  const known = new Map<string, string>();
  return operations.flatMap(({ operationId: id, at }) => {
    const key = id.replace(/[-_]/g, '').toLowerCase();
    const other = known.get(key);
    known.set(key, other ?? id);
    // An exact repeat is refused by codegen already.
    if (other === undefined || other === id) return [];
    const message = `operationId "${id}" differs from "${other}" in case only, which some languages cannot tell apart.`;
    return [{ path: [...at, 'operationId'], message }];
  });
}

/** operationIds become the names of SDK methods in every language, and renaming one later breaks every client. */
export const OPERATION_ID_RULES: RestRule[] = [
  {
    name: 'operation-id-camel-case',
    why: 'A run of capitals comes out as get_h_t_t_p in SDKs that split words at capitals.',
    check: inCamelCase,
  },
  { name: 'operation-id-verb', why: 'An SDK method without a verb does not say what a call does.', check: verbFirst },
  {
    name: 'operation-id-repeats',
    why: 'SDKs group methods by tag, so that a repeat reads client.users.usersList().',
    check: noTag,
  },
  {
    name: 'operation-id-reserved',
    why: 'A generator renames what its language reserves, each in its own way.',
    check: notReserved,
  },
  {
    name: 'operation-id-distinct',
    why: 'Names that differ in case only become one file or one method in some languages.',
    check: distinct,
  },
];
