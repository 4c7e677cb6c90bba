import { resolve } from 'node:path';
import { EXIT, paint, printJson, type Subcommand, Unable } from '@accord-api/platform/cli/output';
import { filesIn } from '@accord-api/platform/contract/project-files';
import { Option } from 'commander';
import { type DiffReport, diffReport, problemsOf, type Reported, type VersionDemand } from '../diff/report.js';
import { RULE_TABLE, rowOf, type StatedRule, severityProblems, statedRules } from '../diff/rules.js';
import { checkSchema } from '../model/check.js';
import { contractsIn } from '../model/contracts.js';
import { escapeMarkdown } from '../model/names.js';
import { rejectProblems } from '../model/problems.js';
import { comparable, versionInDirectory, versionNamed } from '../model/project-version.js';
import type { CodeLine } from '../model/touched-code.js';

const GROUPS = {
  breaking: { title: 'Breaking', markdown: '❌ Breaking', style: 'red', sign: '✖', level: 'error' },
  risky: { title: 'Risky', markdown: '⚠️ Risky', style: 'yellow', sign: '▲', level: 'warning' },
  accepted: { title: 'Accepted', markdown: '☑️ Breaking, accepted', style: 'cyan', sign: '✓', level: 'note' },
  safe: { title: 'Safe', markdown: '✅ Safe', style: 'green', sign: '·', level: 'note' },
} as const;
type Group = keyof typeof GROUPS;
const NAMES = Object.keys(GROUPS) as Group[];

const groupOf = ({ verdict, accepted }: Reported): Group => (accepted === undefined ? verdict : 'accepted');
const inGroup = ({ changes }: DiffReport, group: Group): Reported[] => changes.filter((row) => groupOf(row) === group);

/** Returns `openapi.yaml:12:5`, with the old version if the place is in it. */
const placeOf = ({ place: { file, line, column, old } }: Reported, { from }: DiffReport): string =>
  `${file}:${line}:${column}${old ? ` at ${from}` : ''}`;

const SHOWN = 4;
const listed = (texts: readonly string[]) =>
  texts.length > SHOWN ? `${texts.slice(0, SHOWN).join(', ')} and ${texts.length - SHOWN} more` : texts.join(', ');

function touches({ elements, requests, touches: code }: Reported): [label: string, text: string][] {
  const line = ({ file, line: number, name }: CodeLine) => `${name} ${file}:${number}`;
  const rows: [string, string][] = [
    ['reaches', elements.length > 1 ? listed(elements) : ''],
    ['requests', listed(requests.map(({ method, path }) => `${method} ${path}`))],
    ['handlers', listed(code.handlers.map(line))],
    ['services', listed(code.services.map(line))],
    ['tests', listed(code.tests.map((test) => `${test.file}:${test.line}`))],
  ];
  return rows.filter(([, text]) => text !== '');
}

const summary = ({ counts }: DiffReport): string =>
  NAMES.filter((group) => counts[group] > 0)
    .map((group) => `${counts[group]} ${group}`)
    .join(', ');

function versionSentence({ from, to, bump, least, enough }: VersionDemand): string {
  if (bump === 'none') return `info.version stays ${to}.`;
  const done = `info.version ${from} → ${to} is enough for this ${bump} change.`;
  return enough ? done : `This is a ${bump} change: info.version ${to} should become ${least}.`;
}

const acceptance = (id: string): string => `x-accepted-breaks:\n  - change: ${id}\n    reason:`;
const stale = (id: string, quote = ''): string =>
  `${quote}x-accepted-breaks${quote} names ${quote}${id}${quote}, which is not a break of this diff: remove it.`;

