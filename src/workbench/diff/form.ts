import { compare } from 'api-smart-diff';

/** Which way a value travels: narrowing is bad for what is sent, widening for what is received. */
export type Direction = 'request' | 'response';

/** What is known of a place in a form, besides its value. */
export interface Fact {
  /** The rule that judges a difference here. */
  rule: string;
  /** Where it is, as the id of a change says it: `getUser:response.200.body.name`. */
  id: string;
  /** What it is within `where`, such as `total.amount`; empty for the whole. */
  name: string;
  /** `User in responses`, `the 200 response of getUser`. */
  where: string;
  /** Where it stands in its source, as the keys that lead there. */
  source: (string | number)[];
  direction: Direction;
  /** The operation or model that it is part of. */
  element: string;
}

export type Value = string | number | boolean | null | undefined | Tree;
export interface Tree {
  [key: string]: Value;
}

/**
 * A contract in normal form: a tree whose keys name what stands there (an enum's value, a parameter's name, a security
 * scheme) where the source has lists, and whose paths are therefore the same as long as the meaning is.
 */
export interface Form {
  tree: Tree;
  /** By path, its keys joined with `\0`. */
  facts: Map<string, Fact>;
}

const keyOf = (path: readonly string[]) => path.join('\0');

export const emptyForm = (): Form => ({ tree: {}, facts: new Map() });

/** Enters a value at a path of a form; without a value, a branch, to which more may be entered before and after. */
export function enter({ tree, facts }: Form, path: readonly string[], fact: Fact, value?: Value): void {
  const parent = path.slice(0, -1).reduce((branch, key) => {
    branch[key] ??= {};
    return branch[key] as Tree;
  }, tree);
  const last = path.at(-1) as string;
  parent[last] = value ?? parent[last] ?? {};
  facts.set(keyOf(path), fact);
}

/** One place at which two forms differ. Of what was added or removed as a whole, only the whole. */
export interface Difference {
  action: 'add' | 'remove' | 'replace';
  path: string[];
  before: Value;
  after: Value;
  fact: Fact;
  /** Whether the fact is the old form's, since the new one lacks the place. */
  old: boolean;
  /** The branch that is so many steps further up, in each form. */
  up(steps: number): { before: Value; after: Value };
}

export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

const at = (tree: Tree, path: readonly string[]): Value =>
  path.reduce<Value>((branch, key) => (isTree(branch) ? branch[key] : undefined), tree);

/** A schema that becomes one of several alternatives is compared with that alternative, in both directions of time. */
function asAlternative(one: unknown, other: unknown): unknown {
  if (!isTree(one) || !isTree(other) || one['oneOf'] !== undefined || !isTree(other['oneOf'])) return one;
  const { name } = one;
  return typeof name === 'string' && name in other['oneOf'] ? { oneOf: { [name]: one } } : one;
}

const RULES = {
  transform: [
    (before: unknown, after: unknown): [unknown, unknown] => [
      asAlternative(before, after),
      asAlternative(after, before),
    ],
  ],
  '/*': () => RULES,
};

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
    const fact = current ?? before.facts.get(keyOf(one.path));
    if (fact === undefined) return [];
    const up = (steps: number) => {
      const path = one.path.slice(0, -steps);
      return { before: at(before.tree, path), after: at(after.tree, path) };
    };
    return { ...one, fact, old: current === undefined, up };
  });
}
