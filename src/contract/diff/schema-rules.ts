import type { Judgement, Verdict } from './change.js';
import { type Difference, isTree, type Value } from './form.js';
import { OPAQUE } from './schema-form.js';

/** Judges one difference; undefined when it concerns nobody. */
export type Rule = (difference: Difference) => Judgement | undefined;

/** `total.amount` of the request body of createOrder, as a message says it. */
export const subject = ({ fact: { name, where } }: Difference): string =>
  name === '' ? where : `\`${name}\` of ${where}`;

const KEEP = 'Keep what is accepted now, and refuse the rest in a new operation or member.';
const WARN = 'Tell the clients first: code that lists all the values it knows meets one more.';

const values = (value: Value) => (value === undefined ? 'none' : `${value}`);

/** What narrowing and widening do, by direction. */
export function judge(
  { fact: { direction } }: Difference,
  effect: 'narrower' | 'wider' | 'other',
  widened: Verdict = 'risky',
): Pick<Judgement, 'verdict' | 'advice'> {
  if (direction === 'request') {
    return effect === 'wider' ? { verdict: 'safe' } : { verdict: 'breaking', advice: KEEP };
  }
  if (effect === 'narrower') return { verdict: 'safe' };
  return { verdict: effect === 'other' ? 'breaking' : widened, advice: WARN };
}

const moved = ({ action }: Difference, raised: boolean) =>
  action === 'add' ? 'added' : action === 'remove' ? 'removed' : raised ? 'raised' : 'lowered';

const told = (difference: Difference, keyword: string) =>
  `${keyword} of ${subject(difference)}: ${values(difference.before)} → ${values(difference.after)}`;

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
    const effect = off ? 'wider' : on ? 'narrower' : 'other';
    const what = off ? 'removed' : on ? 'added' : 'changed';
    return { ...judge(difference, effect), what, message: told(difference, keyword) };
  };

const setOf = (types: Value) => new Set(String(types).split(' | '));
const covers = (wide: Set<string>, narrow: Set<string>) =>
  [...narrow].every((type) => wide.has(type) || (type === 'integer' && wide.has('number')));

const type: Rule = (difference) => {
  const { action, before, after } = difference;
  const [was, is] = [setOf(before), setOf(after)];
  const wider = action === 'remove' || (action === 'replace' && covers(is, was));
  const narrower = action === 'add' || (action === 'replace' && covers(was, is));
  const judged = judge(difference, wider ? 'wider' : narrower ? 'narrower' : 'other', 'breaking');
  const nullable = is.has('null') !== was.has('null') && action === 'replace';
  const member = 'Add a second member of the new type beside it, and deprecate this one.';
  const advice = judged.verdict === 'breaking' ? { advice: member } : {};
  const what = nullable && (wider || narrower) ? (wider ? 'nullable' : 'not-null') : 'changed';
  return { ...judged, ...advice, what, message: told(difference, 'type') };
};

/** Whether the object that a member is in takes members it does not name (`additionalProperties`). */
function isOpen({ up }: Difference): boolean {
  const { before, after } = up(2);
  return ![before, after].some((object) => isTree(object) && object['extra'] === 'none');
}

const member: Rule = (difference) => {
  const { action, after, fact } = difference;
  const name = subject(difference);
  const open = isOpen(difference);
  if (fact.direction === 'response') {
    if (action === 'add') {
      const message = open ? `${name} is new` : `${name} is new, in an object that was closed`;
      return { verdict: open ? 'safe' : 'risky', what: 'added', message };
    }
    const advice = 'Keep it, mark it `deprecated: true`, and remove it with the next major version.';
    return { verdict: 'breaking', what: 'removed', message: `${name} is gone`, advice };
  }
  if (action === 'add') {
    if (!isTree(after) || after['required'] !== true)
      return { verdict: 'safe', what: 'added', message: `${name} is new` };
    const advice = 'Make it optional, with a default for who leaves it out.';
    return { verdict: 'breaking', what: 'added', message: `${name} is new and required`, advice };
  }
  if (open)
    return { verdict: 'risky', what: 'removed', message: `${name} is gone: who sends it is not heard any more` };
  const advice = 'Go on accepting it, mark it `deprecated: true`, and ignore it.';
  return { verdict: 'breaking', what: 'removed', message: `${name} is gone: who sends it is refused`, advice };
};

