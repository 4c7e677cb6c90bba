import type { Difference } from './differences.js';
import type { Spot, Value } from './form.js';
import type { Normal } from './schema-normal.js';
import { type Stated, shapeOf } from './schema-part.js';
import { down } from './spot.js';
import { at, text, told } from './told.js';

/** The values that are listed: which came and went, or that there is a list at all. */
export function listed(a: Normal, b: Normal, here: { old: Spot; now: Spot }): Difference[] {
  if (a.values === undefined && b.values === undefined) return [];
  const whole = (one: Normal, spot: Spot): Stated<Value> | undefined =>
    one.values && {
      value: [...one.values.values()].map(({ value }) => text(value)).join(', '),
      spot: at(one.listed ?? spot, 'enum'),
    };
  const [was, is] = [a.values, b.values];
  if (was === undefined || is === undefined) return told('enum', whole(a, here.old), whole(b, here.now));
  const value = ({ value, spot }: Stated): Stated<Value> => ({
    value: text(value),
    spot: { ...spot, id: `${spot.id}:enum.${text(value)}` },
  });
  // Of what was listed nothing is left.
  const disjoint = was.size > 0 && ![...was.keys()].some((key) => is.has(key));
  const gone = [...was]
    .filter(([key]) => !is.has(key))
    .flatMap(([, one]) => told('value', value(one), undefined, { path: [String(text(one.value))] }));
  const fresh = [...is]
    .filter(([key]) => !was.has(key))
    .flatMap(([, one]) => told('value', undefined, value(one), { path: [String(text(one.value))], disjoint }));
  return [...gone, ...fresh];
}

/** Whether of the same alternatives exactly one must hold in one version, and any in the other. */
export function exclusive(a: Normal, b: Normal, proved: boolean): Difference[] | undefined {
  const kinds = ({ groups }: Normal) => [...new Set(groups.map(({ kind }) => kind))].join();
  const stated = ({ groups: [group] }: Normal): Stated<Value> | undefined =>
    group && { value: true, spot: down(group.spot, { id: ':exclusive', source: group.kind }) };
  if (kinds(a) === 'anyOf' && kinds(b) === 'oneOf') return told('exclusive', undefined, stated(b), { proved });
  if (kinds(a) !== 'oneOf' || kinds(b) !== 'anyOf') return undefined;
  return told('exclusive', stated(a), stated(b), { proved });
}

/** What is different of the values that are refused: all of it, as it is written. */
export function refused(a: Normal, b: Normal): Difference[] {
  const stated = ({ nots }: Normal): Stated<Value> | undefined => {
    const [first] = nots.flat();
    const shapes = nots.map((part) => part.map(({ value }) => shapeOf(value)).join());
    return first && { value: shapes.sort().join(), spot: first.spot };
  };
  const [before, after] = [stated(a), stated(b)];
  return before?.value === after?.value ? [] : told('not', before, after);
}
