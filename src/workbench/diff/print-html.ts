import { audienceOf } from './audience.js';
import { escaped, prose } from './markup.js';
import { excerpt, type Versions } from './page-excerpt.js';
import { audiences, permissions, requestOf, wordings } from './page-sections.js';
import { PAGE_STYLE } from './page-style.js';
import { isChanged, type PermissionTable, permissionTable } from './permission-table.js';
import type { Report, Reported } from './report.js';
import { type Wording, wordingBetween } from './wording.js';
import {
  acceptance,
  GROUPS,
  type Group,
  groupOf,
  inGroup,
  placeOf,
  quoted,
  touches,
  versionSentence,
} from './words.js';

const TITLES: Record<Group, { sign: string; title: string; means: string }> = {
  breaking: {
    sign: '✖',
    title: 'Breaking',
    means: 'Somebody who uses the contracts as they were is refused, or misses something.',
  },
  risky: { sign: '▲', title: 'Risky', means: 'It may surprise somebody: look whom, and tell them.' },
  accepted: { sign: '☑', title: 'Breaking, and accepted', means: 'The contract says why, in x-accepted-breaks.' },
  safe: { sign: '✓', title: 'Safe', means: 'Nobody who uses the contracts as they were notices.' },
};

const SIDES = { rest: 'REST', graphql: 'GraphQL', database: 'Database' } as const;

/** Of more changes each is one line, which opens. */
const MANY = 20;
/** Requests that are named at a change. */
const REQUESTS = 5;

const plural = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

function requestsOf({ requests }: Reported): string {
  if (requests.length === 0) return '';
  const shown = requests.slice(0, REQUESTS).map((one) => `<li>${requestOf(one)}</li>`);
  const more = requests.length > REQUESTS ? `<li>and ${requests.length - REQUESTS} more</li>` : '';
  return `<ul class="requests">${shown.join('')}${more}</ul>`;
}

const listed = (facts: readonly (readonly [label: string, text: string])[]): string =>
  facts.length === 0 ? '' : `<dl>${facts.map(([label, text]) => `<dt>${label}</dt><dd>${text}</dd>`).join('\n')}</dl>`;

/** What one of them is called. */
const ONE: Record<string, string> = { reaches: 'operation', handlers: 'handler', services: 'service', tests: 'test' };

/** What of the project is concerned, for whoever writes it. */
function codeOf(change: Reported): string {
  const rows = touches(change, Number.POSITIVE_INFINITY).filter(([label]) => label !== 'requests');
  if (rows.length === 0) return '';
  const facts = rows.map(([label, text]) => {
    const items = text.split(', ').map((item) => `<code>${escaped(item)}</code>`);
    return [label.charAt(0).toUpperCase() + label.slice(1), items.join('<br>')] as const;
  });
  const names = rows.map(([label, text]) => plural(text.split(', ').length, ONE[label] ?? label));
  return `<details><summary>Concerned: ${names.join(', ')}</summary>${listed(facts)}</details>`;
}

function card(change: Reported, index: number, report: Report, versions: Versions, folded: boolean): string {
  const group = groupOf(change);
  const { sign } = TITLES[group];
  const facts: [string, string][] = [
    ...(change.accepted === undefined ? [] : [['Because', prose(change.accepted)] as [string, string]]),
    ...(change.advice === undefined || group === 'accepted'
      ? []
      : [['Instead', prose(change.advice)] as [string, string]]),
    ...(change.verdict === 'breaking' ? [['Its id', `<code>${escaped(change.id)}</code>`] as [string, string]] : []),
  ];
  const head = `<h3><span class="sign" title="${group}">${sign}</span> ${prose(quoted(change.message))}</h3>`;
  const place = `<span class="side">${SIDES[change.side]}</span> <code>${escaped(placeOf(change, report))}</code> <span>${escaped(audienceOf(change))}</span>`;
  const body = [requestsOf(change), excerpt(change, versions), listed(facts), codeOf(change)]
    .filter(Boolean)
    .join('\n');
  const attributes = `class="change ${group}" id="change-${index + 1}"`;
  if (folded)
    return `<details ${attributes}><summary>${head}<span class="meta">${place}</span></summary>\n${body}\n</details>`;
  return `<article ${attributes}>\n${head}\n<p class="meta">${place}</p>\n${body}\n</article>`;
}

