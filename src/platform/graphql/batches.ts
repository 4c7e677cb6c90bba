import DataLoader from 'dataloader';
import type { Call } from '../calls/access.js';

/** Reads many at once. What is not there is left out of the answer. */
export type Batch<Value, Caller extends Call = Call> = (
  call: Caller,
  ids: readonly number[],
) => Promise<ReadonlyMap<number, Value>>;

/** Reads one, together with all that are asked for by the same name in the same turn; undefined for what is not there. */
export type ReadInBatch<Caller extends Call = Call> = <Value>(
  call: Caller,
  name: string,
  id: number,
  batch: Batch<Value, Caller>,
) => Promise<Value | undefined>;

/**
 * Batches for one operation, or for one event of a subscription: what stands below many parents is read in one statement. Nothing
 * is kept beyond the turn: a later field of a mutation sees what an earlier one changed.
 * @returns reads one; its `name` says what is read, and always comes with the same `batch`
 */
export function batches(): ReadInBatch {
  const known = new Map<string, DataLoader<number, unknown>>();
  return async <Value>(call: Call, name: string, id: number, batch: Batch<Value>) => {
    await call.checkpoint();
    let loader = known.get(name);
    if (!loader) {
      const readAll = async (ids: readonly number[]) => {
        const found = await batch(call, [...new Set(ids)]);
        return ids.map((one) => found.get(one));
      };
      loader = new DataLoader(readAll, { cache: false });
      known.set(name, loader);
    }
    return loader.load(id) as Promise<Value | undefined>;
  };
}
