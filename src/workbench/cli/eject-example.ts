import { resolve } from 'node:path';
import { EXIT, Unable, withProgress } from 'accord/cli/output';
import type { Subcommand } from 'accord/cli/subcommand';

const DESCRIPTION = `
Makes an empty start of a clone of the repository of Accord: takes out the example, its contracts, migrations, tests and pages,
leaves the platform and the workbench, and writes contracts with accounts and logins, whose code is there and tested. What is not
committed is not touched: then it refuses.`;

/** `accord eject-example [--name]`: exits 2, and changes nothing, where there is nothing to eject or something would be lost. */
const ejectExample: Subcommand = (command) => {
  command
    .description(DESCRIPTION.trim().replaceAll('\n', ' '))
    .option('--name <name>', 'what the application is called (default: as the directory)')
    .action(async () => {
      const { root: given, name } = command.optsWithGlobals<{ root: string; name?: string }>();
      const root = resolve(given);
      const { eject, NothingToEject } = await import('../new/eject.js');
      const { NoNewProject } = await import('../new/new.js');
      // What is loaded late would no longer find the packages that are of the example.
      const { readContracts } = await import('../model/contracts.js');
      const { generate } = await import('../generate/generate.js');
      const commit = await eject(root, name).catch((error: unknown) => {
        const isRefusal = error instanceof NothingToEject || error instanceof NoNewProject;
        throw isRefusal ? new Unable(error.message) : error;
      });
      console.log(`The example is gone; commit ${commit.slice(0, 12)} has it, and its pages.`);
      const { ok, report } = await withProgress('Generating', async () =>
        generate(await readContracts(root), { root }),
      );
      console.log(report);
      if (!ok) process.exitCode = EXIT.found;
      console.log(
        "\n  npm install\n  npm start\n\nREADME.md says what is what. ./data, if it is there, is still the example's.",
      );
    });
};

export default ejectExample;
