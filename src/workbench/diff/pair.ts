import type { Keys } from '@accord-api/platform/contract/references';
import { nodeOf, type Version, versionAt } from '../model/openapi-node.js';
import type { Direction } from './change.js';

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
  [...new Set([pair.old, pair.now].flatMap((one) => Object.keys(nodeOf(one))))].map((key) => [
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
