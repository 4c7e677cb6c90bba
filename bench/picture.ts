import { FLOWS, type FlowName } from './flows.js';
import { type AllResults, daysOf, type Figure, nodesIn, type Results } from './results.js';

/** The picture of the README: bars of the variants of a few flows. */
const SHOWN: readonly FlowName[] = ['read', 'list', 'create', 'nested', 'delivery'];

const WIDTH = 880;
const LABEL = 250;
const VALUE = 70;
const BAR = { height: 16, gap: 6 };
const HEADING = 34;
const TITLE =
  'Processor time of the server for each request: Accord, what one would write by hand, and what one would pick instead.';

const STYLE = `
    text { fill: #1f2328; font-size: 13px }
    .flow { font-weight: 600; font-size: 14px }
    .variant { text-anchor: end }
    .note { fill: #59636e; font-size: 12px }
    .accord { fill: #0969da }
    .limit { fill: #afb8c1 }
    .peer { fill: #bf8700 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .note { fill: #9da7b3 }
      .accord { fill: #4493f8 }
      .limit { fill: #656c76 }
      .peer { fill: #d29922 }
      .page { fill: #0d1117 }
    }
    @media (prefers-color-scheme: light) { .page { fill: #ffffff } }`;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function bars(figures: Figure[], from: number): string[] {
  const most = Math.max(...figures.map(({ value }) => value));
  const room = WIDTH - LABEL - VALUE - 20;
  return figures.flatMap(({ variant, kind, value }, i) => {
    const y = from + i * (BAR.height + BAR.gap);
    const width = Math.max(1, Math.round((room * value) / most));
    return [
      `  <text class="variant" x="${LABEL - 8}" y="${y + 13}">${escaped(variant)}</text>`,
      `  <rect class="${kind}" x="${LABEL}" y="${y}" width="${width}" height="${BAR.height}" rx="2" />`,
      `  <text x="${LABEL + width + 6}" y="${y + 13}">${value.toLocaleString('en-US')}</text>`,
    ];
  });
}

/** Returns an SVG that is legible on light and dark pages. */
export function picture(all: AllResults): string {
  const results = all[nodesIn(all)[0] ?? ''] as Results;
  const { flows } = results;
  const lines: string[] = [];
  let y = 40;
  for (const name of SHOWN) {
    const figures = (flows[name] ?? []).filter(({ kind }) => kind !== 'beside').sort((a, b) => a.value - b.value);
    if (figures.length === 0) continue;
    const { title, unit } = FLOWS[name];
    lines.push(`  <text class="flow" x="10" y="${y}">${escaped(title)}</text>`);
    lines.push(`  <text class="note" x="${WIDTH - 10}" y="${y}" text-anchor="end">${unit}</text>`);
    lines.push(...bars(figures, y + 12));
    y += HEADING + figures.length * (BAR.height + BAR.gap) + 10;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img" aria-labelledby="title" font-family="-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif">
  <title id="title">${TITLE}</title>
  <style>${STYLE}
  </style>
  <rect class="page" width="${WIDTH}" height="${y}" rx="6" fill="#ffffff" />
  <text class="note" x="10" y="16">Less is better. Measured on ${daysOf(results)}: docs/performance.md has the machine, the versions and the rest.</text>
${lines.join('\n')}
</svg>
`;
}
