import type { CodeLine } from './change.js';
import type { Report, Reported } from './report.js';
import type { VersionDemand } from './version.js';

/** What the formats have in common: the same facts in the same words. */

/** The groups of a report in the order in which they are read: accepted breaks are none of the worst any more. */
export const GROUPS = ['breaking', 'risky', 'accepted', 'safe'] as const;
export type Group = (typeof GROUPS)[number];

export const groupOf = ({ verdict, accepted }: Reported): Group => (accepted === undefined ? verdict : 'accepted');

export const inGroup = ({ changes }: Report, group: Group): Reported[] =>
  changes.filter((change) => groupOf(change) === group);

/** `openapi.yaml:12:5`, and when it is there no more, of which version. */
export const placeOf = ({ place: { file, line, column, old } }: Reported, { from }: Report): string =>
  `${file}:${line}:${column}${old ? ` at ${from}` : ''}`;

/** Names of a long list are as good as their number. */
const SHOWN = 4;

const listed = (texts: readonly string[], shown: number) =>
  texts.length > shown ? `${texts.slice(0, shown).join(', ')} and ${texts.length - shown} more` : texts.join(', ');

const line = ({ file, line: number, name }: CodeLine) => `${name} ${file}:${number}`;
const bare = ({ file, line: number }: CodeLine) => `${file}:${number}`;

/** What a change touches, as label and text; only what there is. */
export function touches(
  { elements, requests, touches: code }: Reported,
  shown = SHOWN,
): [label: string, text: string][] {
  const rows: [string, string][] = [
    ['handlers', listed(code.handlers.map(line), shown)],
    ['services', listed(code.services.map(line), shown)],
    ['tests', listed(code.tests.map(bare), shown)],
  ];
  const reached: [string, string][] = elements.length > 1 ? [['reaches', listed(elements, shown)]] : [];
  const lines = requests.map(({ method, path }) => `${method} ${path}`);
  const asked: [string, string] = ['requests', listed(lines, shown)];
  return [...reached, asked, ...rows].filter(([, text]) => text !== '');
}

/** `2 breaking, 1 risky, 3 safe`. */
export const summary = ({ counts }: Report): string =>
  GROUPS.filter((group) => counts[group] > 0)
    .map((group) => `${counts[group]} ${group}`)
    .join(', ');

/** What the version must become. */
export function versionSentence({ from, to, bump, least, enough }: VersionDemand): string {
  if (bump === 'none') return `info.version stays ${to}.`;
  const done = `info.version ${from} → ${to} is enough for this ${bump} change.`;
  return enough ? done : `This is a ${bump} change: info.version ${to} should become ${least}.`;
}

/** Longer values, such as a pattern, are for those who look at the lines. */
const LONGEST = 60;

/** A message whose values, where it ends with what was and is, stand in backticks as names do. */
export function quoted(message: string): string {
  const at = message.indexOf(': ');
  const [was = '', is, ...more] = message.slice(at + 2).split(' → ');
  const plain = at < 0 || is === undefined || more.length > 0 || message.startsWith('permission ');
  if (plain || `${was}${is}`.includes('`')) return message;
  const subject = message.slice(0, at);
  return Math.max(was.length, is.length) > LONGEST ? `${subject} changed` : `${subject}: \`${was}\` → \`${is}\``;
}

/** How to accept a break, for the first that was not. */
export const acceptance = (id: string): string => `x-accepted-breaks:\n  - change: ${id}\n    reason:`;
