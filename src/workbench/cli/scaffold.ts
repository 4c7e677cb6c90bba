import { resolve } from 'node:path';
import { EXIT, paint, printJson, Unable, withProgress } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { Scaffolding } from '../scaffold/report.js';

interface Options {
  root: string;
  check?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

const DESCRIPTION = `Brings the code to what the contracts ask for, and tells the next step.

It generates generated/, then writes a stub for each new operation into src/application/rest/<tag>.ts, and for each new field that needs a resolver into src/application/graphql/<Type>.ts. A stub is typed, and answers 501 / NOT_IMPLEMENTED. That of an operation or root field that needs a permission is a route with a proposed target. No code of yours is changed: code of an operation or field that a contract does not have, or has under another name or tag, is moved into comments at the end of its file, and comes back with it. A second run changes nothing.`;

/** Why a run was not possible at all, in a sentence; undefined for what is a bug. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `There is no ${path}. Run this in the project, or name it with --root.`;
  return error.name === 'Refusal' ? error.message : undefined;
}

/** Reads the contracts, generates from them, and edits the code by the same. */
async function work(root: string, check: boolean): Promise<Scaffolding> {
  const { readContracts } = await import('../model/contracts.js');
  const { generate } = await import('../generate/generate.js');
  const { scaffold: edit } = await import('../scaffold/scaffold.js');
  const contracts = await readContracts(root);
  const generated = () => generate(contracts, { root, check, colour: process.stderr.isTTY });
  return edit(contracts, { root, check, generate: generated });
}

/**
 * `accord scaffold [--check] [--json]`: exits 1 with `--check` when there is something to write; 2 when a contract is broken.
 */
const scaffold: Subcommand = (command) => {
  command.description(DESCRIPTION);
  command.option('--check', 'Write nothing; tell what would be written, and exit 1 when there is something.');
  command.option('--dry-run', 'The same as --check.');
  command.option('--json', 'Print the changes, what is not written yet, and the next steps as JSON.');
  command.action(async () => {
    const { root, json, ...options } = command.optsWithGlobals<Options>();
    const check = options.check === true || options.dryRun === true;
    const { nextSteps, reportOf } = await import('../scaffold/report.js');
    const done = await withProgress('Reading the contracts and the code', () => work(resolve(root), check)).catch(
      (error: unknown) => {
        const reason = reasonOf(error);
        throw reason === undefined ? error : new Unable(reason);
      },
    );
    if (json) printJson({ ...done, next: nextSteps(done, check) });
    else console.log(reportOf(done, { check, paint }));
    if (check && done.changes.length + done.generated.length > 0) process.exitCode = EXIT.found;
  });
};

export default scaffold;
