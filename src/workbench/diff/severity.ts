import type { Contracts } from '../model/contracts.js';
import { type FilePlace, type Problem, problemAt } from '../model/problems.js';
import { argumentsOf, placeOf } from '../model/sdl.js';
import { type Change, VERDICTS, type Verdict } from './change.js';
import { isFor, isRule } from './rule-table.js';

/** What a repository decides about a rule: `x-severity` in the root of openapi.yaml, or `@severity` at the schema. */
export interface SeverityLine {
  rule: string;
  verdict: unknown;
  place: FilePlace;
}

const isVerdict = (value: unknown): value is Verdict => VERDICTS.includes(value as Verdict);

const linesInOpenApi = ({ openapi }: Contracts): SeverityLine[] => {
  const lines = openapi.absent ? undefined : openapi.written['x-severity'];
  return Object.entries(lines ?? {}).map(([rule, verdict]) => {
    const place = openapi.placeOf(['x-severity', rule], true);
    return { rule, verdict, place };
  });
};

/** `extend schema @severity(rule: "…", is: "safe")`, for a project that has no openapi.yaml. */
const linesInSdl = ({ schema }: Contracts): SeverityLine[] =>
  schema.document.definitions
    .flatMap((one) => (one.kind === 'SchemaDefinition' || one.kind === 'SchemaExtension' ? (one.directives ?? []) : []))
    .filter(({ name }) => name.value === 'severity')
    .map((directive) => {
      const { rule, is } = argumentsOf(directive);
      return { rule: String(rule), verdict: String(is).toLowerCase(), place: placeOf(directive) };
    });

/** The lines that name no rule, or no verdict. */
export function severityProblems(contracts: Contracts): Problem[] {
  const wrong = ({ rule, verdict }: SeverityLine): string | undefined => {
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
      : [problemAt(line.place.file, schema.texts.get(line.place.file) ?? '', line.place, 'severity', message)];
  });
  return [...inOpenApi, ...inSdl];
}

/** What the contracts state, in the order in which it counts: the last line that fits. */
export const severityLines = (contracts: Contracts): SeverityLine[] => [
  ...linesInSdl(contracts),
  ...linesInOpenApi(contracts),
];

/** The changes with the verdicts that the new contracts state; the last line that fits counts. What is settled stays. */
export function withSeverity(changes: readonly Change[], contracts: Contracts): Change[] {
  const lines = severityLines(contracts);
  if (lines.length === 0) return [...changes];
  return changes.map((change) => {
    const verdict = lines.findLast(({ rule }) => isFor(rule, change.rule))?.verdict;
    return change.settled || !isVerdict(verdict) ? change : { ...change, verdict };
  });
}
