import { KINDS } from 'accord/testing/coverage/elements';
import { groupsOf, missingNames, statusTable } from './groups.js';
import type { Measured, State } from './measure.js';

/** Text of the contracts in HTML. */
export const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const WORDS: Record<Exclude<State, 'seen'>, string> = { shared: 'once', excepted: 'exc.', missing: '✗' };

/** What a state is called where there is room. */
export const MEANINGS: Record<State, string> = {
  seen: 'seen, and in how many answers',
  shared: 'not seen here; its component was seen elsewhere, and counts once',
  excepted: 'excepted in the contract, with a reason',
  missing: 'never seen',
};

/** A shade for a count: 1, up to 9, up to 99, more. */
const shadeOf = (count: number): number => Math.min(4, Math.floor(Math.log10(count)) + (count > 1 ? 2 : 1));

/** The classes that paint a state. */
function classesOf({ state, count, kind }: Measured): string {
  if (state === 'seen') return `seen s${shadeOf(count)}`;
  return state === 'missing' && !KINDS[kind].demanded ? 'missing open' : state;
}

const wordOf = ({ state, count }: Measured): string => {
  if (state !== 'seen') return WORDS[state];
  return count < 1000 ? String(count) : `${Math.floor(count / 1000)}k`;
};

function titleOf({ key, state, count, file, line, reason }: Measured): string {
  const what = state === 'seen' ? `seen in ${count} ${count === 1 ? 'answer' : 'answers'}` : MEANINGS[state];
  const why = state === 'shared' || state === 'excepted' ? ` (${reason})` : '';
  return html(`${key}: ${what}${why} – ${file}:${line}`);
}

const cell = (one: Measured | undefined): string =>
  one === undefined
    ? '<td class="none" aria-label="not declared">·</td>'
    : `<td class="${classesOf(one)}" title="${titleOf(one)}">${wordOf(one)}</td>`;

/** How many of some elements are not missing: `14/16`. */
function part(elements: readonly Measured[]): string {
  const covered = elements.filter(({ state }) => state !== 'missing').length;
  return elements.length === 0
    ? '<td class="part none" aria-label="none">·</td>'
    : `<td class="part">${covered}/${elements.length}</td>`;
}

const CLASSES: Record<string, string> = { 2: 'success', 3: 'redirection', 4: 'refused', 5: 'failed' };

/** Operations by statuses, as a table of counts in shades. */
export function statusMap(elements: readonly Measured[]): string {
  const { statuses, rows } = statusTable(elements);
  const groups = Object.entries(CLASSES).map(([digit, name]) => {
    const span = statuses.filter((one) => one.startsWith(digit)).length;
    return span === 0 ? '' : `<th class="group" scope="colgroup" colspan="${span}">${name}</th>`;
  });
  const body = rows.map(({ owner, byStatus, elements: own }) => {
    const answers = own.filter(({ kind }) => kind === 'member' || kind === 'value');
    const requests = own.filter(({ kind }) => kind.startsWith('request') || kind === 'parameter' || kind === 'bound');
    const cells = statuses.map((status) => cell(byStatus.get(status))).join('');
    return `<tr><th scope="row">${html(owner)}</th>${cells}${part(answers)}${part(requests)}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="Operations by statuses"><table class="map">
<thead><tr><th></th>${groups.join('')}<th class="group" scope="colgroup" colspan="2">seen of</th></tr>
<tr><th scope="col">operation</th>${statuses.map((one) => `<th scope="col">${one}</th>`).join('')}<th scope="col">answer</th><th scope="col">request</th></tr></thead>
<tbody>
${body.join('\n')}
</tbody></table></div>`;
}

const chip = (one: Measured): string =>
  `<li class="chip ${classesOf(one)}" title="${titleOf(one)}">${html(one.name)} <small>${wordOf(one)}</small></li>`;

/** The types of the SDL with their fields, arguments and values. */
export function typeMap(elements: readonly Measured[]): string {
  const rows = groupsOf(elements, 'schema.graphql').map(
    ({ owner, percent, elements: own }) =>
      `<tr><th scope="row"><code>${html(owner)}</code><br><span class="quiet">${percent.toFixed(1)} %</span></th>` +
      `<td><ul class="chips">${own.map(chip).join('')}</ul></td></tr>`,
  );
  return `<div class="scroll"><table class="types"><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
}

/** What is missing and not demanded, by operation and type. */
export function missingTable(elements: readonly Measured[]): string {
  const groups = [...groupsOf(elements, 'openapi.yaml'), ...groupsOf(elements, 'schema.graphql')];
  const rows = groups.flatMap((group) => {
    const names = missingNames(group).map((name) => `<code>${html(name)}</code>`);
    return names.length === 0 ? [] : `<tr><th scope="row">${html(group.owner)}</th><td>${names.join('<br>')}</td></tr>`;
  });
  return rows.length === 0
    ? '<p>Nothing.</p>'
    : `<div class="scroll"><table class="list"><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
}
