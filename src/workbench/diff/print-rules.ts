import type { Verdict } from './change.js';
import type { Paint } from './print-text.js';
import { concerns, RULE_TABLE, type RuleRow } from './rule-table.js';
import type { SeverityLine } from './severity.js';

/** A rule with what the project's contracts say of it. */
export interface StatedRule extends RuleRow {
  /** The lines of `x-severity`, the one that counts last. Left out where there is none. */
  stated?: { rule: string; verdict: Verdict; file: string; line: number }[];
}

/** All rules, those of which the contracts say something with that. `lines` name rules and verdicts that there are. */
export const statedRules = (lines: readonly SeverityLine[]): StatedRule[] =>
  RULE_TABLE.map((row) => {
    const own = lines.filter(({ rule }) => concerns(rule, row));
    const stated = own.map(({ rule, verdict, place: { file, line } }) => ({
      ...{ rule, verdict: verdict as Verdict, file, line },
    }));
    return stated.length === 0 ? row : { ...row, stated };
  });

/** The rules for a terminal. */
export const printRules = (rules: readonly StatedRule[], paint: Paint): string =>
  rules
    .map(({ name, verdicts, why, stated = [] }) => {
      const here = stated.map(({ rule, verdict, file, line }) => {
        const which = rule === name ? '' : `${rule} `;
        return `\n  ${paint('cyan', `here: ${which}${verdict}`)} ${paint('dim', `by ${file}:${line}`)}`;
      });
      return `${paint('bold', name)}  ${paint('dim', verdicts.join(' or '))}\n  ${why}${here.join('')}`;
    })
    .join('\n');