export function printText(report: DiffReport): string {
  const row = (label: string, text: string) => `    ${paint('dim', label.padEnd(9))} ${text}`;
  const block = (change: Reported, group: Group): string => {
    const head = `  ${paint(GROUPS[group].style, GROUPS[group].sign)} ${change.message}`;
    if (group === 'safe') return `${head}  ${paint('dim', placeOf(change, report))}`;
    const rows = touches(change).map(([label, text]) => row(label, text));
    if (change.advice !== undefined && group !== 'accepted') rows.unshift(row('instead', change.advice));
    if (change.accepted !== undefined) rows.unshift(row('because', change.accepted));
    rows.push(row('id', paint('dim', change.id)), '');
    return [head, `    ${paint('cyan', placeOf(change, report))}`, ...rows].join('\n');
  };
  const title = `${paint('bold', 'Contract changes')} from ${report.from} to ${report.to}`;
  const staleLines = report.stale.map((id) => `${paint('yellow', 'stale')} ${stale(id)}`);
  const nothing = `  Nothing changed that a client sees. ${versionSentence(report.version)}`;
  if (report.changes.length === 0) return [title, '', nothing, ...staleLines].join('\n');
  const groups = NAMES.flatMap((group) => {
    const changes = inGroup(report, group);
    if (changes.length === 0) return [];
    const head = paint(GROUPS[group].style, `${GROUPS[group].title} (${changes.length})`);
    return [head, ...changes.map((change) => block(change, group)), ...(group === 'safe' ? [''] : [])];
  });
  const [first] = inGroup(report, 'breaking');
  const how = 'A break that must be is accepted in openapi.yaml, at its root, with a reason that a reviewer reads:';
  const next = first ? ['', how, '', acceptance(first.id).replaceAll(/^/gm, '  ')] : [];
  const end = [paint('bold', summary(report)), versionSentence(report.version), ...staleLines, ...next];
  return [title, '', ...groups, ...end].join('\n');
}

