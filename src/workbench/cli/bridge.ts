import { EXIT, paint, printJson, table } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { Contracts } from '../model/contracts.js';
import { rejectProblems } from './reject-problems.js';

const DESCRIPTION = `
Compares openapi.yaml, schema.graphql and prisma/schema.prisma: types and their members, nullability, enums, ids, error codes,
permissions, limits. Counterparts have related names: User and User, createUser and Mutation.createUser, listUsers and Query.users,
user_id and userId. x-bridge in openapi.yaml names other counterparts, and accepts intended differences with a reason. Exits 1 on a
difference without a reason, and on a reason without a difference.`;

interface Options {
  root: string;
  json: boolean;
  list: boolean;
}

async function readValid(root: string): Promise<Contracts> {
  const { check } = await import('../model/check.js');
  const { readContracts } = await import('../model/contracts.js');
  const contracts = await readContracts(root, ['openapi', 'schema', 'prisma']);
  rejectProblems(await check(contracts));
  return contracts;
}

const bridgeCommand: Subcommand = (command) => {
  command
    .description(DESCRIPTION.trim().replaceAll('\n', ' '))
    .option('--list', 'list the counterparts and the accepted differences', false)
    .option('--json', 'print JSON for programs', false)
    .action(async () => {
      const { root, json, list } = command.optsWithGlobals<Options>();
      const contracts = await readValid(root);
      const [{ bridge }, print] = await Promise.all([import('../bridge/bridge.js'), import('../bridge/print.js')]);
      const report = bridge(contracts);
      if (report.differences.length > 0) process.exitCode = EXIT.found;
      if (json) return printJson(print.reportJson(report));
      const listed = [
        table(print.pairRows(report), print.COLUMNS),
        `${paint('bold', 'Without a counterpart')}\n${print.printUnpaired(report)}`,
        `${paint('bold', 'Accepted')}\n${print.printAccepted(report, paint)}`,
      ];
      console.log([...(list ? listed : []), print.printReport(report, contracts, paint)].join('\n\n'));
    });
};

export default bridgeCommand;
