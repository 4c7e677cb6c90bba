import type { Contracts } from '../model/contracts.js';
import type { Problem } from '../model/problems.js';
import { argumentsOf } from '../model/sdl.js';
import { type Change, VERDICTS, type Verdict } from './change.js';
import { isFor, isRule } from './rule-table.js';

/** What a repository decides about a rule: `x-severity` in the root of openapi.yaml, or `@severity` at the schema. */
interface Line {
  rule: string;
  verdict: unknown;
}

const isVerdict = (value: unknown): value is Verdict => VERDICTS.includes(value as Verdict);

const linesInOpenApi = ({ openapi }: Contracts): Line[] => {
  const lines = openapi.absent ? undefined : openapi.written['x-severity'];
  return Object.entries(lines ?? {}).map(([rule, verdict]) => ({ rule, verdict }));
};

/** `extend schema @severity(rule: "…", is: "safe")`, for a project that has no openapi.yaml. */
const linesInSdl = ({ schema }: Contracts): Line[] =>
  schema.document.definitions
    .flatMap((one) => (one.kind === 'SchemaDefinition' || one.kind === 'SchemaExtension' ? (one.directives ?? []) : []))
    .filter(({ name }) => name.value === 'severity')
    .map((directive) => {
      const { rule, is } = argumentsOf(directive);
      return { rule: String(rule), verdict: String(is).toLowerCase() };
    });

/** The lines that name no rule, or no verdict. */
export function severityProblems(contracts: Contracts): Problem[] {
  const wrong = ({ rule, verdict }: Line): string | undefined => {
    if (!isRule(rule)) return `No rule is called \`${rule}\`: \`accord diff --rules\` lists them.`;
    return isVerdict(verdict) ? undefined : `\`${rule}\` is to be one of ${VERDICTS.join(', ')}.`;
  };
  const { openapi, schema } = contracts;
  const inOpenApi = linesInOpenApi(contracts).flatMap((line) => {
    const message = wrong(line);
    const path = ['x-severity', line.rule];
    return message === undefined ? [] : [openapi.problemAt({ path, onKey: true, rule: 'severity', message })];
  });
  const inSdl = linesInSdl(contracts).flatMap((line) => {
    const message = wrong(line);
    return message === undefined
      ? []
      : [{ file: schema.file, line: 1, column: 1, rule: 'severity', message, frame: '' }];
  });
  return [...inOpenApi, ...inSdl];
}

/** The changes with the verdicts that the new contracts state; the last line that fits counts. What is settled stays. */
export function withSeverity(changes: readonly Change[], contracts: Contracts): Change[] {
  const lines = [...linesInSdl(contracts), ...linesInOpenApi(contracts)];
  if (lines.length === 0) return [...changes];
  return changes.map((change) => {
    const verdict = lines.findLast(({ rule }) => isFor(rule, change.rule))?.verdict;
    return change.settled || !isVerdict(verdict) ? change : { ...change, verdict };
  });
}