function section(group: Group, report: Report, versions: Versions): string {
  const changes = inGroup(report, group);
  if (changes.length === 0) return '';
  const { sign, title, means } = TITLES[group];
  const folded = changes.length > MANY;
  const cards = changes.map((one) => card(one, report.changes.indexOf(one), report, versions, folded)).join('\n');
  const head = `<h2><span class="sign">${sign}</span> ${title} <span class="count">${changes.length}</span></h2>\n<p>${means}</p>`;
  const [first] = changes;
  const how =
    group === 'breaking' && first !== undefined
      ? `<p>One that must be is accepted at the root of <code>openapi.yaml</code>, with a reason:</p>\n<pre><code>${escaped(acceptance(first.id))}</code></pre>`
      : '';
  const alone = report.changes.length === changes.length;
  const body =
    group === 'safe' && !alone && folded
      ? `<details><summary>Show all ${changes.length}</summary>\n${cards}</details>`
      : cards;
  return `<section id="${group}" class="group ${group}">${head}\n${body}\n${how}</section>`;
}

interface Judged {
  group: Group | 'none';
  title: string;
  sentence: string;
}

/** What a reviewer reads first. */
function verdictOf({ counts, changes, from, to }: Report, words: number): Judged {
  const { breaking, risky, accepted } = counts;
  const sees = (count: number) =>
    `${plural(count, breaking > 0 ? 'more' : 'change', breaking > 0 ? 'more' : 'changes')} may surprise somebody.`;
  if (breaking > 0)
    return {
      group: 'breaking',
      title: plural(breaking, 'breaking change'),
      sentence: risky > 0 ? sees(risky) : '',
    };
  if (accepted > 0)
    return { group: 'accepted', title: 'What breaks was accepted', sentence: risky > 0 ? sees(risky) : '' };
  if (risky > 0) return { group: 'risky', title: 'Nothing breaks', sentence: sees(risky) };
  if (changes.length > 0) return { group: 'safe', title: 'Nothing breaks', sentence: 'All changes are safe.' };
  if (words > 0) return { group: 'safe', title: 'Only words changed', sentence: 'No program sees a difference.' };
  return { group: 'none', title: 'Nothing changed', sentence: `${from} and ${to} promise the same.` };
}

function contents({ counts }: Report, table: PermissionTable | undefined, words: number): string {
  const changed = table?.rows.filter(isChanged).length ?? 0;
  const links = [
    ...GROUPS.filter((group) => counts[group] > 0).map((group): [string, string, number, string] => [
      group,
      `${TITLES[group].sign} ${TITLES[group].title}`,
      counts[group],
      group,
    ]),
    ...(changed > 0 ? [['permissions', 'Permissions', changed, 'plain'] as const] : []),
    ...(words > 0 ? [['words', 'Words', words, 'plain'] as const] : []),
  ];
  return `<nav aria-label="Contents"><ul class="tiles">${links
    .map(
      ([id, title, count, kind]) => `<li class="${kind}"><a href="#${id}"><strong>${count}</strong> ${title}</a></li>`,
    )
    .join('')}</ul></nav>`;
}

const stale = ({ stale: ids }: Report): string =>
  ids.length === 0
    ? ''
    : `<section id="stale"><h2>Stale</h2><p><code>x-accepted-breaks</code> names what is no break of this diff. Remove:</p>
<ul>${ids.map((id) => `<li><code>${escaped(id)}</code></li>`).join('')}</ul></section>`;

function page(report: Report, versions: Versions, table: PermissionTable | undefined, words: Wording[]): string {
  const { group, title, sentence } = verdictOf(report, words.length);
  const groups = GROUPS.map((one) => section(one, report, versions));
  const sections = [
    ...groups.slice(0, -1),
    table !== undefined && (report.changes.length > 0 || table.rows.some(isChanged)) ? permissions(table) : '',
    ...groups.slice(-1),
    wordings(words),
    stale(report),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Contract changes: ${escaped(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<p class="from">Contract changes from <b>${escaped(report.from)}</b> to <b>${escaped(report.to)}</b></p>
<div class="verdict ${group}"><h1>${escaped(title)}</h1><p>${escaped(sentence)} ${escaped(versionSentence(report.version))}</p></div>
${contents(report, table, words.length)}
</header>
<main>
${[audiences(report), ...sections].filter((one) => one !== '').join('\n')}
</main>
</body>
</html>
`;
}

/**
 * A report as one HTML page for whoever reviews the change: it needs no other file and no network, and runs no script.
 * @param versions what was compared, sound; their lines are shown before and after
 */
export function printHtml(report: Report, versions: Versions): string {
  const [before, after] = [versions.before.contracts, versions.after.contracts];
  return page(report, versions, permissionTable(before, after), wordingBetween(before, after));
}
