import { resolve } from 'node:path';
import { EXIT, paint, printJson, type Subcommand, table, Unable } from '@accord-api/platform/cli/output';
import { type ContractFile, KINDS } from '@accord-api/testing/coverage/elements';
import { type Coverage, type Figures, type Measured, percentOf, type State } from '../coverage/measure.js';
import { printPlace, printProblems } from '../model/problems.js';

interface Group {
  owner: string;
  elements: Measured[];
  /** The number of missing elements. */
  missing: number;
  percent: number;
}

function groupsOf(elements: readonly Measured[], contract: ContractFile): Group[] {
  const own = elements.filter((element) => element.contract === contract);
  const groups = [...new Set(own.map(({ owner }) => owner))].map((owner): Group => {
    const members = own.filter((element) => element.owner === owner);
    const missing = members.filter(({ state }) => state === 'missing').length;
    return { owner, elements: members, missing, percent: percentOf(members.length - missing, members.length) };
  });
  return groups.sort((a, b) => b.missing - a.missing || a.percent - b.percent);
}

const STATES: Record<State, { style: 'green' | 'cyan' | 'yellow' | 'red'; mark: string; meaning: string }> = {
  seen: { style: 'green', mark: '●', meaning: 'seen' },
  shared: { style: 'cyan', mark: '◐', meaning: 'seen elsewhere, and counted once for its component' },
  excepted: { style: 'yellow', mark: '○', meaning: 'excepted' },
  missing: { style: 'red', mark: '✗', meaning: 'missing' },
};

function statusLines(elements: readonly Measured[]): string[] {
  const rows = groupsOf(elements, 'openapi.yaml').flatMap((group) => {
    const byStatus = new Map(group.elements.filter(({ kind }) => kind === 'status').map((row) => [row.name, row]));
    return byStatus.size === 0 ? [] : { ...group, byStatus };
  });
  const statuses = [...new Set(rows.flatMap(({ byStatus }) => [...byStatus.keys()]))].sort();
  const width = Math.max(...rows.map(({ owner }) => owner.length));
  const marked = (state: State) => paint(STATES[state].style, STATES[state].mark);
  const cell = (element: Measured | undefined) => (element ? ` ${marked(element.state)} ` : paint('dim', ' · '));
  const lines = rows.map(({ owner, byStatus, missing }) => {
    const name = owner.padEnd(width);
    return `${missing > 0 ? paint('bold', name) : name}  ${statuses.map((status) => cell(byStatus.get(status))).join(' ')}`;
  });
  const legend = Object.entries(STATES).map(([state, { meaning }]) => `${marked(state as State)} ${meaning}`);
  const head = paint('bold', `${' '.repeat(width)}  ${statuses.join(' ')}`);
  return [head, ...lines, '', `${legend.join('   ')}   · not declared`];
}

function unseen({ kind, owner, name, key, component }: Measured, operations: number): string {
  if (kind !== 'status') return `the ${KINDS[kind].word} ${key} was never seen`;
  const who = operations === 1 ? owner : `none of the ${operations} operations with ${component}`;
  return `${who} was ${operations === 1 ? 'never' : 'ever'} seen to answer ${name}`;
}

/** Returns a line with the place of each missing element. A component of the table `once` has one line. */
export function missingLines({ missing }: Coverage): string[] {
  const groups = new Map<string, Measured[]>();
  for (const element of missing) {
    // A component of the table `once` has a reason.
    const subject = element.reason === undefined ? element.key : String(element.component);
    groups.set(subject, [...(groups.get(subject) ?? []), element]);
  }
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? `${printPlace(first)}  ${unseen(first, 1 + others.length)}` : [],
  );
}

function figureLines(figures: readonly Figures[]): string[] {
  const rows = figures.map(({ kind, states, total, percent }) => ({
    ' ': KINDS[kind].title,
    ...states,
    of: total,
    covered: `${percent.toFixed(1)} %`.padStart(7),
  }));
  const [head = '', ...lines] = table(rows, [' ', ...Object.keys(STATES), 'of', 'covered']).split('\n');
  const painted = figures.map(({ states }, at) =>
    paint(STATES[states.missing > 0 ? 'missing' : 'seen'].style, lines[at] ?? ''),
  );
  return [paint('bold', head), ...painted];
}

