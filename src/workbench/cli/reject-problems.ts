import { Unable } from '@accord-api/platform/cli/output';
import { type Problem, printProblems } from '../model/problems.js';

/** @throws Unable with the problems of invalid contracts */
export function rejectProblems(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new Unable(printProblems(problems, { colour: process.stderr.isTTY }));
}