export function printMarkdown(report: DiffReport): string {
  const item = (change: Reported): string => {
    const { accepted, advice, id, message, verdict } = change;
    const note =
      accepted === undefined ? advice && `instead: ${escapeMarkdown(advice)}` : `because: ${escapeMarkdown(accepted)}`;
    return [
      `- **${escapeMarkdown(message)}** (\`${placeOf(change, report)}\`)`,
      ...(note === undefined ? [] : [`  - ${note}`]),
      ...touches(change).map(([label, text]) => `  - ${label}: \`${text}\``),
      ...(verdict === 'breaking' ? [`  - id: \`${id}\``] : []),
    ].join('\n');
  };
  const head = report.changes.length === 0 ? 'None that a client sees.' : `**${summary(report)}.**`;
  const groups = NAMES.flatMap((group) => {
    const items = inGroup(report, group).map(item);
    const { markdown } = GROUPS[group];
    if (items.length === 0) return [];
    if (group !== 'safe') return [`### ${markdown}\n\n${items.join('\n')}`];
    return [`<details><summary>${markdown} (${items.length})</summary>\n\n${items.join('\n')}\n\n</details>`];
  });
  const [first] = inGroup(report, 'breaking');
  const how = 'A break that must be is accepted at the root of `openapi.yaml`:';
  return [
    `## Contract changes\n\n${head} ${versionSentence(report.version)}`,
    ...groups,
    ...(first ? [`${how}\n\n\`\`\`yaml\n${acceptance(first.id)}\n\`\`\``] : []),
    ...(report.stale.length > 0 ? [report.stale.map((id) => `- ${stale(id, '`')}`).join('\n')] : []),
  ].join('\n\n');
}

function sarifResult(change: Reported) {
  const { file, line, column, old } = change.place;
  const physicalLocation = {
    artifactLocation: { uri: file },
    // Code scanning expects lines of the new file.
    ...(!old && { region: { startLine: line, startColumn: column } }),
  };
  const logicalLocations = change.requests.map(({ method, path }) => ({ fullyQualifiedName: `${method} ${path}` }));
  const advice = change.advice === undefined ? '' : `\n${change.advice}`;
  return {
    ruleId: rowOf(change.rule)?.name ?? change.rule,
    level: GROUPS[groupOf(change)].level,
    message: { text: `${change.message}${old ? ` (it was at line ${line})` : ''}${advice}` },
    locations: [{ physicalLocation, ...(logicalLocations.length > 0 && { logicalLocations }) }],
    partialFingerprints: { change: change.id },
    ...(change.accepted !== undefined && { suppressions: [{ kind: 'inSource', justification: change.accepted }] }),
  };
}

/**
 * Prints a report as SARIF 2.1.0 for code scanning.
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function printSarif(report: DiffReport): string {
  const rules = RULE_TABLE.map(({ name, verdicts: [worst = 'safe'], why }) => ({
    id: name,
    shortDescription: { text: why },
    defaultConfiguration: { level: GROUPS[worst].level },
  }));
  const driver = { name: 'accord diff', rules };
  const log = { version: '2.1.0', $schema: 'https://json.schemastore.org/sarif-2.1.0.json' };
  return JSON.stringify({ ...log, runs: [{ tool: { driver }, results: report.changes.map(sarifResult) }] }, null, 2);
}

const printRules = (rules: readonly StatedRule[]): string =>
  rules
    .map(({ name, verdicts, why, stated = [] }) => {
      const here = stated.map(({ rule, verdict, file, line }) => {
        const which = rule === name ? '' : `${rule} `;
        return `\n  ${paint('cyan', `here: ${which}${verdict}`)} ${paint('dim', `by ${file}:${line}`)}`;
      });
      return `${paint('bold', name)}  ${paint('dim', verdicts.join(' or '))}\n  ${why}${here.join('')}`;
    })
    .join('\n');

const PRINTERS = {
  text: printText,
  json: (report: DiffReport) => JSON.stringify(report, null, 2),
  markdown: printMarkdown,
  sarif: printSarif,
};

interface Options {
  root: string;
  from?: string;
  to?: string;
  format: keyof typeof PRINTERS;
  json: boolean;
  rules: boolean;
}

const HELP = `
A change is breaking, risky or safe for the present users of the contracts. The direction decides: a narrower request breaks, a wider
response is risky. Each breaking change has an id. The root of openapi.yaml accepts intended ones:

  x-accepted-breaks:
    - change: rest:getUser:response.200.body.name:removed
      reason: Nobody has called it since March; the partners agreed on 2026-11-02.

An acceptance is for the diff in which it is added. The repository may change the verdict of a rule; --rules lists the rules:

  x-severity:
    response-value-added: safe

 Exit codes: 0 no breaking change is left, 1 there are breaking changes, 2 unable to compare.

Examples:
  accord diff                       the changes of this branch
  accord diff v1.4.0                the changes since a tag
  accord diff old.yaml new.yaml     two contracts anywhere
  accord diff https://api.example.com/openapi.json   the changes of a deployment
  accord diff --format markdown     for a comment on the pull request`;

const diff: Subcommand = (command) => {
  command
    .argument(
      '[before]',
      'a commit, tag or branch, a file, or the address of a served contract (default: where this branch left origin/main, or HEAD)',
    )
    .argument('[after]', 'the same kinds (default: the working tree)')
    .option('--from <directory>', 'compare with the project in this directory, not with a git ref')
    .option('--to <directory>', 'compare the project in this directory, not the working tree')
    .addOption(
      new Option('--format <format>', 'the format of the report').choices(Object.keys(PRINTERS)).default('text'),
    )
    .option('--json', 'print JSON, as --format json does', false)
    .option('--rules', 'list the rules with their verdicts, their reasons, and the decisions of the contracts', false)
    .addHelpText('after', HELP);
  command.action(async (ref: string | undefined, other: string | undefined) => {
    const options = command.optsWithGlobals<Options>();
    if (options.rules) return listRules(options.root, options.json);
    const report = await compared(ref, other, options);
    console.log(PRINTERS[options.json ? 'json' : options.format](report));
    if (!report.ok) process.exitCode = EXIT.found;
  });
};

async function compared(ref: string | undefined, other: string | undefined, options: Options): Promise<DiffReport> {
  const { from, root, to } = options;
  if (ref !== undefined && from !== undefined)
    throw new Unable('Compare with a git ref or with --from, not with both.');
  if (other !== undefined && to !== undefined) throw new Unable('Compare a second version or --to, not both.');
  const old = from === undefined ? await versionNamed(root, ref) : versionInDirectory(resolve(from), from);
  const directory = to === undefined ? root : resolve(to);
  const working = () => versionInDirectory(directory, to ?? 'the working tree');
  const [before, after] = comparable(old, other === undefined ? working() : await versionNamed(root, other));
  rejectProblems(await problemsOf({ root: directory, before, after }));
  return diffReport({ root: directory, before, after });
}

async function listRules(root: string, json: boolean): Promise<void> {
  const contracts = contractsIn(filesIn(root), ['openapi', 'schema']);
  const broken = [...contracts.openapi.errors, ...checkSchema(contracts.schema, 'reading')];
  const problems = broken.length > 0 ? broken : severityProblems(contracts);
  rejectProblems(problems);
  const rules = statedRules(contracts);
  if (json) printJson(rules);
  else console.log(printRules(rules));
}

export default diff;
