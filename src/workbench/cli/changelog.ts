import { printJson } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { Release } from '../changelog/changelog.js';
import { rejectProblems } from './reject-problems.js';

const HELP = `
The change log contains the changes of the contracts that concern clients, by the rules of "accord diff": one section for each tag
with a version (v1.2.0, 1.2.0, books@1.2.0), and one for unreleased changes. Breaking changes come first; accepted ones have their
reason. Changes of the database are omitted.

 Exit codes: 0 written, 2 unable to compare.

Examples:
  accord changelog                   since the last release, up to the working tree
  accord changelog v1.0.0..          all releases since v1.0.0, and unreleased changes
  accord changelog v1.0.0..v2.0.0    the releases between two versions
  accord changelog 3f2a1c9..         since a commit, also without a tag`;

const changelogCommand: Subcommand = (command) => {
  command
    .argument('[range]', 'commits, tags or branches: <from>..<to>, or <from>.. (default: since the last release)')
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (range: string | undefined) => {
      const { root, json } = command.optsWithGlobals<{ root: string; json: boolean }>();
      const releases = await read(root, range);
      if (json) return printJson(releases);
      const { printChangelog } = await import('../changelog/changelog.js');
      console.log(printChangelog(releases));
    });
};

async function read(root: string, range: string | undefined): Promise<Release[]> {
  const { changelog, InvalidContract } = await import('../changelog/changelog.js');
  const { differencesBetween } = await import('../diff/report.js');
  return changelog(root, range, differencesBetween).catch((error: Error) => {
    if (error instanceof InvalidContract) rejectProblems(error.problems);
    throw error;
  });
}

export default changelogCommand;
