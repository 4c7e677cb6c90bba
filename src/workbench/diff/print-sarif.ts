import type { Report, Reported } from './report.js';
import { RULE_TABLE, rowOf } from './rule-table.js';
import { groupOf } from './words.js';

const LEVEL = { breaking: 'error', risky: 'warning', accepted: 'note', safe: 'note' } as const;

const logicalLocation = ({ method, path }: Reported['requests'][number]) => ({
  fullyQualifiedName: `${method} ${path}`,
});

function resultOf(change: Reported) {
  const { file, line, column, old } = change.place;
  // A line of the old file is nowhere in the new one.
  const region = old ? {} : { region: { startLine: line, startColumn: column } };
  const advice = change.advice === undefined ? '' : `\n${change.advice}`;
  return {
    ruleId: rowOf(change.rule)?.name ?? change.rule,
    level: LEVEL[groupOf(change)],
    message: { text: `${change.message}${old ? ` (it was at line ${line})` : ''}${advice}` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: file }, ...region },
        ...(change.requests.length > 0 && { logicalLocations: change.requests.map(logicalLocation) }),
      },
    ],
    partialFingerprints: { change: change.id },
    ...(change.accepted !== undefined && { suppressions: [{ kind: 'inSource', justification: change.accepted }] }),
  };
}

/**
 * A report as SARIF 2.1.0, as code scanning takes it.
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function printSarif(report: Report): string {
  const rules = RULE_TABLE.map(({ name, verdicts: [worst = 'safe'], why }) => ({
    id: name,
    shortDescription: { text: why },
    defaultConfiguration: { level: LEVEL[worst] },
  }));
  const driver = { name: 'accord diff', rules };
  const log = { version: '2.1.0', $schema: 'https://json.schemastore.org/sarif-2.1.0.json' };
  return JSON.stringify({ ...log, runs: [{ tool: { driver }, results: report.changes.map(resultOf) }] }, null, 2);
}
