import { dirname, join } from 'node:path';
import { keysOf } from '@accord-api/platform/contract/references';
import {
  BaseResolver,
  type Config,
  getLineColLocation,
  lintDocument,
  type NormalizedProblem,
  Source,
} from '@redocly/openapi-core';
import { DEFAULTS } from './defaults.js';
import type { OpenApiSource } from './openapi-source.js';
import { type FilePlace, type Problem, problemAt } from './problems.js';

/** Where the files say what a problem is about: what a default says is told at the default. */
function placeOf({ location: [location] }: NormalizedProblem, source: OpenApiSource): FilePlace {
  const { file } = source;
  if (location === undefined) return { file, line: 1, column: 1 };
  const keys = 'pointer' in location && location.pointer !== undefined ? keysOf(location.pointer) : [];
  const said = source.placeOf(keys, location.reportOnKey);
  if (source.originOf(keys)[0] === DEFAULTS || said.file !== file) return said;
  const { start, end } = getLineColLocation(location);
  const length = end?.line === start.line ? end.col - start.col : 1;
  return { file, line: start.line, column: start.col, length };
}

/**
 * What Redocly's linter finds in an OpenAPI document that parses, under a configuration.
 * @param parsed which edition of it
 */
export async function lintByRedocly(
  source: OpenApiSource,
  config: Config,
  parsed: unknown = source.written,
): Promise<Problem[]> {
  const { file, text } = source;
  // Redocly's ignore file names absolute paths.
  const path = config.configPath === undefined ? file : join(dirname(config.configPath), file);
  const document = { source: new Source(path, text), parsed };
  const externalRefResolver = new BaseResolver(config.resolve);
  const problems = await lintDocument({ document, externalRefResolver, config });
  return problems
    .filter(({ ignored }) => !ignored)
    .map((problem) => {
      const [suggestion] = problem.suggest;
      const message = suggestion === undefined ? problem.message : `${problem.message} Did you mean \`${suggestion}\`?`;
      const place = placeOf(problem, source);
      const found = problemAt(place.file, source.texts.get(place.file) ?? '', place, problem.ruleId, message);
      return problem.severity === 'warn' ? { ...found, severity: 'warning' } : found;
    });
}
