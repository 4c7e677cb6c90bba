import { isPlain, type Keys, keysOf } from '@accord-api/platform/contract/document';
import {
  canonical,
  isGone,
  isText,
  nodeOf,
  printed,
  referenceOf,
  resolved,
  type Version,
  versionAt,
} from '../model/openapi-node.js';
import {
  type Change,
  type ChangePlace,
  type DiffSide,
  isWorse,
  keywordOf,
  labelled,
  membersOf,
  type Pair,
  subjectOf,
  type Verdict,
  whatOf,
} from './change.js';
import { ruleName } from './rules.js';

/** Finds the place of a value in the text of one version. `shared` names the default that states it. */
export type Locate = (path: Keys) => Omit<ChangePlace, 'old'> & { shared?: string };

export interface Recorder {
  report(pair: Pair, rule: string, verdict: Verdict, what: string, message: string): void;
  /** Reports an added or removed value. Returns true if both versions have it. */
  presence(pair: Pair, rule: string, kind?: string, removed?: Verdict, added?: Verdict, note?: string): boolean;
  changed(pair: Pair, rule: string, verdict: Verdict, subject: string, what?: string): void;
  /** Reports changed members that `known` does not name. Extensions are safe. */
  others(pair: Pair, known: string): void;
  /** Visits a pair, or the component that it refers to. Visits each component once per direction. */
  shared(pair: Pair, visit: (pair: Pair) => void): void;
  /** Returns the changes with the operations that they affect. */
  changes(): Change[];
}

interface Found extends Change {
  /** The last part of the id: `removed`, `added`, `changed`, … */
  what: string;
  owners: Set<string>;
  shared?: { by: string; where: string };
}

/** Advice by the last part of the id. */
const ADVICE: Record<string, string> = {
  removed: 'Keep it, mark it deprecated, and remove it once its sunset has passed.',
  added: 'Make it optional, with a default for requests without it.',
  required: 'Leave it optional, and use a default for requests without it.',
  optional: 'Go on sending it.',
  narrowed: 'Give the role what it had, or tell its users and accept the break with the reason.',
  widened: 'Have the security review see the new row of generated/permissions.md.',
};
const INSTEAD = 'Keep what is there now, and offer the new form beside it.';
const WARN = 'Tell the clients first: code that lists what it knows meets something new.';

export const adviceFor = (verdict: Verdict, what: string): string | undefined =>
  verdict === 'safe' ? undefined : verdict === 'risky' && what === 'added' ? WARN : (ADVICE[what] ?? INSTEAD);

/** Returns the date from which a deprecated value may be removed. */
function sunsetOf(version: Version | undefined): string | undefined {
  const { deprecated, schema, 'x-sunset': other, 'x-deprecation': own } = nodeOf(version);
  const date = (isPlain(own) ? own['sunset'] : undefined) ?? other;
  if (deprecated === true && date !== undefined) return String(date);
  return schema === undefined ? undefined : sunsetOf(resolved(versionAt(version, 'schema')));
}

/** Merges the changes that one edit of a default causes. */
function mergeShared(changes: readonly Found[]): Found[] {
  const groups = new Map<string, Found[]>();
  for (const change of changes) {
    const { id, rule, what, place, shared } = change;
    const key = shared === undefined ? id : [shared.by, rule, what, place.old].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()].map((group) => {
    const worst = group.reduce((known, other) => (isWorse(other.verdict, known.verdict) ? other : known));
    const { shared, what, side } = worst;
    if (shared === undefined || group.length === 1) return worst;
    const owners = new Set(group.flatMap((change) => [...change.owners]));
    const message = worst.message.replace(shared.where, `${shared.where} and ${group.length - 1} more`);
    return { ...worst, id: `${side}:${shared.by}:${what}`, message, owners };
  });
}

