import type { Difference } from './differences.js';

/** What was found of schemas, each of which is looked at once; one that holds itself is cut short where it is met again. */
export interface Circles {
  /** What is found of one, by a key of it. */
  once(key: string, find: () => Difference[]): Difference[];
  /** Whether what is being found now has all that there is, and was cut short nowhere. */
  isWhole(): boolean;
}

/** @returns a memory for one comparison of two documents */
export function circles(): Circles {
  const known = new Map<string, Difference[]>();
  /** What was found within a circle lacks what is told elsewhere in it: it is kept until what led there is done. */
  const partial = new Map<string, Difference[]>();
  /** Those that are being looked at, and how often it was cut short before each. */
  const underway = new Map<string, number>();
  /** Those of them that were met again. */
  const met = new Set<string>();
  let usesPartial = false;
  let cuts = 0;

  function once(key: string, find: () => Difference[]): Difference[] {
    const found = known.get(key);
    if (found !== undefined) return found;
    const begun = partial.get(key);
    if (begun !== undefined || underway.has(key)) {
      cuts += 1;
      if (begun === undefined) met.add(key);
      else usesPartial = true;
      return begun ?? [];
    }
    const before = cuts;
    underway.set(key, before);
    const differences = find();
    underway.delete(key);
    met.delete(key);
    if (underway.size === 0) {
      partial.clear();
      usesPartial = false;
    }
    const isComplete = cuts === before || (met.size === 0 && !usesPartial);
    (isComplete ? known : partial).set(key, differences);
    return differences;
  }

  return { once, isWhole: () => underway.size === 1 || cuts === [...underway.values()].at(-1) };
}
