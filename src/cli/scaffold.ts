import { resolve } from 'node:path';
import type { Subcommand } from './main.js';
import { EXIT, paint, printJson, Unable, withProgress } from './output.js';

interface Options {
  root: string;
  check: boolean;
  dryRun: boolean;
  json: boolean;
}

/**
 * `accord scaffold [--check] [--json]`: exits 1 when a permission of the contracts and the policy table disagree, and with
 * `--check` when there is something to write; 2 when a contract is broken.
 */
const scaffold: Subcommand = (command) => {
  command.description(
    `Brings the code to what the contracts ask for, and tells the next step. Generates generated/, then writes for each
new operation a stub into src/rest/<tag>.ts, and for each new field that needs a resolver one into
src/graphql/<Type>.ts. A stub is typed and answers 501 / NOT_IMPLEMENTED. No code of yours is changed; what a
contract no longer has is moved into comments at the end of its file. A second run changes nothing.`,
  );
  command.option('--check', 'Write nothing; tell what would be written, and exit 1 when there is something.', false);
  command.option('--dry-run', 'The same as --check.', false);
  command.option('--json', 'Print the changes, what is not written yet, and the next steps as JSON.', false);
  command.action(async () => {
    const { root, json, dryRun, ...options } = command.optsWithGlobals<Options>();
    const check = options.check || dryRun;
    const { scaffold: work, Refusal } = await import('../contract/scaffold/scaffold.js');
    const { nextSteps, reportOf } = await import('../contract/scaffold/report.js');
    try {
      const done = await withProgress('Reading the contracts and the code', () =>
        work({ root: resolve(root), check, colour: process.stderr.isTTY }),
      );
      if (json) printJson({ ...done, next: nextSteps(done, check) });
      else console.log(reportOf(done, { check, paint }));
      const isStale = check && done.changes.length + done.generated.length > 0;
      if (isStale || done.problems.length > 0) process.exitCode = EXIT.found;
    } catch (error) {
      if (error instanceof Refusal) throw new Unable(error.message);
      throw error;
    }
  });
};

export default scaffold;
