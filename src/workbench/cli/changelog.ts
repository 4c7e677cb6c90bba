import { printJson, type Subcommand } from '@accord-api/platform/cli/output';
import { isPlain, METHODS, type Method } from '@accord-api/platform/contract/document';
import type { Change } from '../diff/change.js';
import { differencesBetween, problemsOf } from '../diff/report.js';
import type { Contracts } from '../model/contracts.js';
import { escapeMarkdown } from '../model/names.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import { rejectProblems } from '../model/problems.js';
import {
  NoSuchVersion,
  type ProjectVersion,
  releasesIn,
  versionAtRef,
  versionInDirectory,
} from '../model/project-version.js';
import { definitionsIn, type SdlSource } from '../model/sdl-source.js';

/** The kinds of changes in their order: breaks, then the kinds of Keep a Changelog 1.1.0. */
const KINDS = ['Breaking', 'Added', 'Changed', 'Deprecated', 'Removed', 'Fixed'] as const;
type Kind = (typeof KINDS)[number];

interface Entry {
  side: 'rest' | 'graphql';
  kind: Kind;
  /** Names in backticks. */
  text: string;
  /** The affected requests: `GET /api/v1/users`. */
  requests: string[];
  /** The reason of an accepted break. */
  reason?: string;
}

/** The changes of one release. Undefined values mean that it is not released yet. */
interface Release {
  version: string | undefined;
  date: string | undefined;
  entries: Entry[];
}

/** Rules that concern no client. */
const INTERNAL = /^(?:severity-|extension-|unused-schema-|database-)/;

/** Rules for keywords of schemas. Adding a keyword changes a schema, and adds nothing for clients. */
const KEYWORD = /^(?:graphql-)?(?:request|response)-(?!member-|value-|alternative-|extensible-value-)/;

function kindOf({ verdict, what, rule }: Change): Kind {
  if (verdict === 'breaking') return 'Breaking';
  if (what === 'deprecated' || rule === 'deprecated-added' || rule.startsWith('sunset-')) return 'Deprecated';
  if (KEYWORD.test(rule) || rule.startsWith('deprecated-')) return 'Changed';
  if (what === 'removed') return 'Removed';
  return what === 'added' ? 'Added' : 'Changed';
}

/** Longer values, such as patterns, are not printed. */
const MAX_VALUE_LENGTH = 60;

function quoted(message: string): string {
  const at = message.indexOf(': ');
  const [was = '', is, ...more] = message.slice(at + 2).split(' → ');
  const plain = at < 0 || is === undefined || more.length > 0 || message.startsWith('permission ');
  if (plain || `${was}${is}`.includes('`')) return message;
  const subject = message.slice(0, at);
  return Math.max(was.length, is.length) > MAX_VALUE_LENGTH
    ? `${subject} changed`
    : `${subject}: \`${was}\` → \`${is}\``;
}

/** A text for readers that changed: `description of \`getUser\``. */
interface Wording {
  side: 'rest' | 'graphql';
  text: string;
}

type Path = (string | number)[];

const TEXTS = 'title summary description example examples externalDocs contact license'.split(' ');

/** Members that do not help to name a place. */
const UNNAMED = new Set('info paths components properties schema content parameters headers responses'.split(' '));

/** Returns the name that a document gives an item of a list: a parameter, a tag, a reference. */
function nameOf(item: unknown): string | undefined {
  if (!isPlain(item)) return undefined;
  const { name, in: place, $ref: reference, url } = item;
  const names = [reference, name === undefined ? undefined : [place, name].filter(Boolean).join(' '), url];
  return names.find((one) => typeof one === 'string');
}

/** Returns what both versions have: members by key, items by name or else by index. */
function* inBoth(before: unknown, after: unknown): Generator<[key: string | number, was: unknown, is: unknown]> {
  if (Array.isArray(before) && Array.isArray(after))
    for (const [index, item] of after.entries()) {
      const name = nameOf(item);
      const other = name === undefined ? before[index] : before.find((one) => nameOf(one) === name);
      if (other !== undefined) yield [index, other, item];
    }
  else if (isPlain(before) && isPlain(after))
    for (const [key, value] of Object.entries(after)) if (Object.hasOwn(before, key)) yield [key, before[key], value];
}

