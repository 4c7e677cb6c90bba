import { resolve } from 'node:path';
import { EXIT, paint, printJson, Unable } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import { Option } from 'commander';
import { rejectProblems } from './reject-problems.js';

const FORMATS = ['text', 'json', 'markdown', 'sarif'] as const;
type Format = (typeof FORMATS)[number];

interface Options {
  root: string;
  from?: string;
  to?: string;
  format: Format;
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
    .addOption(new Option('--format <format>', 'the format of the report').choices([...FORMATS]).default('text'))
    .option('--json', 'print JSON, as --format json does', false)
    .option('--rules', 'list the rules with their verdicts, their reasons, and the decisions of the contracts', false)
    .addHelpText('after', HELP);
  command.action(async (ref: string | undefined, other: string | undefined) => {
    const options = command.optsWithGlobals<Options>();
    if (options.rules) return printRules(options.root, options.json);
    const report = await compared(ref, other, options);
    await print(options.json ? 'json' : options.format, report);
    if (!report.ok) process.exitCode = EXIT.found;
  });
};

type Report = import('../diff/report.js').Report;

async function compared(ref: string | undefined, other: string | undefined, options: Options): Promise<Report> {
  const { from, root, to } = options;
  if (ref !== undefined && from !== undefined)
    throw new Unable('Compare with a git ref or with --from, not with both.');
  if (other !== undefined && to !== undefined) throw new Unable('Compare a second version or --to, not both.');
  const { comparable, versionInDirectory, versionNamed } = await import('../model/project-version.js');
  const { diffReport, problemsOf } = await import('../diff/report.js');
  const old = from === undefined ? await versionNamed(root, ref) : versionInDirectory(resolve(from), from);
  const directory = to === undefined ? root : resolve(to);
  const working = () => versionInDirectory(directory, to ?? 'the working tree');
  const [before, after] = comparable(old, other === undefined ? working() : await versionNamed(root, other));
  rejectProblems(await problemsOf({ root: directory, before, after }));
  return diffReport({ root: directory, before, after });
}

async function print(format: Format, report: Report): Promise<void> {
  if (format === 'json') return printJson(report);
  const { printMarkdown, printSarif, printText } = await import('../diff/print.js');
  if (format === 'markdown') console.log(printMarkdown(report));
  else console.log(format === 'sarif' ? printSarif(report) : printText(report, (style, text) => paint(style, text)));
}

async function printRules(root: string, json: boolean): Promise<void> {
  const { printRules: asText } = await import('../diff/print.js');
  const { severityProblems, statedRules } = await import('../diff/rules.js');
  const { contractsIn } = await import('../model/contracts.js');
  const { filesIn } = await import('@accord-api/platform/contract/project-files');
  const contracts = contractsIn(filesIn(root), ['openapi', 'schema']);
  const { checkSchema } = await import('../model/check.js');
  const broken = [...contracts.openapi.errors, ...checkSchema(contracts.schema, 'reading')];
  const problems = broken.length > 0 ? broken : severityProblems(contracts);
  rejectProblems(problems);
  const rules = statedRules(contracts);
  if (json) printJson(rules);
  else console.log(asText(rules, (style, text) => paint(style, text)));
}

export default diff;
