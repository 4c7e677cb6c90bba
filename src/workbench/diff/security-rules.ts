import type { Rule } from './rule.js';

const OPEN = 'Anyone may call it now: have the security review say so.';

/** A way of proving who calls. Without any, everyone can. */
export const security: Rule = ({ action, fact: { name, where } }) => {
  const anonymous = name === 'anonymous';
  if (action === 'add') {
    const message = anonymous ? `${where} needs no credentials now` : `${where} takes ${name} now`;
    return { verdict: anonymous ? 'risky' : 'safe', what: 'added', message, ...(anonymous && { advice: OPEN }) };
  }
  const message = anonymous ? `${where} needs credentials now` : `${where} takes ${name} no more`;
  const advice = 'Go on accepting it beside the others until its clients have moved.';
  return { verdict: 'breaking', what: 'removed', message, advice };
};