/** Replaces line breaks within a paragraph by blanks (CommonMark, 6.8). */
const unwrapped = (text: string): string =>
  text.includes('```') ? text.trim() : text.trim().replaceAll(/(?<=[^\n|])\n(?=[^\n\s|*\-+>#`\d])/g, ' ');

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? unwrapped(value) : JSON.stringify(value);

/** Returns the texts that differ. `names` are the names of the places around, the innermost first. */
function* textsIn(
  before: unknown,
  after: unknown,
  path: Path,
  names: string[],
): Generator<{ path: Path; was: string; names: string[] }> {
  // A property may be called as a text is.
  const isNode = path.at(-1) !== 'properties' && isPlain(before) && isPlain(after);
  const keys = isNode ? TEXTS : [];
  for (const key of keys) {
    const [was, is] = [before, after].map((node) => textOf((node as Record<string, unknown>)[key])) as [string, string];
    if (was !== is) yield { path: [...path, key], was, names };
  }
  for (const [key, was, is] of inBoth(before, after)) {
    const deeper = [...path, key];
    const name = Array.isArray(after)
      ? [nameOf(is)?.split('/').at(-1) ?? String(key), ...names]
      : namesAt(names, deeper, is);
    if (!keys.includes(String(key))) yield* textsIn(was, is, deeper, name);
  }
}

function namesAt(names: string[], path: Path, value: unknown): string[] {
  const [key = '', holder] = [path.at(-1), path.at(-2)];
  const isOperation = path.length === 3 && path[0] === 'paths' && METHODS.includes(key as Method) && isPlain(value);
  if (isOperation) return [String(value['operationId'] ?? `${key} ${names[0]}`)];
  if (holder === 'responses' && path[0] === 'paths') return [`the ${key} response`, ...names];
  if (holder !== 'properties' && (UNNAMED.has(String(key)) || holder === 'components')) return names;
  return [String(key), ...names];
}

/** Returns the changed texts of openapi.yaml; one that a default states is listed once. */
function restWording(before: OpenApiSource, after: OpenApiSource): Wording[] {
  const groups = new Map<string, string[]>();
  for (const { path, was, names } of textsIn(before.written, after.written, [], [])) {
    const key = JSON.stringify([after.originOf(path), was]);
    const where = names.length === 0 ? '' : names.join(' of ');
    groups.set(key, [...(groups.get(key) ?? []), where, String(path.at(-1))]);
  }
  return [...groups.values()].map((group): Wording => {
    const [where = '', keyword = ''] = group;
    const more = group.length > 2 ? ` and ${group.length / 2 - 1} more` : '';
    return { side: 'rest', text: `${keyword} of ${where === '' ? 'the contract' : `\`${where}${more}\``}` };
  });
}

const graphqlWording = (before: SdlSource, after: SdlSource): Wording[] => {
  const old = definitionsIn(before, before.schema);
  return [...definitionsIn(after, after.schema)].flatMap(([where, { description }]): Wording[] => {
    const was = old.get(where)?.description ?? description;
    return unwrapped(was) === unwrapped(description) ? [] : [{ side: 'graphql', text: `description of \`${where}\`` }];
  });
};

/** Returns the changed texts of values that both versions of valid contracts have, REST first. */
function wordingBetween(before: Contracts, after: Contracts): Wording[] {
  const isSameRest = before.openapi.text === after.openapi.text && before.openapi.texts.size === 1;
  return [
    ...(isSameRest ? [] : restWording(before.openapi, after.openapi)),
    ...(before.schema.text === after.schema.text ? [] : graphqlWording(before.schema, after.schema)),
  ];
}

/** @param now decides which sunsets have passed */
async function entriesBetween(before: ProjectVersion, after: ProjectVersion, now = new Date()): Promise<Entry[]> {
  rejectProblems(await problemsOf({ root: '.', before, after }));
  const { changes, reasons, requests } = await differencesBetween(before, after, now);
  const entries = changes.flatMap((change): Entry[] => {
    const { side, rule, id, message, elements } = change;
    if (side === 'database' || INTERNAL.test(rule)) return [];
    const reason = reasons.get(id);
    const asked = side === 'rest' ? elements.flatMap((element) => requests.get(element) ?? []) : [];
    const text = quoted(message);
    // Some messages name the request.
    const named = asked.map(({ method, path }) => `${method} ${path}`).filter((one) => !text.includes(one));
    return [{ side, kind: kindOf(change), text, requests: named, ...(reason !== undefined && { reason }) }];
  });
  const wordings = wordingBetween(before.contracts, after.contracts);
  return [...entries, ...wordings.map((wording): Entry => ({ ...wording, kind: 'Fixed', requests: [] }))];
}

const CONTRACTS = ['openapi', 'schema'] as const;

/** Parses `v1.0.0..v1.2.0` or `v1.0.0..`. The default is the range since the last release. Rejects with NoSuchVersion. */
async function rangeOf(root: string, text: string | undefined): Promise<{ from: string; to: string | undefined }> {
  if (text === undefined) {
    const last = (await releasesIn(root, 'HEAD')).at(-1);
    if (last !== undefined) return { from: last.name, to: undefined };
    throw new NoSuchVersion(
      'There is no release: no tag is a version, such as v1.0.0. Name a commit: accord changelog <commit>..',
    );
  }
  const [from = '', to = '', ...more] = text.split('..');
  if (from === '') throw new NoSuchVersion('Name the commit to begin with: accord changelog <commit>..');
  if (more.length > 0 || to.startsWith('.'))
    throw new NoSuchVersion(`"${text}" is not a range of commits: write <commit>.. or <commit>..<commit>.`);
  return { from, to: to === '' ? undefined : to };
}

/**
 * Returns the changes for clients between two commits by release, the newest first. Releases are tags with a version. Rejects with
 * NoSuchVersion and Unable.
 * @param range `v1.0.0..v1.2.0`; without an end, to the working tree; by default, since the last release
 */
async function changelog(root: string, range: string | undefined): Promise<Release[]> {
  const { from, to } = await rangeOf(root, range);
  const tags = await releasesIn(root, to ?? 'HEAD', from);
  const releases: Release[] = [];
  let before = await versionAtRef(root, from, CONTRACTS);
  for (const { name, version, date } of tags) {
    const after = await versionAtRef(root, name, CONTRACTS);
    // The sunsets before the release were announced.
    releases.unshift({ version, date, entries: await entriesBetween(before, after, new Date(date)) });
    before = after;
  }
  const end = to === undefined ? undefined : await versionAtRef(root, to, CONTRACTS);
  const after = end ?? versionInDirectory(root, 'the working tree', CONTRACTS);
  const entries = await entriesBetween(before, after);
  if (entries.length > 0 || releases.length === 0) releases.unshift({ version: undefined, date: undefined, entries });
  return releases;
}

const SIDES = { rest: 'REST', graphql: 'GraphQL' } as const;
const MAX_PRINTED_REQUESTS = 4;
const MAX_PRINTED_TEXTS = 10;

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function line({ side, text, requests, reason }: Entry): string {
  const more = requests.length > MAX_PRINTED_REQUESTS ? ` and ${requests.length - MAX_PRINTED_REQUESTS} more` : '';
  const named = requests.slice(0, MAX_PRINTED_REQUESTS).map((one) => `\`${one}\``);
  const asked = named.length === 0 ? '' : ` (${named.join(', ')}${more})`;
  const why = reason === undefined ? '' : ` ${escapeMarkdown(ended(reason))}`;
  return `- ${SIDES[side]}: ${ended(`${escapeMarkdown(text)}${asked}`)}${why}`;
}

/** Prints the changed texts of each contract in one line, because clients need not react to them. */
function textLines(entries: readonly Entry[]): string[] {
  return (['rest', 'graphql'] as const).flatMap((side) => {
    const names = entries.filter((one) => one.side === side).map(({ text }) => escapeMarkdown(text));
    const more = names.length > MAX_PRINTED_TEXTS ? `, and ${names.length - MAX_PRINTED_TEXTS} more` : '';
    return names.length === 0
      ? []
      : [`- ${SIDES[side]}, in words only: ${names.slice(0, MAX_PRINTED_TEXTS).join(', ')}${more}.`];
  });
}

function section({ version, date, entries }: Release): string {
  const head = version === undefined ? '## Unreleased' : `## ${version} - ${date}`;
  if (entries.length === 0) return `${head}\n\nNothing that a client sees.`;
  const kinds = KINDS.flatMap((kind) => {
    const own = entries.filter((one) => one.kind === kind);
    if (own.length === 0) return [];
    return [`### ${kind}\n\n${(kind === 'Fixed' ? textLines(own) : own.map(line)).join('\n')}`];
  });
  return [head, ...kinds].join('\n\n');
}

/** Prints releases as the sections of a CHANGELOG.md (Keep a Changelog 1.1.0). */
const printChangelog = (releases: readonly Release[]): string => releases.map(section).join('\n\n');

const HELP = `
The change log contains the changes of the contracts that concern clients, by the rules of "accord diff": one section for each tag
with a version (v1.2.0, 1.2.0, books@1.2.0), and one for unreleased changes. Breaking changes come first; accepted ones have their
reason. Changes of the database are omitted.

 Exit codes: 0 written, 2 unable to compare.

Examples:
  accord changelog                   since the last release, up to the working tree
  accord changelog v1.0.0..          all releases since v1.0.0, and unreleased changes
  accord changelog v1.0.0..v2.0.0    the releases between two versions
  accord changelog 3f2a1c9..         since a commit, also without a tag`;

const changelogCommand: Subcommand = (command) => {
  command
    .argument('[range]', 'commits, tags or branches: <from>..<to>, or <from>.. (default: since the last release)')
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (range: string | undefined) => {
      const { root, json } = command.optsWithGlobals<{ root: string; json: boolean }>();
      const releases = await changelog(root, range);
      if (json) return printJson(releases);
      console.log(printChangelog(releases));
    });
};

export default changelogCommand;
