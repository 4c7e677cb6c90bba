import { isTree, type Value } from './form.js';
import type { Rule } from './rule.js';

/** The sunset of something deprecated: of an operation, a parameter or a member (`x-deprecation.sunset`). */
function sunsetOf(value: Value): string | undefined {
  if (!isTree(value)) return undefined;
  const stated = value['deprecated'] === true || value['deprecated'] === 'true' ? value['sunset'] : undefined;
  return typeof stated === 'string' ? stated : sunsetOf(value['schema']);
}

/** Rules for which what was announced may go: a removal is safe after its sunset, and names it before. */
export function afterSunset(rules: Record<string, Rule>, now: Date): Record<string, Rule> {
  const lenient =
    (rule: Rule): Rule =>
    (difference) => {
      const judgement = rule(difference);
      const sunset = difference.action === 'remove' ? sunsetOf(difference.before) : undefined;
      if (judgement === undefined || sunset === undefined) return judgement;
      const { what, message } = judgement;
      if (Date.parse(sunset) <= now.getTime()) {
        return { verdict: 'safe', what, message: `${message}, after its sunset on ${sunset}`, settled: true };
      }
      return {
        ...judgement,
        message: `${message}, before its sunset on ${sunset}`,
        advice: `Keep it until ${sunset}.`,
      };
    };
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, lenient(rule)]));
}

/** An announced end that moves. That it is announced or taken back is told with the deprecation. */
export const sunset: Rule = ({ action, before, after, fact: { where } }) => {
  if (action !== 'replace') return undefined;
  const message = `sunset of ${where}: ${before} → ${after}`;
  if (Date.parse(String(after)) >= Date.parse(String(before))) return { verdict: 'safe', what: 'later', message };
  return { verdict: 'risky', what: 'sooner', message, advice: 'Keep the date that clients have planned for.' };
};
