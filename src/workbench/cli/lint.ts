import { resolve } from 'node:path';
import { EXIT, paint, printJson, withProgress } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { Contracts } from '../model/contracts.js';

const DESCRIPTION = `
Looks for what in openapi.yaml and schema.graphql will hurt somebody: whoever generates a client, whoever reads a failure,
whoever reviews the next edit. The rules are those that codegen needs, Redocly's (redocly.yaml), graphql-eslint's
(eslint.config.js), and our own, which --rules lists. Exits 1 when there is an error; a warning alone is no failure.`;

interface Options {
  root: string;
  json: boolean;
  rules: boolean;
  onlyChanged?: string | true;
}

async function printRules(json: boolean): Promise<void> {
  const { REST_RULES, SDL_RULES } = await import('../lint/rules.js');
  const names = [...new Set([...REST_RULES, ...SDL_RULES].map(({ name }) => name))];
  const rules = names.map((name) => {
    const ofRest = REST_RULES.find((one) => one.name === name);
    const ofSdl = SDL_RULES.find((one) => one.name === name);
    const contracts = [...(ofRest ? ['openapi.yaml'] : []), ...(ofSdl ? ['schema.graphql'] : [])];
    const { why, severity = 'error' } = (ofRest ?? ofSdl) as Pick<(typeof REST_RULES)[number], 'why' | 'severity'>;
    return { name, severity, why, contracts };
  });
  if (json) return printJson(rules);
  const printed = rules.map(({ name, severity, why, contracts }) => {
    return `${paint('bold', name)}  ${paint('dim', `${severity}, ${contracts.join(', ')}`)}\n  ${why}`;
  });
  console.log(printed.join('\n'));
}

/** The commit since which something is looked at. */
const commitOf = async (root: string, ref: string | true) =>
  (await import('../model/git.js')).commitAt(root, ref === true ? undefined : ref);

/** That nothing was found, and in what. */
function inOrder({ openapi, schema }: Contracts): string {
  const [one] = [openapi, schema].filter(({ absent }) => absent);
  if (one === undefined) return 'Both contracts are in order.';
  return `${one === openapi ? schema.file : openapi.file} is in order. There is no ${one.file}.`;
}

/** `accord lint [--json | --rules | --only-changed [ref]]`: exits 1 when a contract breaks a rule. */
const lintCommand: Subcommand = (command) => {
  command
    .description(DESCRIPTION.trim().replaceAll('\n', ' '))
    .option('--rules', 'list our own rules, and why each is one', false)
    .option(
      '--only-changed [ref]',
      'only what came since a commit, tag or branch (default: where this branch left origin/main, or HEAD)',
    )
    .option('--json', 'print JSON for programs', false)
    .action(async () => {
      const { root, json, rules, onlyChanged } = command.optsWithGlobals<Options>();
      if (rules) return printRules(json);
      const folder = resolve(root);
      const { readContracts } = await import('../model/contracts.js');
      const contracts = await readContracts(folder, undefined, 'one');
      const since = onlyChanged && (await commitOf(folder, onlyChanged));
      const problems = await withProgress('Linting the contracts', async () => {
        if (since) return (await import('../lint/changed.js')).problemsSince(folder, contracts, since);
        return (await import('../lint/lint.js')).lint(folder, contracts);
      });
      const { printProblems } = await import('../model/problems.js');
      const failed = problems.some(({ severity }) => severity !== 'warning');
      if (failed) process.exitCode = EXIT.found;
      if (json) return printJson(problems.map(({ frame: _, ...one }) => ({ severity: 'error', ...one })));
      if (problems.length > 0) console.log(printProblems(problems, { colour: process.stdout.isTTY }));
      else
        console.log(
          `${paint('green', '✓')} ${since ? `Nothing that breaks a rule has come since ${since.label}.` : inOrder(contracts)}`,
        );
    });
};

export default lintCommand;
