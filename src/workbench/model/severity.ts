import type { Contracts } from './contracts.js';
import type { OpenApiSource } from './openapi-source.js';
import type { FilePlace } from './problems.js';
import { argumentsOf, placeOf } from './sdl-source.js';

/** A verdict that a repository sets for a rule: `x-severity` in openapi.yaml, or `@severity` at the schema. */
export interface SeverityLine {
  rule: string;
  verdict: unknown;
  place: FilePlace;
}

/** Returns the verdicts that both contracts set. The last one for a rule counts. */
export function severityLines({ openapi, schema }: Contracts): SeverityLine[] {
  const directives = schema.document.definitions
    .flatMap((one) => (one.kind === 'SchemaDefinition' || one.kind === 'SchemaExtension' ? (one.directives ?? []) : []))
    .filter(({ name }) => name.value === 'severity');
  const inSdl = directives.map((directive) => {
    const { rule, is } = argumentsOf(directive);
    return { rule: String(rule), verdict: String(is).toLowerCase(), place: placeOf(directive) };
  });
  const inOpenApi = Object.entries((openapi.absent ? undefined : openapi.written['x-severity']) ?? {}).map(
    ([rule, verdict]) => ({ rule, verdict, place: openapi.placeOf(['x-severity', rule], true) }),
  );
  return [...inSdl, ...inOpenApi];
}

/** Returns the accepted breaks of a contract that have an id and a reason. */
export const acceptancesIn = ({ written }: OpenApiSource): { change: string; reason: string }[] => {
  const list: unknown = written['x-accepted-breaks'];
  return (Array.isArray(list) ? list : []).filter(
    (one) => typeof one?.change === 'string' && typeof one.reason === 'string' && one.reason.trim() !== '',
  );
};
