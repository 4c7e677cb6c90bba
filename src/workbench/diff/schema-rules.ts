import { type Difference, isTree, type Value } from './form.js';
import { judge, type Rule, subject } from './rule.js';
import { VALUE_RULES } from './value-rules.js';

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

/** What else an object may have. A schema for it lies between nothing and anything. */
const extra: Rule = (difference) => {
  const width = (one: Value) => (one === 'none' ? 0 : isTree(one) ? 1 : 2);
  const [was, is] = [width(difference.before), width(difference.after)];
  if (was === is) return undefined;
  const allowed = ['no other members', 'other members of one schema', 'any other members'];
  const message = `${subject(difference)} allowed ${allowed[was]}, now ${allowed[is]}`;
  return { ...judge(difference, is > was ? 'wider' : 'narrower'), what: is > was ? 'opened' : 'closed', message };
};

export const deprecated: Rule = (difference) => {
  const on = difference.after === true || difference.after === 'true';
  const message = `${subject(difference)} is ${on ? 'deprecated now' : 'not deprecated any more'}`;
  return { verdict: 'safe', what: on ? 'added' : 'removed', message };
};

/** The rules for a schema and its members. */
export const SCHEMA_RULES: Record<string, Rule> = { ...VALUE_RULES, member, required, extra, deprecated };
