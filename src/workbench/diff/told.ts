import type { Difference } from './differences.js';
import type { Fact, Spot, Value } from './form.js';
import { type Stated, shapeOf } from './schema-part.js';
import { down } from './spot.js';

const factOf = (rule: string, { id, source, name, where, direction, element }: Spot): Fact => ({
  ...{ rule, id, source, name, where, direction, element },
});

/** What is told of something that is in one version or in both. */
export function told(
  rule: string,
  old: Stated<Value> | undefined,
  now: Stated<Value> | undefined,
  more: Partial<Difference> = {},
): Difference[] {
  const spot = (now ?? old)?.spot;
  if (spot === undefined) return [];
  const action = old === undefined ? 'add' : now === undefined ? 'remove' : 'replace';
  const fact = factOf(rule, spot);
  return [
    {
      path: [],
      siblings: { before: [], after: [] },
      action,
      before: old?.value,
      after: now?.value,
      fact,
      old: now === undefined,
      sources: { before: old?.spot.source, after: now?.spot.source },
      ...more,
    },
  ];
}

/** A value as one that can be printed. */
export const text = (value: unknown): Value =>
  typeof value === 'object' && value !== null ? shapeOf(value, 'data') : (value as Value);

/** Where a keyword of a schema stands. */
export const at = (spot: Spot, keyword: string, id = keyword): Spot => down(spot, { id: `:${id}`, source: keyword });
