import { isTree, type Value } from './form.js';
import { judge, type Rule, subject } from './rule.js';
import { sunset } from './sunset.js';
import { VALUE_RULES } from './value-rules.js';

const member: Rule = (difference) => {
  const { action, after, fact } = difference;
  const name = subject(difference);
  const open = difference.closed !== true;
  if (fact.direction === 'response') {
    if (action === 'add') {
      const message = open ? `${name} is new` : `${name} is new, in an object that was closed`;
      return { verdict: open ? 'safe' : 'risky', what: 'added', message };
    }
    const advice = 'Keep it, mark it `deprecated: true`, and remove it with the next major version.';
    return { verdict: 'breaking', what: 'removed', message: `${name} is gone`, advice };
  }
  if (action === 'add') {
    if (difference.refused) {
      const advice = 'Take for it what was taken of any other member.';
      return {
        verdict: 'breaking',
        what: 'added',
        message: `${name} is new, and narrower than any other member`,
        advice,
      };
    }
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

/** A condition that is only the same or not: what is in its place allows some of what it did not, or the other way round. */
const condition: Rule = (difference) => {
  const { action, fact } = difference;
  const keyword = fact.id.slice(fact.id.lastIndexOf(':') + 1);
  const wider = action === 'remove' || difference.widened === true;
  const effect = wider ? 'wider' : action === 'add' ? 'narrower' : 'other';
  const message = `${keyword} of ${subject(difference)} ${action === 'add' ? 'is new' : action === 'remove' ? 'is gone' : 'is another one'}`;
  return {
    ...judge(difference, effect),
    what: { add: 'added', remove: 'removed', replace: 'changed' }[action],
    message,
  };
};

/** Whether no two alternatives may hold at once. */
const exclusive: Rule = (difference) => {
  const on = difference.action === 'add';
  const message = `${subject(difference)} is ${on ? 'exactly one of its alternatives now, and was any' : 'any of its alternatives now, and was exactly one'}`;
  return { ...judge(difference, on ? 'narrower' : 'wider'), what: on ? 'added' : 'removed', message };
};

/** By which member clients tell alternatives apart. */
const discriminator: Rule = (difference) => {
  const { action, before, after, fact } = difference;
  const message = `discriminator of ${subject(difference)}: ${before ?? 'none'} → ${after ?? 'none'}`;
  const what = { add: 'added', remove: 'removed', replace: 'changed' }[action];
  if (action === 'add') return { verdict: fact.direction === 'request' ? 'risky' : 'safe', what, message };
  const advice = 'Keep the member that clients choose by, and add the new one beside it.';
  return { verdict: 'breaking', what, message, advice };
};

/** A value of the discriminator, and what it stands for. */
const mapping: Rule = (difference) => {
  const { action, before, after, path, fact } = difference;
  const message = `discriminator value \`${path.at(-1)}\` of ${subject(difference)}: ${before ?? 'none'} → ${after ?? 'none'}`;
  const what = { add: 'added', remove: 'removed', replace: 'changed' }[action];
  if (action === 'add') return { verdict: fact.direction === 'request' ? 'safe' : 'risky', what, message };
  if (action === 'remove' && fact.direction === 'response') return { verdict: 'safe', what, message };
  return {
    verdict: action === 'remove' ? 'breaking' : 'risky',
    what,
    message,
    advice: 'Keep the value for what it stood for.',
  };
};

/** Another value for the same alternative: who sends the old one is refused, and who knows it does not know the new one. */
const discriminatorValue: Rule = (difference) => {
  const { before, after } = difference;
  const message = `\`${before}\` is told by \`${after}\` now, in the discriminator of ${subject(difference)}`;
  const advice = `Keep the value by a mapping: \`${before}\` for what it stood for.`;
  return { verdict: 'breaking', what: 'changed', message, advice };
};

/** A value of a list that clients know to be open (`x-extensible-enum`). */
const extensibleValue: Rule = (difference) => {
  const { action, path, fact } = difference;
  const what = action === 'add' ? 'added' : 'removed';
  const message = `value \`${path.at(-1)}\` of the open list of ${subject(difference)} is ${action === 'add' ? 'new' : 'gone'}`;
  return {
    verdict: action === 'remove' && fact.direction === 'request' ? 'breaking' : 'safe',
    what,
    message,
    ...(action === 'remove' && { advice: 'Go on accepting it.' }),
  };
};

/** What no rule looks at is told all the same. */
const unjudged: Rule = (difference) => {
  const { fact } = difference;
  const message = `${subject(difference) || 'the document'} changed, and was not judged${fact.rule === 'extension' ? ': an extension' : ''}`;
  return { verdict: fact.rule === 'extension' ? 'safe' : 'risky', what: 'unjudged', message };
};

/** The rules for a schema and its members. */
export const SCHEMA_RULES: Record<string, Rule> = {
  ...VALUE_RULES,
  ...{ member, required, extra, deprecated, sunset, condition, not: condition, exclusive },
  ...{ discriminator, discriminatorValue, mapping, extensibleValue, unjudged, extension: unjudged },
};
