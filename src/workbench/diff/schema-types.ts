import type { Difference } from './differences.js';
import type { Spot, Value } from './form.js';
import { type Normal, normal } from './schema-normal.js';
import { type Stated, ways } from './schema-part.js';
import type { Both } from './schema-place.js';
import { at, told } from './told.js';

/** The types of a form in one order, null with them; undefined for any. */
export function typesOf({ types, never, null: nullable }: Normal): string | undefined {
  if (never) return nullable ? 'null' : 'nothing';
  const all = types.has('number') ? types.size === 5 : false;
  if (all && nullable) return undefined;
  return [...types, ...(nullable ? ['null'] : [])].sort().join(' | ') || 'nothing';
}

const sameTypes = (a: Normal, b: Normal): boolean => [...a.types].sort().join() === [...b.types].sort().join();

/** Whether null is allowed, beside the types that the old version has whichever alternative is met. */
function nullness(a: Normal, b: Normal, { old }: Both, here: Both['here']): Difference[] {
  const all = [...new Set((ways(old) ?? [old]).flatMap((way) => [...normal(way).types]))];
  const stated = (one: Normal, spot: Spot): Stated<Value> => ({
    value: [...all, ...(one.null ? ['null'] : [])].sort().join(' | '),
    spot: at(one.typed ?? spot, 'type'),
  });
  return told('type', stated(a, here.old), stated(b, here.now));
}

/**
 * What differs in the types that are allowed. Of alternatives each tells its own; whether null is one of them is told of all.
 * @param single whether only one of the versions has alternatives
 */
export function types(a: Normal, b: Normal, both: Both, here: Both['here'], single: boolean): Difference[] {
  if (a.null !== b.null && (single || sameTypes(a, b))) return nullness(a, b, both, here);
  const stated = (one: Normal, spot: Spot): Stated<Value> | undefined => {
    const value = typesOf(one);
    return value === undefined ? undefined : { value, spot: at(one.typed ?? spot, 'type') };
  };
  const [was, is] = [stated(a, here.old), stated(b, here.now)];
  return single || was?.value === is?.value ? [] : told('type', was, is);
}
