import {
  BaseResolver,
  type Config,
  getLineColLocation,
  lintDocument,
  type NormalizedProblem,
  Source,
} from '@redocly/openapi-core';
import type { OpenApiSource } from './openapi-source.js';
import { type Place, type Problem, problemAt } from './problems.js';

function placeOf({ location: [location] }: NormalizedProblem): Place {
  if (location === undefined) return { line: 1, column: 1 };
  const { start, end } = getLineColLocation(location);
  const length = end?.line === start.line ? end.col - start.col : 1;
  return { line: start.line, column: start.col, length };
}

/** What Redocly's linter finds in an OpenAPI document that parses, under a configuration. */
export async function lintByRedocly({ file, text, written }: OpenApiSource, config: Config): Promise<Problem[]> {
  const document = { source: new Source(file, text), parsed: written };
  const externalRefResolver = new BaseResolver(config.resolve);
  const problems = await lintDocument({ document, externalRefResolver, config });
  return problems
    .filter(({ ignored }) => !ignored)
    .map((problem) => {
      const [suggestion] = problem.suggest;
      const message = suggestion === undefined ? problem.message : `${problem.message} Did you mean \`${suggestion}\`?`;
      const found = problemAt(file, text, placeOf(problem), problem.ruleId, message);
      return problem.severity === 'warn' ? { ...found, severity: 'warning' } : found;
    });
}
