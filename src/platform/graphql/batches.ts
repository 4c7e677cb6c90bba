import DataLoader from 'dataloader';
import type { Call } from '../calls/access.js';

/** Reads many at once. What is not there is left out of the answer. */
type Batch<Value, Caller extends Call = Call> = (
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
 * Batches for one operation, or for one event of a subscription: what stands below many parents is read in one statement, after
 * one checkpoint. Nothing is kept beyond the turn: a later field of a mutation sees what an earlier one changed.
 * @returns reads one; its `name` says what is read, and always comes with the same `batch`
 */
export function batches(): ReadInBatch {
  // A field whose arguments are at fault has a call of its own, and is refused by itself.
  const known = new Map<Call, Map<string, DataLoader<number, unknown>>>();

  function loaderFor<Value>(call: Call, name: string, batch: Batch<Value>): DataLoader<number, Value | undefined> {
    const ofCall = known.get(call) ?? new Map<string, DataLoader<number, unknown>>();
    known.set(call, ofCall);
    const found = ofCall.get(name) as DataLoader<number, Value | undefined> | undefined;
    if (found) return found;
    const readAll = async (ids: readonly number[]) => {
      await call.checkpoint();
      const values = await batch(call, [...new Set(ids)]);
      return ids.map((one) => values.get(one));
    };
    const loader = new DataLoader(readAll, { cache: false });
    ofCall.set(name, loader);
    return loader;
  }

  return (call, name, id, batch) => loaderFor(call, name, batch).load(id);
}
