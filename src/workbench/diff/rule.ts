import type { Judgement, Verdict } from './change.js';
import type { Difference } from './differences.js';
import type { Value } from './form.js';

/** Judges one difference; undefined when it concerns nobody. */
export type Rule = (difference: Difference) => Judgement | undefined;

/** `total.amount` of the request body of createInvoice, as a message says it. */
export const subject = ({ fact: { name, where } }: Difference): string =>
  name === '' ? where : where === '' ? `\`${name}\`` : `\`${name}\` of ${where}`;

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

/** A keyword with what it was and is. */
export const told = (difference: Difference, keyword: string) =>
  `${keyword} of ${subject(difference)}: ${values(difference.before)} → ${values(difference.after)}`;
