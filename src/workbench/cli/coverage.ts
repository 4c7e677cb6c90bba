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
The tests record what they see in coverage/contract. "npm test" clears the folder first; a single test file adds to it.

The check demands that the tests see each status and security scheme of each operation, each member and enumeration value of its body
in a successful request, each field, argument and input field of the SDL, and both sides of each bound: the last valid value, accepted,
and the next one, rejected with an issue that names its place. The contracts list exceptions with a reason. An exception includes the
bounds of its element:

  openapi.yaml     x-coverage:
                     except: { 'getUser 503': Why no test sees it., InsufficientStorage: Why none sees it anywhere. }
                     once: { TooManyRequests: Why one operation stands for all that answer with this component. }
  schema.graphql   email: String @coverage(except: "Why no test sees it.")

The check also fails for an exception that a test has seen, and for one without a reason.`;

/**
 * `accord coverage [--check] [--json]` reports which elements of both contracts the tests have seen. With `--check`,
 * exits 1 for a missing demanded element and for an invalid exception.
 */
const coverage: Subcommand = (command) => {
  command
    .option('--check', 'print only missing demanded elements, and fail if there are any', false)
    .option('--json', 'print everything as JSON', false)
    .option('--clear', 'delete the recordings of earlier tests; prints nothing', false)
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
