import { EXIT, paint, printJson } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { Scaffolding } from '../scaffold/report.js';

interface Options {
  root: string;
  check?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

const DESCRIPTION = `Brings the code in line with the contracts, and prints the next steps.

Generates generated/, then writes a stub for each new operation into src/application/rest/<tag>.ts, and for each new field that needs a resolver into src/application/graphql/<Type>.ts. A stub is typed and answers 501 / NOT_IMPLEMENTED; a comment suggests the target of its route. Your code does not change. Code of an operation or field that a contract no longer has, or has under another name or tag, moves into comments at the end of its file, and comes back with it. A second run changes nothing.`;

async function run(root: string, check: boolean): Promise<Scaffolding> {
  const { readContracts } = await import('../model/contracts.js');
  const { generate } = await import('../generate/generate.js');
  const { scaffold } = await import('../scaffold/scaffold.js');
  const contracts = await readContracts(root);
  return scaffold(contracts, {
    root,
    check,
    generate: () => generate(contracts, { root, check, colour: process.stderr.isTTY }),
  });
}

/** Exits 1 with `--check` if there is something to write, 2 on an invalid contract. */
const scaffoldCommand: Subcommand = (command) => {
  command.description(DESCRIPTION);
  command.option('--check', 'Write nothing. Print the changes, and exit 1 if there are any.');
  command.option('--dry-run', 'The same as --check.');
  command.option('--json', 'Print the changes, the stubs and the next steps as JSON.');
  command.action(async () => {
    const { root, json, ...options } = command.optsWithGlobals<Options>();
    const check = options.check === true || options.dryRun === true;
    const { nextSteps, reportOf } = await import('../scaffold/report.js');
    const done = await run(root, check);
    if (json) printJson({ ...done, next: nextSteps(done, check) });
    else console.log(reportOf(done, { check, paint }));
    if (check && done.changes.length + done.generated.length > 0) process.exitCode = EXIT.found;
  });
};

export default scaffoldCommand;
