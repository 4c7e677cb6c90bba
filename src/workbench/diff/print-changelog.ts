import { type Entry, KINDS, type Release } from './changelog.js';
import { prose } from './print-markdown.js';

const SIDES = { rest: 'REST', graphql: 'GraphQL' } as const;
/** Requests that are named; of more their number is as good. */
const SHOWN = 4;
/** Entries of changed words that are named one by one. */
const WORDS = 10;

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function line({ side, text, requests, reason }: Entry): string {
  const more = requests.length > SHOWN ? ` and ${requests.length - SHOWN} more` : '';
  const named = requests.slice(0, SHOWN).map((one) => `\`${one}\``);
  const asked = named.length === 0 ? '' : ` (${named.join(', ')}${more})`;
  const why = reason === undefined ? '' : ` ${prose(ended(reason))}`;
  return `- ${SIDES[side]}: ${ended(`${prose(text)}${asked}`)}${why}`;
}

/** Words are no reason to read a changelog: all of them in one line for each contract. */
function words(entries: readonly Entry[]): string[] {
  return (['rest', 'graphql'] as const).flatMap((side) => {
    const names = entries.filter((one) => one.side === side).map(({ text }) => prose(text));
    const more = names.length > WORDS ? `, and ${names.length - WORDS} more` : '';
    return names.length === 0 ? [] : [`- ${SIDES[side]}, in words only: ${names.slice(0, WORDS).join(', ')}${more}.`];
  });
}

function section({ version, date, entries }: Release): string {
  const head = version === undefined ? '## Unreleased' : `## ${version} - ${date}`;
  if (entries.length === 0) return `${head}\n\nNothing that a client sees.`;
  const kinds = KINDS.flatMap((kind) => {
    const own = entries.filter((one) => one.kind === kind);
    if (own.length === 0) return [];
    return [`### ${kind}\n\n${(kind === 'Fixed' ? words(own) : own.map(line)).join('\n')}`];
  });
  return [head, ...kinds].join('\n\n');
}

/** Releases as the sections of a CHANGELOG.md (Keep a Changelog 1.1.0). */
export const printChangelog = (releases: readonly Release[]): string => releases.map(section).join('\n\n');
