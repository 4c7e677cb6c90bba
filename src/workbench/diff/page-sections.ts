import { audienceOf } from './audience.js';
import { escaped, prose } from './markup.js';
import { piecesOf } from './page-excerpt.js';
import { type Cell, isChanged, type PermissionRow, type PermissionTable } from './permission-table.js';
import type { Report } from './report.js';
import { type Piece, words } from './side-by-side.js';
import { titleOf, type Wording } from './wording.js';
import { GROUPS, type Group, groupOf } from './words.js';

type Counts = Record<Group, number> & { first: number };

/** How many changes of each group something has, the worst first; and which change of it comes first. */
function counted(report: Report, keysOf: (index: number) => readonly string[]): [key: string, counts: Counts][] {
  const found = new Map<string, Counts>();
  for (const [index, change] of report.changes.entries()) {
    for (const key of new Set(keysOf(index))) {
      const counts = found.get(key) ?? { breaking: 0, risky: 0, accepted: 0, safe: 0, first: index };
      found.set(key, { ...counts, [groupOf(change)]: counts[groupOf(change)] + 1 });
    }
  }
  return [...found].sort(([, a], [, b]) => GROUPS.map((group) => b[group] - a[group]).find((step) => step !== 0) ?? 0);
}

function countTable(first: string, rows: [key: string, counts: Counts][], keyOf: (key: string) => string): string {
  const met = GROUPS.filter((group) => rows.some(([, counts]) => counts[group] > 0));
  const head = met.map((group) => `<th scope="col">${group}</th>`).join('');
  const lines = rows.map(([key, counts]) => {
    const cells = met.map((group) =>
      counts[group] === 0 ? '<td class="none">–</td>' : `<td class="${group}">${counts[group]}</td>`,
    );
    return `<tr><th scope="row"><a href="#change-${counts.first + 1}">${keyOf(key)}</a></th>${cells.join('')}</tr>`;
  });
  return `<div class="scroll"><table class="counts"><thead><tr><th scope="col">${first}</th>${head}</tr></thead><tbody>\n${lines.join('\n')}\n</tbody></table></div>`;
}

/** A request, its method first. */
export const requestOf = ({ method, path }: { method: string; path: string }): string =>
  `<span class="request"><b>${escaped(method)}</b> ${escaped(path)}</span>`;

const concerned = (count: number): string =>
  count === 1
    ? 'The request, field or table that is concerned'
    : `The ${count} requests, fields and tables that are concerned`;

/** Whom the changes are for, and which requests and fields they concern. */
export function audiences(report: Report): string {
  if (report.changes.length === 0) return '';
  const people = counted(report, (index) => [audienceOf(report.changes[index] as Report['changes'][number])]);
  const places = counted(report, (index) => {
    const { side, requests, elements } = report.changes[index] as Report['changes'][number];
    if (side === 'rest') return requests.map(({ method, path }) => `${method} ${path}`);
    return side === 'graphql' ? elements : elements.map((model) => `model ${model}`);
  });
  const named = (key: string) => {
    const [method = '', path = ''] = key.split(' ');
    return path.startsWith('/') ? requestOf({ method, path }) : `<code>${escaped(key)}</code>`;
  };
  return `<section id="who"><h2>For whom</h2>
${countTable('who', people, escaped)}
${places.length === 0 ? '' : `<details><summary>${concerned(places.length)}</summary>${countTable('where', places, named)}</details>`}
</section>`;
}

const MEANING = { gained: 'gains', lost: 'loses', other: '', none: '' } as const;

function cell({ before, after, change }: Cell): string {
  if (change === 'none') return `<td>${escaped(after ?? '')}</td>`;
  if (before === undefined) return `<td class="other">${escaped(after ?? '')}</td>`;
  if (after === undefined) return `<td class="other"><del>${escaped(before)}</del></td>`;
  const word = MEANING[change] === '' ? '' : `<small>${MEANING[change]}</small>`;
  return `<td class="${change}"><del>${escaped(before)}</del> → <ins>${escaped(after)}</ins> ${word}</td>`;
}

