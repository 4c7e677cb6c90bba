import { releasesIn } from '../model/git.js';
import { escapeMarkdown } from '../model/names.js';
import type { Problem } from '../model/problems.js';
import { NoSuchVersion, type ProjectVersion, versionAtRef, versionInDirectory } from '../model/project-version.js';
import { type Wording, wordingBetween } from './wording.js';

/** A change between two versions of the contracts. */
interface Change {
  id: string;
  side: 'rest' | 'graphql' | 'database';
  rule: string;
  verdict: string;
  what: string;
  message: string;
  elements: string[];
}

/** What differs between two versions of sound contracts; `problems` if one of them is not sound. */
export interface Differences {
  problems: readonly Problem[];
  changes: readonly Change[];
  /** The reasons of accepted breaks by their ids. */
  reasons: ReadonlyMap<string, string>;
  /** The requests by operationId. */
  requests: ReadonlyMap<string, { method: string; path: string }>;
}

/** Compares two versions; `now` decides which sunsets have passed. */
export type Compare = (before: ProjectVersion, after: ProjectVersion, now: Date) => Promise<Differences>;

/** The kinds of changes, in the order in which they are read: those of Keep a Changelog 1.1.0, and the breaks before all. */
export const KINDS = ['Breaking', 'Added', 'Changed', 'Deprecated', 'Removed', 'Fixed'] as const;
export type Kind = (typeof KINDS)[number];

/** What a client is told of one change. */
export interface Entry {
  side: 'rest' | 'graphql';
  kind: Kind;
  /** Names in backticks. */
  text: string;
  /** The requests that it concerns: `GET /api/v1/users`. */
  requests: string[];
  /** Why a break was accepted. */
  reason?: string;
}

/** What changed for the clients of both contracts with one release. */
export interface Release {
  /** `1.2.3`; undefined for what is in none yet. */
  version: string | undefined;
  /** `2026-11-23`; undefined for what is in none yet. */
  date: string | undefined;
  entries: Entry[];
}

/** A contract of a revision is not in order; nothing can be said of it. */
export class NotInOrder extends Error {
  override readonly name = 'NotInOrder';
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(`${problems.length} problems`);
    this.problems = problems;
  }
}

/** What concerns whoever writes or reviews a contract, and no client. */
const INTERNAL = /^(?:severity-|extension-|unused-schema-|database-)/;

/** Keywords of a schema, which come and go with what is allowed; what has a name comes and goes itself. */
const KEYWORD = /^(?:graphql-)?(?:request|response)-(?!member-|value-|alternative-|extensible-value-)/;

function kindOf({ verdict, what, rule }: Change): Kind {
  if (verdict === 'breaking') return 'Breaking';
  if (what === 'deprecated' || rule === 'deprecated-added' || rule.startsWith('sunset-')) return 'Deprecated';
  if (KEYWORD.test(rule) || rule.startsWith('deprecated-')) return 'Changed';
  if (what === 'removed') return 'Removed';
  return what === 'added' ? 'Added' : 'Changed';
}

/** Longer values, such as a pattern, are left to the contract itself. */
const LONGEST = 60;

/** Puts the values at the end of a message into backticks, as names are. */
function quoted(message: string): string {
  const at = message.indexOf(': ');
  const [was = '', is, ...more] = message.slice(at + 2).split(' → ');
  const plain = at < 0 || is === undefined || more.length > 0 || message.startsWith('permission ');
  if (plain || `${was}${is}`.includes('`')) return message;
  const subject = message.slice(0, at);
  return Math.max(was.length, is.length) > LONGEST ? `${subject} changed` : `${subject}: \`${was}\` → \`${is}\``;
}

const ofWords = (wording: Wording): Entry => ({
  side: wording.side,
  kind: 'Fixed',
  text: wording.text,
  requests: [],
});

function entriesBetween(
  before: ProjectVersion,
  after: ProjectVersion,
  { problems, changes, reasons, requests }: Differences,
): Entry[] {
  if (problems.length > 0) throw new NotInOrder(problems);
  const told = changes.flatMap((change): Entry[] => {
    const { side, rule, id, message, elements } = change;
    if (side === 'database' || INTERNAL.test(rule)) return [];
    const reason = reasons.get(id);
    const asked = side === 'rest' ? elements.flatMap((element) => requests.get(element) ?? []) : [];
    const text = quoted(message);
    // A message may name its request itself.
    const named = asked.map(({ method, path }) => `${method} ${path}`).filter((one) => !text.includes(one));
    return [{ side, kind: kindOf(change), text, requests: named, ...(reason !== undefined && { reason }) }];
  });
  return [...told, ...wordingBetween(before.contracts, after.contracts).map(ofWords)];
}

/** What of a project clients see. */
const CONTRACTS = ['openapi', 'schema'] as const;

interface Range {
  from: string;
  /** Undefined for the working tree. */
  to: string | undefined;
}

/** `v1.0.0..v1.2.0`, `v1.0.0..` to the working tree; nothing: since the last release. Rejects with NoSuchVersion. */
async function rangeOf(root: string, text: string | undefined): Promise<Range> {
  if (text === undefined) {
    const last = (await releasesIn(root, 'HEAD')).at(-1);
    if (last !== undefined) return { from: last.name, to: undefined };
    throw new NoSuchVersion(
      'There is no release to begin with: no tag here names a version, such as v1.0.0. Name a commit: accord changelog <commit>..',
    );
  }
  const [from = '', to = '', ...more] = text.split('..');
  if (from === '') throw new NoSuchVersion('Name the commit to begin with: accord changelog <commit>..');
  if (more.length > 0 || to.startsWith('.'))
    throw new NoSuchVersion(`"${text}" is no range of commits: write <commit>.. or <commit>..<commit>.`);
  return { from, to: to === '' ? undefined : to };
}

/**
 * What changed for the clients of both contracts between two commits, by the tags on the way that name a version, the newest
 * first. Rejects with NoSuchVersion, NoSuchCommit and NotInOrder.
 * @param range `v1.0.0..v1.2.0`; without an end up to the working tree; undefined: since the last release
 */
export async function changelog(
  root: string,
  range: string | undefined,
  compare: Compare,
  today = new Date(),
): Promise<Release[]> {
  const { from, to } = await rangeOf(root, range);
  const tags = await releasesIn(root, to ?? 'HEAD', from);
  const releases: Release[] = [];
  let before = await versionAtRef(root, from, CONTRACTS);
  for (const { name, version, date } of tags) {
    const after = await versionAtRef(root, name, CONTRACTS);
    // What had come to its sunset when it was released was announced.
    releases.unshift({
      version,
      date,
      entries: entriesBetween(before, after, await compare(before, after, new Date(date))),
    });
    before = after;
  }
  const end = to === undefined ? undefined : await versionAtRef(root, to, CONTRACTS);
  const after = end ?? versionInDirectory(root, 'the working tree', CONTRACTS);
  const entries = entriesBetween(before, after, await compare(before, after, today));
  if (entries.length > 0 || releases.length === 0) releases.unshift({ version: undefined, date: undefined, entries });
  return releases;
}

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
  const why = reason === undefined ? '' : ` ${escapeMarkdown(ended(reason))}`;
  return `- ${SIDES[side]}: ${ended(`${escapeMarkdown(text)}${asked}`)}${why}`;
}

/** Words are no reason to read a changelog: all of them in one line for each contract. */
function words(entries: readonly Entry[]): string[] {
  return (['rest', 'graphql'] as const).flatMap((side) => {
    const names = entries.filter((one) => one.side === side).map(({ text }) => escapeMarkdown(text));
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
