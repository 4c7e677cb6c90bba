import { type Config, getLineColLocation, lintFromString, type NormalizedProblem } from '@redocly/openapi-core';
import { type Place, type Problem, problemAt } from './problems.js';

function placeOf({ location: [location] }: NormalizedProblem): Place {
  if (location === undefined) return { line: 1, column: 1 };
  const { start, end } = getLineColLocation(location);
  const length = end?.line === start.line ? end.col - start.col : 1;
  return { line: start.line, column: start.col, length };
}

/** What Redocly's linter finds in the text of an OpenAPI document under a configuration. */
export async function lintByRedocly(file: string, text: string, config: Config): Promise<Problem[]> {
  const problems = await lintFromString({ source: text, absoluteRef: file, config });
  return problems
    .filter(({ ignored }) => !ignored)
    .map((problem) => {
      const [suggestion] = problem.suggest;
      const message = suggestion === undefined ? problem.message : `${problem.message} Did you mean \`${suggestion}\`?`;
      const found = problemAt(file, text, placeOf(problem), problem.ruleId, message);
      return problem.severity === 'warn' ? { ...found, severity: 'warning' } : found;
    });
}
