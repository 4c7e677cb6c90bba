import { ACCORD, FLOWS, type Flow, type FlowName, type Goal, UNITS } from './flows.js';
import { daysOf, type Figure, type Profile, type Results, rounded } from './results.js';

/** Generates the tables of `docs/performance.md`. */

/** The ratio below which two figures of one run are equal. */
const NOISE = 1.15;

const row = (...cells: unknown[]) => `| ${cells.join(' | ')} |`;
const table = (head: string[], body: unknown[][]) => [
  row(...head),
  row(...head.map(() => '---')),
  ...body.map((cells) => row(...cells)),
];
const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 3 });
const times = (ratio: number) => `${number(rounded(ratio))}×`;

/** Returns the measured flows, in order. */
const measured = ({ flows }: Results) =>
  Object.entries(FLOWS).flatMap(([name, flow]): { flow: Flow; figures: Figure[]; accord: Figure }[] => {
    const figures = flows[name as FlowName] ?? [];
    const accord = figures.find(({ variant }) => variant === ACCORD);
    return accord === undefined ? [] : [{ flow, figures, accord }];
  });

/** Lists other variants with the ratio of Accord's figure to theirs. */
const others = (figures: Figure[], accord: Figure, ...kinds: Figure['kind'][]) =>
  figures
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ variant, value }) => `${variant} ${number(value)}${value > 0 ? ` (${times(accord.value / value)})` : ''}`)
    .join('; ');

function judged(goal: Goal, figures: Figure[], { value }: Figure): string {
  const goalText = (text: string, reached: boolean, found: string) =>
    `${text}: ${reached ? 'reached' : '**missed**'}${found && `, ${found}`}`;
  if (!('to' in goal)) return goalText(`≤ ${number(goal.atMost)}`, value <= goal.atMost, '');
  const other = figures.find(({ variant }) => variant === goal.to)?.value;
  if (other === undefined) return `${goal.to} was not measured`;
  if ('atMost' in goal) {
    return goalText(`≤ ${goal.atMost}× ${goal.to}`, value / other <= goal.atMost, times(value / other));
  }
  return goalText(
    `${goal.timesCheaper}× cheaper than ${goal.to}`,
    other / value >= goal.timesCheaper,
    times(other / value),
  );
}

/** Returns the first table, with a row per flow. */
const overview = (results: Results) =>
  table(
    ['flow', 'unit', 'Accord', 'by hand', 'instead of Accord', 'goal'],
    measured(results).map(({ flow, figures, accord }) => [
      flow.title,
      flow.unit,
      number(accord.value),
      others(figures, accord, 'limit', 'beside'),
      others(figures, accord, 'peer'),
      flow.goals.map((goal) => judged(goal, figures, accord)).join('; '),
    ]),
  );

/** Lists the variants that are faster than Accord by more than noise. */
function losses(results: Results): string[] {
  const lines = measured(results).flatMap(({ flow, figures, accord }) => {
    const better = figures.filter(
      ({ kind, value }) => (kind === 'limit' || kind === 'peer') && accord.value > value * NOISE,
    );
    if (better.length === 0) return [];
    return `- **${flow.title}**: to ${others(better, accord, 'limit', 'peer')}.`;
  });
  return lines.length > 0 ? lines : ['Nowhere.'];
}

const everyFigure = (results: Results) =>
  table(
    ['flow', 'variant', 'figure', 'least to most', 'answers a second', 'p50, ms', 'p99, ms'],
    measured(results).flatMap(({ flow, figures }) =>
      figures.map(({ variant, value, spread, rate, p50, p99 }) => [
        flow.title,
        variant,
        `${number(value)} ${flow.unit}`,
        spread.map(number).join(' to '),
        ...[rate, p50, p99].map((figure) => (figure === undefined ? '' : number(figure))),
      ]),
    ),
  );

function refusals(results: Results): string[] {
  const refused = measured(results)
    .flatMap(({ flow, figures }) => figures.map((figure) => ({ flow, ...figure })))
    .filter(({ refused = 0 }) => refused > 0)
    .map(({ flow, variant, refused }) => `${variant}, ${flow.title}: ${refused}`);
  return refused.length === 0
    ? ['No request was refused for overload.']
    : [`Refused for overload, and asked again: ${refused.join('; ')}.`];
}

const POWERS = ['', 'k', 'M'];
const compact = (size: number, power = 0): string =>
  size >= 1000 ? compact(size / 1000, power + 1) : `${size}${POWERS[power]}`;

/** Returns a table for each kind of growth. */
function growth({ growth: { date, of } }: Results): string[] {
  const tables = Object.values(of).flatMap(({ title, sizes, rows }) => {
    const last = sizes.length - 1;
    return [
      ...table(
        [title, 'unit', ...sizes.map((size) => compact(size)), 'grew'],
        rows.map(({ what, unit, values }) => [
          what,
          unit,
          ...values.map(number),
          `${times((values[last] as number) / (values[0] as number))} for ${times((sizes[last] as number) / (sizes[0] as number))}`,
        ]),
      ),
      '',
    ];
  });
  return [`Measured on ${date}, the sizes of a table in turn.`, '', ...tables];
}

/** Shares below this percentage of a flow are summed up. */
const SMALL = 1.5;

/** Returns the table of shares, with a column per flow. */
function profiles({ profiles: { date, of } }: Results): string[] {
  const found = Object.entries(of) as [FlowName, Profile][];
  const total = (owner: string) => found.reduce((sum, [, { shares }]) => sum + (shares[owner] ?? 0), 0);
  const owners = [...new Set(found.flatMap(([, { shares }]) => Object.keys(shares)))]
    .filter((owner) => found.some(([, { shares }]) => (shares[owner] ?? 0) >= SMALL))
    .sort((a, b) => total(b) - total(a));
  const rest = ({ shares }: Profile) => 100 - owners.reduce((sum, owner) => sum + (shares[owner] ?? 0), 0);
  return [
    `Profiles of ${date}, in percent of the processor time of each flow. \`platform/…\` and \`application\` are folders of \`src\`, the`,
    'other names packages, or what Node and V8 do for all.',
    '',
    ...table(
      ['whose', ...found.map(([name]) => FLOWS[name].title)],
      [
        ...owners.map((owner) => [owner, ...found.map(([, { shares }]) => number(shares[owner] ?? 0))]),
        ['others', ...found.map(([, profile]) => number(rounded(rest(profile))))],
      ],
    ),
    '',
  ];
}

/** Returns the text between the `measured` marks of the page. */
export function report(results: Results): string {
  const { machine, node, postgresql, versions, rounds, seconds } = results;
  return [
    `Measured on ${daysOf(results)}, each line in one run, in ${rounds} rounds of ${seconds} s for each variant, with Node ${node} and`,
    `PostgreSQL ${postgresql}, both and the clients on one machine of ${machine}.`,
    '',
    ...overview(results),
    '',
    ...refusals(results),
    '',
    '## Where we lose, and to whom',
    '',
    'By more than the 15 % that a noisy machine makes of nothing:',
    '',
    ...losses(results),
    '',
    '## How it grows',
    '',
    ...growth(results),
    '## Whose the time is',
    '',
    ...profiles(results),
    '## What each line is',
    '',
    ...measured(results).map(({ flow }) => `- **${flow.title}** (${flow.unit}): ${flow.what}`),
    '',
    'The units:',
    '',
    ...Object.entries(UNITS).map(([unit, text]) => `- ${unit}: ${text}.`),
    '',
    '## Every figure',
    '',
    ...everyFigure(results),
    '',
    '## The packages',
    '',
    `${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.`,
  ].join('\n');
}
