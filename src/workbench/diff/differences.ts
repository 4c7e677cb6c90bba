import { compare } from 'api-smart-diff';
import { type Fact, type Form, isTree, keyOf, type Tree, type Value } from './form.js';

/** One place at which two forms differ. Of what was added or removed as a whole, only the whole. */
export interface Difference {
  action: 'add' | 'remove' | 'replace';
  path: string[];
  before: Value;
  after: Value;
  fact: Fact;
  /** Whether the fact is the old form's, since the new one lacks the place. */
  old: boolean;
  /** Where it stands in each version; where that is not said, the fact's own place is its version's. */
  sources?: { before?: Fact['source'] | undefined; after?: Fact['source'] | undefined };
  /** The keys beside it, in each form. */
  siblings: { before: string[]; after: string[] };
  /** Whether the object that it is a member of takes no member that it does not name. */
  closed?: boolean;
  /** Whether it was shown that all that was allowed still is, or that nothing else is answered. */
  proved?: boolean;
  /** Whether of the values that were listed none is left. */
  disjoint?: boolean;
  /** Whether a member that came or went refuses what other members were allowed to be. */
  refused?: boolean;
  /** Whether a new alternative takes values that were taken, where no two may hold. */
  overlapping?: boolean;
  /** Whether it was shown that nothing that was allowed is refused. */
  widened?: boolean;
  /** Whether what is sent is taken all the same, and nobody looks at it. */
  unheard?: boolean;
}

const at = (tree: Tree, path: readonly string[]): Value =>
  path.reduce<Value>((branch, key) => (isTree(branch) ? branch[key] : undefined), tree);

const RULES = { '/*': () => RULES };

type Found = Pick<Difference, 'action' | 'path' | 'before' | 'after'>;

/** What came or went with a branch that means nothing by itself, such as the first of all parameters. */
function parts(found: Found, isKnown: (path: string[]) => boolean): Found[] {
  const whole = found.action === 'add' ? found.after : found.before;
  if (isKnown(found.path) || found.action === 'replace' || !isTree(whole)) return [found];
  return Object.keys(whole).flatMap((key) => {
    const value = (branch: Value) => (isTree(branch) ? branch[key] : undefined);
    const part = { ...found, path: [...found.path, key], before: value(found.before), after: value(found.after) };
    return parts(part, isKnown);
  });
}

/**
 * What differs between two forms, by api-smart-diff's engine. Its own rules for OpenAPI are not used: they judge a shared
 * schema once, for the direction met first, pair the alternatives of `security` by position, and know no `x-permission`.
 */
export function differences(before: Form, after: Form): Difference[] {
  // The engine writes into what it compares.
  const [old, now] = [structuredClone(before.tree), structuredClone(after.tree)];
  const isKnown = (path: string[]) => before.facts.has(keyOf(path)) || after.facts.has(keyOf(path));
  const found = compare(old, now, { rules: RULES }).diffs.flatMap(({ action, path, before: was, after: is }) =>
    action === 'rename' ? [] : parts({ action, path: path.map(String), before: was, after: is }, isKnown),
  );
  return found.flatMap((one) => {
    const current = one.action === 'remove' ? undefined : after.facts.get(keyOf(one.path));
    const former = one.action === 'add' ? undefined : before.facts.get(keyOf(one.path));
    const fact = current ?? before.facts.get(keyOf(one.path));
    if (fact === undefined) return [];
    const beside = (tree: Tree) => {
      const parent = at(tree, one.path.slice(0, -1));
      return isTree(parent) ? Object.keys(parent) : [];
    };
    const siblings = { before: beside(before.tree), after: beside(after.tree) };
    const sources = { before: former?.source, after: current?.source };
    return { ...one, fact, old: current === undefined, sources, siblings };
  });
}
