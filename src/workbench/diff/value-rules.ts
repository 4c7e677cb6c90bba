import type { Difference } from './differences.js';
import type { Value } from './form.js';
import { judge, type Rule, subject, told } from './rule.js';

const moved = ({ action }: Difference, raised: boolean) =>
  action === 'add' ? 'added' : action === 'remove' ? 'removed' : raised ? 'raised' : 'lowered';

/** A bound: `upper` for one that a value must not exceed. */
const bound =
  (keyword: string, upper: boolean): Rule =>
  (difference) => {
    const { action, before, after } = difference;
    const raised = Number(after) > Number(before);
    const narrower = action === 'add' || (action === 'replace' && raised !== upper);
    const effect = narrower ? 'narrower' : 'wider';
    return { ...judge(difference, effect), what: moved(difference, raised), message: told(difference, keyword) };
  };

/** A condition that is there or not; another one in its place is neither narrower nor wider. */
const condition =
  (keyword: string): Rule =>
  (difference) => {
    const { action, after } = difference;
    const off = action === 'remove' || after === false;
    const on = action === 'add' || after === true;
    // Who reads numbers of one size, or dates, does not read another kind because it says more.
    const wider = off || (keyword !== 'format' && difference.widened === true);
    const effect = wider ? 'wider' : on ? 'narrower' : 'other';
    const what = off ? 'removed' : on ? 'added' : 'changed';
    return { ...judge(difference, effect), what, message: told(difference, keyword) };
  };

const setOf = (types: Value) => new Set(types === 'nothing' ? [] : String(types).split(' | '));
const covers = (wide: Set<string>, narrow: Set<string>) =>
  [...narrow].every((type) => wide.has(type) || (type === 'integer' && wide.has('number')));

const type: Rule = (difference) => {
  const { action, before, after } = difference;
  const [was, is] = [setOf(before), setOf(after)];
  const wider = action === 'remove' || (action === 'replace' && covers(is, was));
  const narrower = action === 'add' || (action === 'replace' && covers(was, is));
  // Where nothing could be, code reads nothing.
  const widened = before === 'nothing' ? 'risky' : 'breaking';
  const judged = judge(difference, wider ? 'wider' : narrower ? 'narrower' : 'other', widened);
  const nullable = is.has('null') !== was.has('null') && action === 'replace';
  const member = 'Add a second member of the new type beside it, and deprecate this one.';
  const advice = judged.verdict === 'breaking' ? { advice: member } : {};
  const what = nullable && (wider || narrower) ? (wider ? 'nullable' : 'not-null') : 'changed';
  return { ...judged, ...advice, what, message: told(difference, 'type') };
};

/** Introducing or dropping a list of values is a condition; a value more or less widens or narrows it. */
const enumeration: Rule = (difference) => {
  const what = difference.action === 'add' ? 'added' : 'removed';
  const values = what === 'added' ? difference.after : difference.before;
  const list = typeof values === 'string' && values !== '' ? `: ${values}` : '';
  const message = `${subject(difference)} ${what === 'added' ? 'takes only listed values now' : 'has no list of values any more'}${list}`;
  return { ...judge(difference, what === 'added' ? 'narrower' : 'wider'), what, message };
};

const value: Rule = (difference) => {
  const { action, path } = difference;
  const what = action === 'add' ? 'added' : 'removed';
  const message = `value \`${path.at(-1)}\` of ${subject(difference)} is ${what === 'added' ? 'new' : 'gone'}`;
  const wider = difference.disjoint && difference.fact.direction === 'response' ? 'other' : 'wider';
  return { ...judge(difference, what === 'added' ? wider : 'narrower'), what, message };
};

const alternative: Rule = (difference) => {
  const { action, path } = difference;
  if (action === 'replace') return undefined;
  const what = action === 'add' ? 'added' : 'removed';
  if (difference.overlapping) {
    const message = `alternative \`${path.at(-1)}\` of ${subject(difference)} is new, and takes what was taken: what meets two is refused`;
    const advice = 'Tell them apart by a member whose values differ, or let any of them hold (`anyOf`).';
    return { verdict: 'breaking', what, message, advice };
  }
  const message = `alternative \`${path.at(-1)}\` of ${subject(difference)} is ${what === 'added' ? 'new' : 'gone'}`;
  return { ...judge(difference, what === 'added' ? 'wider' : 'narrower'), what, message };
};

/** What is taken when nothing is sent. In a response it is a note. */
const fallback: Rule = (difference) => {
  const verdict = difference.fact.direction === 'request' && difference.action !== 'add' ? 'risky' : 'safe';
  const what = difference.action === 'replace' ? 'changed' : difference.action === 'add' ? 'added' : 'removed';
  return { verdict, what, message: told(difference, 'default') };
};

const upper = ['maxContains', 'maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];
const lower = ['minContains', 'minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];
const conditions = [
  'pattern',
  'format',
  'multipleOf',
  'uniqueItems',
  'x-uncommon',
  'contentEncoding',
  'contentMediaType',
];

/** The rules for what a value may be. */
export const VALUE_RULES: Record<string, Rule> = {
  type,
  enum: enumeration,
  value,
  alternative,
  default: fallback,
  ...Object.fromEntries(upper.map((keyword) => [keyword, bound(keyword, true)])),
  ...Object.fromEntries(lower.map((keyword) => [keyword, bound(keyword, false)])),
  ...Object.fromEntries(conditions.map((keyword) => [keyword, condition(keyword)])),
};
