import { EXIT, paint, printJson } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { Contracts } from '../model/contracts.js';

const DESCRIPTION = `
Checks openapi.yaml and schema.graphql with the rules of code generation, of Redocly (redocly.yaml), of graphql-eslint
(eslint.config.js), and with own rules for these two tools, which --rules lists. Exits 1 on an error, 0 on warnings.`;

interface Options {
  root: string;
  json: boolean;
  rules: boolean;
  onlyChanged?: string | true;
}

async function printRules(json: boolean): Promise<void> {
  const [{ REASONS, WARNINGS }, { OPENAPI_RULES }, { GRAPHQL_RULES }] = await Promise.all([
    import('../lint/rules.js'),
    import('../lint/openapi-rules.js'),
    import('../lint/graphql-rules.js'),
  ]);
  const rules = Object.entries(REASONS).map(([name, why]) => {
    const contracts = [
      ...(name in OPENAPI_RULES ? ['openapi.yaml'] : []),
      ...(name in GRAPHQL_RULES ? ['schema.graphql'] : []),
    ];
    return { name, severity: WARNINGS.includes(name) ? 'warning' : 'error', why, contracts };
  });
  if (json) return printJson(rules);
  const printed = rules.map(({ name, severity, why, contracts }) => {
    return `${paint('bold', name)}  ${paint('dim', `${severity}, ${contracts.join(', ')}`)}\n  ${why}`;
  });
  console.log(printed.join('\n'));
}

const commitOf = async (root: string, ref: string | true) =>
  (await import('../model/git.js')).commitAt(root, ref === true ? undefined : ref);

function inOrder({ openapi, schema }: Contracts): string {
  const [one] = [openapi, schema].filter(({ absent }) => absent);
  if (one === undefined) return 'Both contracts are in order.';
  return `${one === openapi ? schema.file : openapi.file} is in order. There is no ${one.file}.`;
}

const lintCommand: Subcommand = (command) => {
  command
    .description(DESCRIPTION.trim().replaceAll('\n', ' '))
    .option('--rules', 'list the own rules with their reasons', false)
    .option(
      '--only-changed [ref]',
      'only problems since a commit, tag or branch (default: where this branch left origin/main, or HEAD)',
    )
    .option('--json', 'print JSON for programs', false)
    .action(async () => {
      const { root, json, rules, onlyChanged } = command.optsWithGlobals<Options>();
      if (rules) return printRules(json);
      const { readContracts } = await import('../model/contracts.js');
      const contracts = await readContracts(root, undefined, 'one');
      const since = onlyChanged && (await commitOf(root, onlyChanged));
      const { lint, problemsSince } = await import('../lint/lint.js');
      const problems = await (since ? problemsSince(root, contracts, since) : lint(root, contracts));
      const { printProblems } = await import('../model/problems.js');
      const failed = problems.some(({ severity }) => severity !== 'warning');
      if (failed) process.exitCode = EXIT.found;
      if (json) return printJson(problems.map(({ frame: _, ...one }) => ({ severity: 'error', ...one })));
      if (problems.length > 0) console.log(printProblems(problems, { colour: process.stdout.isTTY }));
      else
        console.log(`${paint('green', '✓')} ${since ? `No problem is new since ${since.label}.` : inOrder(contracts)}`);
    });
};

export default lintCommand;
