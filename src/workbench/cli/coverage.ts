import { resolve } from 'node:path';
import { EXIT, paint, printJson, Unable } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { Coverage } from '../coverage/measure.js';
import type { Painter } from '../coverage/text.js';

interface Options {
  root: string;
  check: boolean;
  clear: boolean;
  json: boolean;
}

const STYLES = {
  seen: 'green',
  shared: 'cyan',
  excepted: 'yellow',
  missing: 'red',
  quiet: 'dim',
  strong: 'bold',
} as const;

const painter: Painter = (style, text) => paint(STYLES[style], text);

const unable = (what: string) => (error: Error) => {
  throw new Unable(`${what}: ${error.message}`);
};

/** Compares the recordings of the tests with the contracts of the project. */
async function measure(root: string): Promise<Coverage> {
  const { check } = await import('../model/check.js');
  const { readContracts } = await import('../model/contracts.js');
  const { measureCoverage } = await import('../coverage/measure.js');
  const { RECORDINGS, readObservations } = await import('@accord-api/testing/coverage/recording');
  const { printProblems } = await import('../model/problems.js');
  const contracts = await readContracts(root, undefined, 'one');
  const { observations, recordings } = await Promise.resolve(root)
    .then(readObservations)
    .catch(unable(`Clear ${RECORDINGS} (--clear)`));
  if (recordings === 0) throw new Unable(`There is nothing in ${RECORDINGS}: run the tests first (npm test).`);
  try {
    return measureCoverage(contracts, observations);
  } catch (error) {
    const problems = await check(contracts);
    if (problems.length === 0) throw error;
    throw new Unable(printProblems(problems, { colour: process.stderr.isTTY }));
  }
}

const HELP = `
The tests leave what they see in coverage/contract; "npm test" begins by clearing it, a single test file adds to it.

Demanded is each status of each operation and each way to log in that it takes, each member of its body and each value of a closed
list there, in a request that succeeded, and each field, argument and input field of the SDL. Of each bound of what a request may
send, it is both sides: the last value that is within, taken, and the next one, refused for that bound at its place. What no test
can see is excepted in the contract, with a reason, and what has bounds is excepted with them:

  openapi.yaml     x-coverage:
                     except: { 'getUser 503': Why no test sees it., InsufficientStorage: Why none sees it anywhere. }
                     once: { TooManyRequests: Why one operation stands for all that answer with this component. }
  schema.graphql   email: String @coverage(except: "Why no test sees it.")

An exception for something that was seen after all, or without a reason, fails the check too.`;

/**
 * `accord coverage [--check] [--json]` reports which elements of both contracts the tests have seen. With `--check`,
 * exits 1 for a missing demanded element and for an invalid exception.
 */
const coverage: Subcommand = (command) => {
  command
    .option('--check', 'print only what is demanded and missing, and fail when there is any', false)
    .option('--json', 'print everything as JSON', false)
    .option('--clear', 'forget what was seen, before a run of all tests; prints nothing', false)
    .addHelpText('after', HELP)
    .action(async () => {
      const options = command.optsWithGlobals<Options>();
      const root = resolve(options.root);
      if (options.clear) return (await import('@accord-api/testing/coverage/recording')).clearObservations(root);
      const measured = await measure(root);
      const { coverageText, verdictText } = await import('../coverage/text.js');
      if (options.json) printJson(measured);
      else if (options.check) console.log(verdictText(measured, painter));
      else console.log(coverageText(measured, painter));
      const failing = measured.missing.length + measured.problems.length > 0;
      if (options.check && failing) process.exitCode = EXIT.found;
    });
};

export default coverage;
