import type { FileLines } from '../model/problems.js';
import { type Change, type ChangePlace, type Judgement, type Side, type VersionLines, worse } from './change.js';
import { type Difference, differences } from './differences.js';
import type { Form } from './form.js';
import type { Rule } from './rule.js';
import { ruleName } from './rule-names.js';

/** Where the keys that lead to something stand in the text of one version; and which default says it there, if one does. */
export type Locate = (
  source: readonly (string | number)[],
) => Omit<ChangePlace, 'old'> & { lines?: FileLines | undefined; shared?: string | undefined };

/** One version of a file in normal form. */
interface Version {
  form: Form;
  locate: Locate;
}

/** What is needed to tell a rename: the rules whose things have a name that can change. */
const NAMED = new Set(['member', 'parameter', 'header', 'column', 'table', 'schemaName', 'enumType']);

function likenessOf({ action, path, before, after, fact, siblings }: Difference): Change['likeness'] {
  if (!NAMED.has(fact.rule) || action === 'replace') return undefined;
  const position = siblings[action === 'add' ? 'after' : 'before'].indexOf(path.at(-1) ?? '');
  const shape = JSON.stringify(action === 'add' ? after : before);
  const verdict = fact.rule === 'schemaName' ? 'risky' : 'breaking';
  return { parent: path.slice(0, -1).join('/'), name: path.at(-1) ?? '', shape, position, verdict };
}

/** One edit of a default is one change, wherever it holds. Its verdict is the worst of all. */
function foldShared(changes: readonly Change[]): Change[] {
  const keyOf = ({ id, rule, what, place, shared }: Change) =>
    shared === undefined ? id : [shared.by, rule, what, place.old].join(' ');
  const groups = new Map<string, Change[]>();
  for (const change of changes) groups.set(keyOf(change), [...(groups.get(keyOf(change)) ?? []), change]);
  return [...groups.values()].map((group) => {
    const { shared, ...one } = group.reduce((known, other) =>
      worse(known.verdict, other.verdict) === known.verdict ? known : other,
    );
    if (shared === undefined || group.length === 1) return one;
    const { by, where } = shared;
    return {
      ...one,
      id: `${one.side}:${by}:${one.what}`,
      message: one.message.replace(where, `${where} and ${group.length - 1} more`),
      elements: [...new Set(group.flatMap(({ elements }) => elements))],
    };
  });
}

/** Where both versions say what differs. */
function linesOf({ fact, old, sources }: Difference, before: Version, after: Version): VersionLines {
  const { before: was, after: is } = sources ?? (old ? { before: fact.source } : { after: fact.source });
  const first = was && before.locate(was).lines;
  const second = is && after.locate(is).lines;
  const alone = was === undefined || is === undefined ? (was ?? is) : undefined;
  if (alone !== undefined && (first ?? second)?.partly) {
    // A line that has more than what came or went is in both versions.
    const parent = alone.slice(0, -1);
    const [old, now] = [before.locate(parent).lines, after.locate(parent).lines];
    if (old && now) return { before: old, after: now };
  }
  return { ...(first && { before: first }), ...(second && { after: second }) };
}

/** What a rule says of a difference; what was shown to be safe is safe. */
function judge(difference: Difference, rules: Record<string, Rule>): Judgement | undefined {
  const judgement = rules[difference.fact.rule]?.(difference);
  if (judgement === undefined || difference.proved !== true) return judgement;
  const { what, message } = judgement;
  return { verdict: 'safe', what, message, settled: true };
}

/**
 * The changes between two versions of a file by its rules. One edit of a shared component is one change, with all that it
 * reaches as its elements; its verdict is the worst of them.
 */
export function judged(
  side: Side,
  before: Version,
  after: Version,
  rules: Record<string, Rule>,
  found = differences(before.form, after.form),
): Change[] {
  const changes = new Map<string, Change>();
  const reached = new Map<string, Set<string>>();
  for (const difference of found) {
    const { fact, old } = difference;
    const judgement = judge(difference, rules);
    if (judgement === undefined) continue;
    const id = `${side}:${fact.id.replace(/[:.]$/, '')}:${judgement.what}`;
    const elements = reached.get(id) ?? new Set();
    reached.set(id, fact.element === '' ? elements : elements.add(fact.element));
    const known = changes.get(id);
    // One edit of a shared component is met once for each that it reaches.
    if (known !== undefined && worse(known.verdict, judgement.verdict) === known.verdict) continue;
    const version = old ? before : after;
    const { file, line, column, shared } = version.locate(fact.source);
    const place = { file, line, column, old };
    const likeness = likenessOf(difference);
    const { verdict, what, message, advice, settled } = judgement;
    const rule = `${side === 'rest' ? '' : `${side}-`}${ruleName(fact, judgement.what)}`;
    changes.set(id, {
      ...{ id, rule, side, verdict, what, message, place, elements: [] },
      lines: known?.lines ?? linesOf(difference, before, after),
      ...(settled && { settled }),
      ...(advice !== undefined && { advice }),
      ...(likeness !== undefined && { likeness }),
      ...(shared !== undefined && { shared: { by: shared, where: fact.where } }),
    });
  }
  return foldShared([...changes.values()].map((one) => ({ ...one, elements: [...(reached.get(one.id) ?? [])] })));
}