/** Returns the text of `--check`: the failures with their places, and a summary. */
export function verdictText(coverage: Coverage): string {
  const { missing, problems, figures } = coverage;
  const [total, excepted] = [(figures: Figures) => figures.total, (figures: Figures) => figures.states.excepted].map(
    (of) => figures.reduce((sum, figure) => sum + of(figure), 0),
  );
  const invalid = problems.length === 0 ? [] : [`${printProblems(problems, process.stdout)}\n`];
  const except = excepted === 0 ? '' : ` (${excepted} excepted)`;
  const verdict =
    missing.length > 0
      ? `${missing.length} of ${total} that the contracts demand are never seen by a test${except}.`
      : `The tests see all ${total} that the contracts demand${except}.`;
  const failing = missing.length + problems.length > 0;
  return [...invalid, ...missingLines(coverage), paint(failing ? 'red' : 'green', verdict)].join('\n');
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${paint('bold', title)}\n\n${lines.join('\n')}\n\n`;

/** Returns operations by statuses, missing elements, and the totals at the end. */
export function coverageText(coverage: Coverage): string {
  const { elements, figures, problems } = coverage;
  return [
    section('Operations and statuses', statusLines(elements)),
    section('Invalid exceptions', problems.length > 0 ? [printProblems(problems, process.stdout)] : []),
    section('Missing', missingLines(coverage)),
    section('Totals', figureLines(figures)).trimEnd(),
  ].join('');
}

interface Options {
  root: string;
  check: boolean;
  clear: boolean;
  json: boolean;
}

async function measure(root: string): Promise<Coverage> {
  const { check } = await import('../model/check.js');
  const { readContracts } = await import('../model/contracts.js');
  const { measureCoverage } = await import('../coverage/measure.js');
  const { RECORDINGS, readObservations } = await import('@accord-api/testing/coverage/elements');
  const contracts = await readContracts(root, undefined, 'one');
  const { observations, recordings } = await Promise.resolve(root)
    .then(readObservations)
    .catch((error: Error) => {
      throw new Unable(`Clear ${RECORDINGS} (--clear): ${error.message}`);
    });
  if (recordings === 0) throw new Unable(`There is nothing in ${RECORDINGS}: run the tests first (npm test).`);
  try {
    return measureCoverage(contracts, observations);
  } catch (error) {
    const problems = await check(contracts);
    if (problems.length === 0) throw error;
    throw new Unable(printProblems(problems));
  }
}

const HELP = `
The tests record what they see in coverage/contract. "npm test" clears the folder first; a single test file adds to it.

The check demands that the tests see each status and security scheme of each operation, and both sides of each bound: the last valid
value, accepted, and the next one, rejected with an issue that names its place. The suite everyBound of the conformance kit tests the
bounds of the SDL. The contracts list exceptions with a reason. An exception of a parameter, a member or a field includes its bounds:

  openapi.yaml     x-coverage:
                     except: { 'getUser 503': Why no test sees it., InsufficientStorage: Why none sees it anywhere. }
                     once: { TooManyRequests: Why one operation stands for all that answer with this component. }
  schema.graphql   email: String @constraint(maxLength: 254) @coverage(except: "Why no test sees it.")

The check also fails for an exception that a test has seen, and for one without a reason.`;

/**
 * `accord coverage [--check] [--json]` reports which elements of both contracts the tests have seen. With `--check`,
 * exits 1 for a missing element and for an invalid exception.
 */
const coverage: Subcommand = (command) => {
  command
    .option('--check', 'print only missing elements, and fail if there are any', false)
    .option('--json', 'print everything as JSON', false)
    .option('--clear', 'delete the recordings of earlier tests; prints nothing', false)
    .addHelpText('after', HELP)
    .action(async () => {
      const options = command.optsWithGlobals<Options>();
      const root = resolve(options.root);
      if (options.clear) return (await import('@accord-api/testing/coverage/elements')).clearObservations(root);
      const measured = await measure(root);
      if (options.json) printJson(measured);
      else if (options.check) console.log(verdictText(measured));
      else console.log(coverageText(measured));
      const failing = measured.missing.length + measured.problems.length > 0;
      if (options.check && failing) process.exitCode = EXIT.found;
    });
};

export default coverage;
