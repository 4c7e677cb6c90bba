import { ACCORD, FLOWS, type Flow, type FlowName, type Goal, UNITS } from './flows.js';
import { type AllResults, daysOf, type Figure, nodesIn, type Profile, type Results, rounded } from './results.js';

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

/** Returns how the figure compares with the goal, in bold if it misses it. */
function judged({ to, atMost, since24 = atMost }: Goal, results: Results, title: string): string {
  const found = measured(results).find(({ flow }) => flow.title === title);
  const other = to === undefined ? 1 : found?.figures.find(({ variant }) => variant === to)?.value;
  if (found === undefined || other === undefined) return '';
  const ratio = found.accord.value / other;
  const text = to === undefined ? number(ratio) : times(ratio);
  return ratio <= (Number.parseInt(results.node, 10) < 24 ? atMost : since24) ? text : `**${text}**`;
}

const goalText = ({ to, atMost, since24 = atMost }: Goal): string => {
  const most = since24 === atMost ? number(atMost) : `${number(atMost)} (Node 24: ${number(since24)})`;
  return to === undefined ? `≤ ${most}` : `≤ ${most}× ${to}`;
};

/** Returns the first table, with a row per goal and a column per version of Node. */
function goals(all: AllResults) {
  const nodes = nodesIn(all);
  return table(
    ['flow', 'goal', ...nodes.map((node) => `Node ${node}`)],
    Object.values<Flow>(FLOWS).flatMap((flow) =>
      flow.goals.map((goal) => [
        flow.title,
        `${goalText(goal)}${goal.to === undefined ? ` ${flow.unit}` : ''}`,
        ...nodes.map((node) => judged(goal, all[node] as Results, flow.title)),
      ]),
    ),
  );
}

/** Returns a table with a row per flow. */
const overview = (results: Results) =>
  table(
    ['flow', 'unit', 'Accord', 'by hand', 'instead of Accord'],
    measured(results).map(({ flow, figures, accord }) => [
      flow.title,
      flow.unit,
      number(accord.value),
      others(figures, accord, 'limit', 'beside'),
      others(figures, accord, 'peer'),
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
function growth({ date, of }: NonNullable<Results['growth']>): string[] {
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
function profiles({ date, of }: NonNullable<Results['profiles']>): string[] {
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

/** Returns the table of what a request makes, with a row per kind. */
const madeBy = ({ date, of }: NonNullable<Results['made']>): string[] => [
  `Counted on ${date}, with PostgreSQL. Kept bytes survive the first collection.`,
  '',
  ...table(
    ['request', 'kB allocated', 'bytes kept', 'promises', 'hidden classes'],
    Object.entries(of).map(([kind, { allocated, promoted, promises, maps }]) => [
      kind,
      ...[allocated / 1000, promoted, promises, maps].map((figure) => number(rounded(figure))),
    ]),
  ),
  '',
];

/** Returns the sections of a version of Node. */
function sectionsOf(results: Results): string[] {
  const { machine, node, postgresql, versions, rounds, seconds, growth: grown, made, profiles: profiled } = results;
  const [major] = node.split('.');
  return [
    `## Node ${major}`,
    '',
    `Measured on ${daysOf(results)}, each line in one run, in ${rounds} rounds of ${seconds} s for each variant, with Node ${node} and`,
    `PostgreSQL ${postgresql}, both and the clients on one machine of ${machine}.`,
    '',
    ...overview(results),
    '',
    ...refusals(results),
    '',
    `### Where we lose with Node ${major}, and to whom`,
    '',
    'By more than the 15 % that a noisy machine makes of nothing:',
    '',
    ...losses(results),
    '',
    ...(made ? [`### What a request makes with Node ${major}`, '', ...madeBy(made)] : []),
    ...(grown ? [`### How it grows with Node ${major}`, '', ...growth(grown)] : []),
    ...(profiled ? [`### Whose the time is with Node ${major}`, '', ...profiles(profiled)] : []),
    `### Every figure with Node ${major}`,
    '',
    ...everyFigure(results),
    '',
    `### The packages with Node ${major}`,
    '',
    `${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.`,
    '',
  ];
}

/** Returns the text between the `measured` marks of the page. */
export function report(all: AllResults): string {
  const flows = new Map(
    Object.values(all).flatMap((results) => measured(results).map(({ flow }) => [flow.title, flow] as const)),
  );
  return [
    'Ratios of one run; in bold, a goal that is missed:',
    '',
    ...goals(all),
    '',
    '## What each line is',
    '',
    ...[...flows.values()].map(({ title, unit, what }) => `- **${title}** (${unit}): ${what}`),
    '',
    'The units:',
    '',
    ...Object.entries(UNITS).map(([unit, text]) => `- ${unit}: ${text}.`),
    '',
    ...nodesIn(all).flatMap((node) => sectionsOf(all[node] as Results)),
  ]
    .join('\n')
    .trimEnd();
}
