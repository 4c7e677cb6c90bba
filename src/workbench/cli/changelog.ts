import { resolve } from 'node:path';
import { printJson, Unable, withProgress } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { Release } from '../changelog/changelog.js';

const HELP = `
It is made of the contracts, by the rules of "accord diff", for those who use them: one section for each tag that names a
version (v1.2.0, 1.2.0, books@1.2.0), and one for what is in no release yet. Breaks come first; what was accepted has its
reason. The database and what is only for reviewers is left out.

 Exit codes: 0 written, 2 there was no looking.

Examples:
  accord changelog                   since the last release, to the working tree
  accord changelog v1.0.0..          all releases since one, and what is in none yet
  accord changelog v1.0.0..v2.0.0    those in between
  accord changelog 3f2a1c9..         since a commit, also where there is no tag`;

/** `accord changelog [range]`: what changed for the clients of both contracts, as Markdown for CHANGELOG.md. */
const changelog: Subcommand = (command) => {
  command
    .argument('[range]', 'commits, tags or branches: <from>..<to>, or <from>.. (default: since the last release)')
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (range: string | undefined) => {
      const { root, json } = command.optsWithGlobals<{ root: string; json: boolean }>();
      const releases = await withProgress('Comparing the releases', () => read(resolve(root), range));
      if (json) return printJson(releases);
      const { printChangelog } = await import('../changelog/changelog.js');
      console.log(printChangelog(releases));
    });
};

async function read(root: string, range: string | undefined): Promise<Release[]> {
  const { changelog: compared, NotInOrder } = await import('../changelog/changelog.js');
  const { differencesBetween } = await import('../diff/report.js');
  return compared(root, range, differencesBetween).catch(async (error: Error) => {
    if (!(error instanceof NotInOrder)) throw error;
    const { printProblems } = await import('../model/problems.js');
    throw new Unable(printProblems(error.problems, { colour: process.stderr.isTTY }));
  });
}

export default changelog;