const required: Rule = (difference) => {
  const { after, fact } = difference;
  const message = `${subject(difference)} is ${after === true ? 'required now' : 'optional now'}`;
  const what = after === true ? 'required' : 'optional';
  if ((fact.direction === 'request') !== (after === true)) return { verdict: 'safe', what, message };
  const advice =
    after === true
      ? 'Leave it optional, and take a default for who leaves it out.'
      : 'Go on sending it, null if need be.';
  return { verdict: 'breaking', what, message, advice };
};

/** Introducing or dropping a list of values is a condition; a value more or less widens or narrows it. */
const enumeration: Rule = (difference) => {
  const what = difference.action === 'add' ? 'added' : 'removed';
  const message = `${subject(difference)} ${what === 'added' ? 'takes only listed values now' : 'has no list of values any more'}`;
  return { ...judge(difference, what === 'added' ? 'narrower' : 'wider'), what, message };
};

const value: Rule = (difference) => {
  const { action, path } = difference;
  const what = action === 'add' ? 'added' : 'removed';
  const message = `value \`${path.at(-1)}\` of ${subject(difference)} is ${what === 'added' ? 'new' : 'gone'}`;
  return { ...judge(difference, what === 'added' ? 'wider' : 'narrower'), what, message };
};

const alternative: Rule = (difference) => {
  const { action, path } = difference;
  if (action === 'replace') return undefined;
  const what = action === 'add' ? 'added' : 'removed';
  const message = `alternative \`${path.at(-1)}\` of ${subject(difference)} is ${what === 'added' ? 'new' : 'gone'}`;
  return { ...judge(difference, what === 'added' ? 'wider' : 'narrower'), what, message };
};

const alternatives: Rule = (difference) => {
  const what = difference.action === 'add' ? 'added' : 'removed';
  const message = `${subject(difference)} ${what === 'added' ? 'has alternatives now' : 'has no alternatives any more'}`;
  return { ...judge(difference, 'other'), what, message };
};

/** What else an object may have. A schema for it lies between nothing and anything. */
const extra: Rule = (difference) => {
  const width = (one: Value) => (one === 'none' ? 0 : isTree(one) ? 1 : 2);
  const [was, is] = [width(difference.before), width(difference.after)];
  if (was === is) return undefined;
  const allowed = ['no other members', 'other members of one schema', 'any other members'];
  const message = `${subject(difference)} allowed ${allowed[was]}, now ${allowed[is]}`;
  return { ...judge(difference, is > was ? 'wider' : 'narrower'), what: is > was ? 'opened' : 'closed', message };
};

/** What is taken when nothing is sent. In a response it is a note. */
const fallback: Rule = (difference) => {
  const verdict = difference.fact.direction === 'request' && difference.action !== 'add' ? 'risky' : 'safe';
  const what = difference.action === 'replace' ? 'changed' : difference.action === 'add' ? 'added' : 'removed';
  return { verdict, what, message: told(difference, 'default') };
};

export const deprecated: Rule = (difference) => {
  const on = difference.after === true || difference.after === 'true';
  const message = `${subject(difference)} is ${on ? 'deprecated now' : 'not deprecated any more'}`;
  return { verdict: 'safe', what: on ? 'added' : 'removed', message };
};

const upper = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];
const lower = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];
const conditions = [
  'pattern',
  'format',
  'multipleOf',
  'uniqueItems',
  'x-uncommon',
  'contentEncoding',
  'contentMediaType',
];

export const SCHEMA_RULES: Record<string, Rule> = {
  type,
  member,
  required,
  enum: enumeration,
  value,
  alternative,
  alternatives,
  extra,
  default: fallback,
  deprecated,
  ...Object.fromEntries(upper.map((keyword) => [keyword, bound(keyword, true)])),
  ...Object.fromEntries(lower.map((keyword) => [keyword, bound(keyword, false)])),
  ...Object.fromEntries([...conditions, ...OPAQUE].map((keyword) => [keyword, condition(keyword)])),
};
