import { KINDS } from 'accord/testing/coverage/elements';
import type { Coverage, Figures, Measured, State } from './measure.js';
import { html, MEANINGS, missingTable, statusMap, typeMap } from './page-maps.js';
import { STYLE } from './page-style.js';
import { missingLines } from './text.js';

const SHARES = ['seen', 'shared', 'excepted'] as const;

const bar = ({ states, total }: Figures): string => {
  const parts = SHARES.map((state) => `<i class="${state}" style="width:${(100 * states[state]) / total}%"></i>`);
  return `<div class="bar" aria-hidden="true">${parts.join('')}</div>`;
};

const card = (figures: Figures): string => {
  const { kind, states, total, percent } = figures;
  const missing = states.missing === 0 ? 'nothing is missing' : `${states.missing} missing`;
  return `<li>${KINDS[kind].title}<strong>${percent.toFixed(1)} %</strong><span>of ${total}, ${missing}</span>${bar(figures)}</li>`;
};

const totalsRow = (figures: Figures): string => {
  const { kind, states, total, percent } = figures;
  const counts = [...SHARES, 'missing' as const].map((state) => `<td>${states[state]}</td>`).join('');
  return `<tr><th scope="row">${KINDS[kind].title}</th>${counts}<td>${total}</td><td>${percent.toFixed(1)} %</td><td>${bar(figures)}</td></tr>`;
};

const LEGEND: [classes: string, word: string, state: State][] = [
  ['seen s2', '12', 'seen'],
  ['shared', 'once', 'shared'],
  ['excepted', 'exc.', 'excepted'],
  ['missing', '✗', 'missing'],
];

const legend = `<ul class="legend">${LEGEND.map(
  ([classes, word, state]) => `<li><b class="${classes}">${word}</b>${MEANINGS[state]}</li>`,
).join('')}<li><b>·</b>not declared</li></ul>`;

const lines = (texts: readonly string[]): string =>
  `<div class="scroll"><table class="list"><tbody>\n${texts
    .map((text) => text.split('  ') as [string, string])
    .map(([place, what]) => `<tr><th scope="row"><code>${html(place)}</code></th><td>${html(what)}</td></tr>`)
    .join('\n')}\n</tbody></table></div>`;

const reasonRow = ({ key, reason = '' }: Measured): string =>
  `<tr><th scope="row"><code>${html(key)}</code></th><td>${html(reason)}</td></tr>`;

function exceptions(elements: readonly Measured[]): string {
  const excepted = elements.filter(({ state, kind }) => state === 'excepted' && KINDS[kind].demanded);
  if (excepted.length === 0) return '';
  return `<h2>Excepted</h2>\n<p>What no test can see, by the contracts' own words.</p>
<div class="scroll"><table class="list"><tbody>\n${excepted.map(reasonRow).join('\n')}\n</tbody></table></div>`;
}

/** The report as one HTML page that needs no other file and no network, and runs no script. */
export function coveragePage(coverage: Coverage): string {
  const { elements, figures, problems } = coverage;
  const demanded = figures.filter(({ kind }) => KINDS[kind].demanded);
  const missing = missingLines(coverage);
  const faults = problems.map(({ file, line, column, message }) => `${file}:${line}:${column}  ${message}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Contract coverage</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Contract coverage</h1>
<p>What of <code>openapi.yaml</code> and <code>schema.graphql</code> the tests have seen on the wire.</p>
<ul class="cards">
${demanded.map(card).join('\n')}
</ul>
<h2>Operations and statuses</h2>
<p>The worst first. A number says in how many answers a status was seen; the columns at the right count the members and
enum values of what is answered, and the parameters and members of what is asked. <code>x-unmatched</code> is what is
answered where no operation is.</p>
${legend}
${statusMap(elements)}
<h2>Types and fields</h2>
<p>Fields, their arguments, and the values of enumerations, with the number of answers; the worst type first.
An outline is missing and not demanded.</p>
${typeMap(elements)}
<h2>Totals</h2>
<div class="scroll"><table class="totals">
<thead><tr><th></th><th scope="col">seen</th><th scope="col">shared</th><th scope="col">excepted</th><th scope="col">missing</th><th scope="col">of</th><th scope="col"></th><th></th></tr></thead>
<tbody>
${figures.map(totalsRow).join('\n')}
</tbody></table></div>
${faults.length === 0 ? '' : `<h2>Statements that are not in order</h2>\n${lines(faults)}`}
<h2>Missing, and demanded</h2>
${missing.length === 0 ? '<p>Nothing.</p>' : lines(missing)}
${exceptions(elements)}
<h2>Missing, not demanded</h2>
<p>What hangs on something that was not seen itself is left out.</p>
${missingTable(elements)}
</body>
</html>
`;
}
