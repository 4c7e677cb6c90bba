import type { Keys } from '@accord-api/platform/contract/document';
import { nodeOf, type Version, versionAt } from '../model/openapi-node.js';
import { FILES } from '../model/problems.js';

export const VERDICTS = ['breaking', 'risky', 'safe'] as const;
export type Verdict = (typeof VERDICTS)[number];
export const isVerdict = (value: unknown): value is Verdict => VERDICTS.includes(value as Verdict);

export const CHANGED_FILES = { rest: FILES.openapi, graphql: FILES.schema, database: FILES.prisma } as const;
export type DiffSide = keyof typeof CHANGED_FILES;

/** The direction of a message. A narrower request breaks its senders, a wider response surprises its readers. */
export type Direction = 'request' | 'response';

/** Line and column count from 1. */
export interface ChangePlace {
  file: string;
  line: number;
  column: number;
  old: boolean;
}

export interface Change {
  /** Stable, because contracts accept breaks by id: `rest:getUser:response.200.body.name:removed`. */
  id: string;
  rule: string;
  side: DiffSide;
  verdict: Verdict;
  message: string;
  advice?: string;
  /** True for an announced removal, whose verdict `x-severity` does not change. */
  settled?: boolean;
  place: ChangePlace;
  /** The affected operationIds, `Type.field`s or models. */
  elements: string[];
}

export function sortChanges<Each extends Pick<Change, 'verdict' | 'side' | 'place' | 'id'>>(
  changes: readonly Each[],
): Each[] {
  const sides = Object.keys(CHANGED_FILES);
  return [...changes].sort(
    (a, b) =>
      VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) ||
      sides.indexOf(a.side) - sides.indexOf(b.side) ||
      a.place.line - b.place.line ||
      a.id.localeCompare(b.id),
  );
}

export const isWorse = (a: Verdict, b: Verdict): boolean => VERDICTS.indexOf(a) < VERDICTS.indexOf(b);

/** The effect of a difference on the set of allowed values. */
export type Effect = 'wider' | 'narrower' | 'other';

/** Returns the verdict of an effect in a direction. `widened` is the verdict of a wider response. */
export function judge(direction: Direction, effect: Effect, widened: Verdict = 'risky'): Verdict {
  if (effect === (direction === 'request' ? 'wider' : 'narrower')) return 'safe';
  return direction === 'response' && effect === 'wider' ? widened : 'breaking';
}

export const whatOf = (was: unknown, is: unknown): 'added' | 'removed' | 'changed' =>
  was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';

export interface Label {
  /** `getUser:response.200.body.name` */
  id: string;
  /** The name within `where`: `total.amount`; empty for the whole. */
  name: string;
  /** `User in responses`, `the 200 response of getUser` */
  where: string;
  direction: Direction;
  /** The operation (`@getUser`) or shared component around it. */
  owner: string;
  /** True for the value of a parameter, which is a text in the request. */
  text?: boolean;
}

export interface Pair {
  old: Version | undefined;
  now: Version | undefined;
  label: Label;
}

export const at = (pair: Pair, keys: string | Keys, label: Partial<Label> = {}): Pair => {
  const path = typeof keys === 'string' ? [keys] : keys;
  return { old: versionAt(pair.old, ...path), now: versionAt(pair.now, ...path), label: { ...pair.label, ...label } };
};

/** Returns both versions of a keyword. Its id is `<id>:<keyword>`. */
export const keywordOf = (pair: Pair, keyword: string): Pair =>
  at(pair, keyword, { id: `${pair.label.id.replace(/[:.]$/, '')}:${keyword}` });

export const labelled = (pair: Pair, label: Partial<Label>): Pair => ({ ...pair, label: { ...pair.label, ...label } });

export const membersOf = (pair: Pair, separator = '.'): [key: string, member: Pair][] =>
  [...new Set([pair.old, pair.now].flatMap((version) => Object.keys(nodeOf(version))))].map((key) => [
    key,
    at(pair, [key], { id: `${pair.label.id}${separator}${key}`, name: key }),
  ]);

/** Replaces missing versions by the versions of the pair around. */
export const locatedIn = (pair: Pair, around: Pair): Pair => ({
  ...pair,
  old: pair.old ?? around.old,
  now: pair.now ?? around.now,
});

/** Returns `` `name` of where ``. */
export const subjectOf = ({ label: { name, where } }: Pair): string =>
  name === '' ? where : where === '' ? `\`${name}\`` : `\`${name}\` of ${where}`;
