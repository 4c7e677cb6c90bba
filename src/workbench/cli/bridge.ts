import { resolve } from 'node:path';
import { EXIT, paint, printJson, table, Unable, withProgress } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { Contracts } from '../model/contracts.js';

const DESCRIPTION = `
Holds openapi.yaml, schema.graphql and prisma/schema.prisma against each other: types and their members, null, enums, ids,
error codes, permissions, limits. What belongs together is found by name: User is User, createUser is Mutation.createUser,
listUsers is Query.users, user_id is userId. Where that is not enough, x-bridge in openapi.yaml says so, and there stand the
differences that are meant, each with its reason. Exits 1 on a difference without one, and on a reason without difference.`;

interface Options {
  root: string;
  json: boolean;
  list: boolean;
}

async function readSound(root: string): Promise<Contracts> {
  const { check } = await import('../model/check.js');
  const { readContracts } = await import('../model/contracts.js');
  const contracts = await readContracts(root, ['openapi', 'schema', 'prisma']);
  const problems = await check(contracts);
  if (problems.length === 0) return contracts;
  const { printProblems } = await import('../model/problems.js');
  const printed = printProblems(problems, { colour: process.stderr.isTTY });
  throw new Unable(`${printed}\nA contract that is broken is held against nothing.`);
}

/** `accord bridge [--list] [--json]`: exits 1 on an unexplained difference, 2 on a contract that is broken. */
const bridgeCommand: Subcommand = (command) => {
  command
    .description(DESCRIPTION.trim().replaceAll('\n', ' '))
    .option('--list', 'show what is held against what, and which differences are accepted', false)
    .option('--json', 'print JSON for programs', false)
    .action(async () => {
      const { root, json, list } = command.optsWithGlobals<Options>();
      const contracts = await withProgress('Reading the contracts', () => readSound(resolve(root)));
      const [{ bridge }, print] = await Promise.all([import('../bridge/bridge.js'), import('../bridge/print.js')]);
      const report = bridge(contracts);
      if (report.differences.length > 0) process.exitCode = EXIT.found;
      if (json) return printJson(print.reportJson(report));
      const listed = [
        table(print.pairRows(report), print.COLUMNS),
        `${paint('bold', 'Held against nothing')}\n${print.printAlone(report)}`,
        `${paint('bold', 'Accepted')}\n${print.printAccepted(report, paint)}`,
      ];
      console.log([...(list ? listed : []), print.printReport(report, contracts, paint)].join('\n\n'));
    });
};

export default bridgeCommand;