const SIGN = { both: '', added: ' <small>new</small>', removed: ' <small>gone</small>' } as const;

function matrix({ columns }: PermissionTable, rows: readonly PermissionRow[]): string {
  const head = ['operation', ...columns].map((name) => `<th scope="col">${escaped(name)}</th>`).join('');
  const lines = rows.map(({ by, request, when, cells, presence }) => {
    const [method = '', path = ''] = request.split(' ');
    const asked = request === '' ? '' : `<br>${requestOf({ method, path })}`;
    const condition = when === '' ? '' : `<br><small>when ${escaped(when)}</small>`;
    return `<tr class="${presence}"><th scope="row"><code>${escaped(by)}</code>${SIGN[presence]}${asked}${condition}</th>${cells.map(cell).join('')}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="Permissions"><table class="matrix"><thead><tr>${head}</tr></thead><tbody>\n${lines.join('\n')}\n</tbody></table></div>`;
}

/** The matrix of permissions, its changed lines first. */
export function permissions(table: PermissionTable | undefined): string {
  if (table === undefined) return '';
  const changed = table.rows.filter(isChanged);
  const same = table.rows.filter((row) => !isChanged(row));
  const rest =
    same.length === 0
      ? ''
      : `<details><summary>${same.length} ${same.length === 1 ? 'line is' : 'lines are'} as before</summary>${matrix(table, same)}</details>`;
  const words =
    changed.length === 0
      ? '<p>Nobody may do more or less than before.</p>'
      : `<p><code>any</code>: whoever it belongs to. <code>own</code>: the caller’s own. <code>none</code>: 403. <code>open</code>: without a credential. <code>401</code>: with one only.</p>\n${matrix(table, changed)}`;
  return `<section id="permissions"><h2>Who may do what</h2>\n${words}\n${rest}</section>`;
}

/** Signs of an unchanged text that are shown beside a change. */
const CONTEXT = 140;

/** Of a long text what is near a change. */
const shortened = (pieces: readonly Piece[]): Piece[] =>
  pieces.map(({ text, changed }, index) => {
    const [head, tail] = [index === 0 ? 0 : CONTEXT, index === pieces.length - 1 ? 0 : CONTEXT];
    if (changed || text.length <= head + tail + CONTEXT) return { text, changed };
    const [start, end] = [text.slice(0, head), tail === 0 ? '' : text.slice(-tail)];
    // No word is cut.
    const shown = [start.slice(0, start.lastIndexOf(' ') + 1), '… ', end.slice(end.indexOf(' ') + 1)];
    return { text: shown.join(''), changed };
  });

/** Words of which so many are shown at once. */
const WORDS_SHOWN = 25;

function wordingRow(wording: Wording): string {
  const { before, after, place } = wording;
  const [left, right] = words(before, after).map(shortened) as [Piece[], Piece[]];
  const side = (pieces: readonly Piece[], tag: 'del' | 'ins') =>
    pieces.every(({ text }) => text === '') ? '<em>none</em>' : piecesOf(pieces, tag);
  return `<article class="change wording"><h3>${prose(titleOf(wording))}</h3>
<p class="meta"><code>${escaped(place.file)}:${place.line}</code></p>
<div class="texts"><div><h4>Before</h4><p>${side(left, 'del')}</p></div><div><h4>After</h4><p>${side(right, 'ins')}</p></div></div></article>`;
}

/** Words for readers, before and after. */
export function wordings(changed: readonly Wording[]): string {
  if (changed.length === 0) return '';
  const rows = changed.map(wordingRow);
  const [shown, rest] = [rows.slice(0, WORDS_SHOWN), rows.slice(WORDS_SHOWN)];
  const more = rest.length === 0 ? '' : `<details><summary>${rest.length} more</summary>\n${rest.join('\n')}</details>`;
  return `<section id="words"><h2>Words <span class="count">${changed.length}</span></h2>
<p>For readers: no program sees a difference.</p>
${shown.join('\n')}
${more}</section>`;
}
