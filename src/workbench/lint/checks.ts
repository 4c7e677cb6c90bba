import { Linter } from 'eslint';
import regexpPlugin from 'eslint-plugin-regexp';
import { PAGE_SIZE, PAGE_START } from '../model/names.js';

/** Returns true if parameters or arguments of these names page a list. */
export const isPaged = (names: readonly string[]): boolean =>
  names.some((name) => PAGE_SIZE.test(name)) && names.some((name) => PAGE_START.test(name));

const linter = new Linter();
const SOUND: Linter.Config = {
  linterOptions: { noInlineConfig: true },
  plugins: { regexp: regexpPlugin },
  rules: {
    'no-invalid-regexp': 'error',
    'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
    'regexp/no-super-linear-move': ['error', { report: 'potential' }],
  },
};

/** Returns what is wrong with the regular expression of a pattern (ECMA-262, flag u), or undefined. */
export function patternFault(pattern: string): string | undefined {
  const [fault] = linter.verify(`new RegExp(${JSON.stringify(pattern)}, 'u');`, SOUND);
  if (fault === undefined || fault.ruleId === 'no-invalid-regexp') return fault?.message;
  return `The time to match ${JSON.stringify(pattern)} may grow with the square of a text, or worse: make it unambiguous where each repetition ends.`;
}

/** Keywords that are a lower and an upper bound of the same thing. */
const BOUNDS = [
  ['minimum', 'maximum'],
  ['minimum', 'exclusiveMaximum'],
  ['exclusiveMinimum', 'maximum'],
  ['exclusiveMinimum', 'exclusiveMaximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minContains', 'maxContains'],
  ['minProperties', 'maxProperties'],
] as const;

/** Returns the first lower bound of a schema that exceeds its upper bound, with a message; or undefined. */
export function contradictionIn(schema: object): { keyword: string; message: string } | undefined {
  const values = schema as Record<string, unknown>;
  for (const [keyword, other] of BOUNDS) {
    const [least, most] = [values[keyword], values[other]];
    // In OpenAPI 3.0 the exclusive bounds are booleans.
    if (typeof least !== 'number' || typeof most !== 'number') continue;
    const isEmpty = `${keyword}${other}`.includes('exclusive') ? least >= most : least > most;
    if (isEmpty) return { keyword, message: `No value satisfies both ${keyword} ${least} and ${other} ${most}.` };
  }
  return undefined;
}