export function recorderOf(side: DiffSide, locate: { old: Locate; now: Locate }, today: Date): Recorder {
  const found = new Map<string, Found>();
  const visited = new Set<string>();
  /** The components that operations and components refer to. */
  const edges = new Map<string, Set<string>>();

  const report: Recorder['report'] = (pair, rule, given, what, text) => {
    const { direction, owner, where } = pair.label;
    const sunset = what === 'removed' ? (sunsetOf(resolved(pair.old)) ?? sunsetOf(pair.old)) : undefined;
    const isOver = sunset !== undefined && Date.parse(sunset) <= today.getTime();
    const verdict = isOver ? 'safe' : given;
    const advice = adviceFor(verdict, what);
    const id = `${side}:${pair.label.id.replace(/[:.]$/, '')}:${what}`;
    const known = found.get(id);
    const owners = (known?.owners ?? new Set()).add(owner);
    if (known !== undefined && !isWorse(verdict, known.verdict)) return;
    const [before, after] = [pair.old && locate.old(pair.old.path), pair.now && locate.now(pair.now.path)];
    const { file, line, column, shared } = after ?? before ?? locate.now([]);
    found.set(id, {
      ...{ id, rule: ruleName({ rule, direction }, what), side, verdict, what },
      message: sunset === undefined ? text : `${text}, ${isOver ? 'after' : 'before'} its sunset on ${sunset}`,
      ...(advice && { advice: sunset === undefined ? advice : `Keep it until ${sunset}.` }),
      ...(isOver && { settled: true }),
      place: { file, line, column, old: after === undefined && before !== undefined },
      ...{ elements: [], owners },
      ...(shared !== undefined && { shared: { by: shared, where } }),
    });
  };

  const presence: Recorder['presence'] = (pair, rule, kind = '', removed = 'breaking', added = 'safe', note = '') => {
    const what = whatOf(pair.old, pair.now);
    const message = `${kind} ${subjectOf(pair)} is ${pair.old ? 'gone' : 'new'}${note}`.trim();
    if (what !== 'changed') report(pair, rule, pair.old ? removed : added, what, message);
    return what === 'changed';
  };

  const changed: Recorder['changed'] = (pair, rule, verdict, subject, what) => {
    const [was, is] = [pair.old?.value, pair.now?.value];
    const message = `${subject}: ${printed(was)} → ${printed(is)}`;
    if (canonical(was) !== canonical(is)) report(pair, rule, verdict, what ?? whatOf(was, is), message);
  };

  const others: Recorder['others'] = (pair, known) => {
    for (const [key] of membersOf(pair)) {
      const member = keywordOf(pair, key);
      if (known.split(' ').includes(key) || isText(key) || key === '$ref') continue;
      if (canonical(member.old?.value) !== canonical(member.now?.value)) reportUnknown({ report }, member, key);
    }
  };

  const shared: Recorder['shared'] = (pair, visit) => {
    const [was, is] = [referenceOf(pair.old), referenceOf(pair.now)];
    const { direction, owner, text } = pair.label;
    const both = { ...pair, old: resolved(pair.old), now: resolved(pair.now) };
    const isRenamed = was !== is && isGone(was, pair.now) && isGone(is, pair.old);
    if (was === undefined || is === undefined || !(was === is || isRenamed)) {
      visit(both);
      return;
    }
    const key = [was, direction, text === true].join(' ');
    edges.set(owner, (edges.get(owner) ?? new Set()).add(key));
    if (visited.has(key)) return;
    visited.add(key);
    const [, kind, name = '', ...deeper] = keysOf(was);
    const isSchema = kind === 'schemas' && deeper.length === 0;
    const id = `${isSchema ? name : keysOf(was).slice(1).join('.')}:${direction}`;
    const where = isSchema ? `${name} in ${direction}s` : name;
    visit(labelled(both, { id, where, owner: key, name: isSchema ? '' : pair.label.name }));
  };

  const changes = (): Change[] => {
    const elements = new Map<string, string[]>();
    const all = new Set([...edges.keys(), ...[...found.values()].flatMap(({ owners }) => [...owners])]);
    for (const root of [...all].filter((owner) => owner.startsWith('@'))) {
      const reached = new Set([root]);
      for (const key of reached) for (const next of edges.get(key) ?? []) reached.add(next);
      for (const key of reached) elements.set(key, [...(elements.get(key) ?? []), root.slice(1)]);
    }
    return mergeShared([...found.values()]).map(({ owners, what: _what, shared: _shared, ...change }) => ({
      ...change,
      elements: [...new Set([...owners].flatMap((owner) => elements.get(owner) ?? []))],
    }));
  };

  return { report, shared, presence, changed, others, changes };
}

export function reportUnknown({ report }: Pick<Recorder, 'report'>, pair: Pair, key: string): void {
  const message = `\`${key}\` of ${subjectOf(pair) || 'the document'} changed: review this, no rule knows it`;
  const isExtension = key.startsWith('x-');
  report(pair, isExtension ? 'extension' : 'unjudged', isExtension ? 'safe' : 'risky', 'unjudged', message);
}

/** Reports an added or removed property. A closed object rejects unknown properties. */
export function reportMember(record: Recorder, pair: Pair, isRequired: boolean, isClosed: boolean): void {
  const isResponse = pair.label.direction === 'response';
  const removed = isResponse || isClosed ? 'breaking' : 'risky';
  const added = isResponse ? (isClosed ? 'risky' : 'safe') : isRequired ? 'breaking' : 'safe';
  const note = { breaking: ' and required', risky: ', in an object without other properties', safe: '' }[added];
  const gone = isResponse ? '' : isClosed ? ': requests with it are rejected' : ': the service ignores it';
  record.presence(pair, 'member', '', removed, added, pair.old ? gone : note);
}

export function reportRequired(record: Recorder, pair: Pair, isRequired: boolean): void {
  const what = isRequired ? 'required' : 'optional';
  const isBreak = (pair.label.direction === 'request') === isRequired;
  record.report(pair, 'required', isBreak ? 'breaking' : 'safe', what, `${subjectOf(pair)} is ${what} now`);
}

/** Compares the sunsets of two deprecated versions. */
export function compareSunsets(record: Recorder, pair: Pair): void {
  const [old, now] = [resolved(pair.old), resolved(pair.now)].map(
    (version) => versionAt(version, 'x-deprecation', 'sunset') ?? versionAt(version, 'x-sunset'),
  );
  if (old === undefined || now === undefined) return;
  const isLater = Date.parse(String(now.value)) >= Date.parse(String(old.value));
  const sunset = { ...keywordOf(pair, 'sunset'), old, now };
  const [verdict, what] = isLater ? (['safe', 'later'] as const) : (['risky', 'sooner'] as const);
  record.changed(sunset, 'sunset', verdict, `sunset of ${subjectOf(pair)}`, what);
}
