import type { Difference } from './differences.js';
import type { Part, Spot, Value } from './form.js';
import { type Node, partAt, type Said, type Stated, shapeOf, takesAnything } from './schema-part.js';
import { at, told } from './told.js';

const COUNTED = ['contains', 'minContains', 'maxContains'];

/** What some items of a list must be, and how many at least and at most (JSON Schema, 10.3.1.3). */
export interface Contained {
  part: Part;
  least: number;
  most: number;
  spot: Spot;
}

/** Whether `contains` is not there, or asks for no kind, or for none and for no few. */
export const containsNothing = (node: Node): boolean =>
  node['contains'] === undefined ||
  takesAnything(node['contains']) ||
  (node['minContains'] === 0 && node['maxContains'] === undefined);

/** What a list must contain: where several schemas say that, another item may do for each. */
export function containedIn(said: readonly Said[]): Contained[] {
  const stated = said.filter(({ node }) => !containsNothing(node));
  const each = new Map(stated.toReversed().map((one) => [shapeOf(COUNTED.map((keyword) => one.node[keyword])), one]));
  return [...each.values()].map(({ node, spot }) => ({
    part: partAt(node['contains'], at(spot, 'contains')),
    least: Number(node['minContains'] ?? 1),
    most: Number(node['maxContains'] ?? Number.POSITIVE_INFINITY),
    spot,
  }));
}

/** What is said besides, where a list must contain several things; one alone is a keyword like others. */
export const besideContained = (said: Said[], contained: readonly Contained[]): Said[] =>
  contained.length < 2
    ? said
    : said.map((one) => ({
        ...one,
        node: Object.fromEntries(Object.entries(one.node).filter(([keyword]) => !COUNTED.includes(keyword))),
      }));

/** Whether a list that contains what `narrow` says contains what `wide` says. */
export const containedCovers = (
  wide: readonly Contained[],
  narrow: readonly Contained[],
  includes: (wide: Part, narrow: Part) => boolean,
): boolean =>
  wide.every(({ part, least, most }) => {
    const isThere = (one: Contained) => one.least >= least && includes(part, one.part);
    const isFew = (one: Contained) => one.most <= most && includes(one.part, part);
    return (least === 0 || narrow.some(isThere)) && (most === Number.POSITIVE_INFINITY || narrow.some(isFew));
  });

/** What is different of lists that must contain several things: one more or less, or another one, has no words of its own. */
export function containedOtherwise(before: readonly Contained[], after: readonly Contained[]): Difference[] {
  if (before.length < 2 && after.length < 2) return [];
  const stated = (all: readonly Contained[]): Stated<Value> | undefined => {
    const shapes = all.map(({ part, least, most }) => `${part.map(({ value }) => shapeOf(value))} ${least} ${most}`);
    return all[0] && { value: shapes.sort().join(), spot: at(all[0].spot, 'contains') };
  };
  return told('condition', stated(before), stated(after));
}
