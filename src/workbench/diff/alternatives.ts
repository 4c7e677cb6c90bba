import { referenceOf, resolved, shapeOf, type Version } from '../model/openapi-node.js';
import { constantsOf, type Group, labelOf, viewOf } from '../model/schema-view.js';
import { judge } from './change.js';
import { keywordOf, type Pair, subjectOf } from './pair.js';
import type { Recorder } from './recorder.js';

const typesOf = (version: Version): string => [...(viewOf(version).types ?? [])].sort().join();

/** Compares alternatives: equal ones first, then those of one constant, of one name, and the last of one type. */
export function compareAlternatives(
  record: Recorder,
  compare: (pair: Pair) => void,
  pair: Pair,
  [before, after]: [Version[], Version[]],
  kind: Group['kind'] = 'oneOf',
): void {
  let [gone, fresh] = [before, after];
  const labelled = (version: Version) => ({ ...pair.label, id: `${pair.label.id}:${kind}.${labelOf(version)}` });
  const match = (isMatch: (one: Version, other: Version) => boolean) => {
    for (const old of gone) {
      const now = fresh.find((one) => isMatch(old, one));
      if (now === undefined) continue;
      gone = gone.filter((one) => one !== old);
      fresh = fresh.filter((one) => one !== now);
      compare({ old, now, label: labelled(now) });
    }
  };
  match((one, other) => shapeOf(one.value) === shapeOf(other.value));
  match((one, other) => shapeOf(resolved(one)?.value) === shapeOf(resolved(other)?.value));
  match((one, other) => constantsOf(one) !== '' && constantsOf(one) === constantsOf(other));
  match((one, other) => labelOf(one) === labelOf(other) && constantsOf(one) === constantsOf(other));
  const isOneLeft = gone.length === 1 && (fresh.length === 1 || before.length === 1);
  if (isOneLeft) match((one, other) => typesOf(one) === typesOf(other) && !(referenceOf(one) && referenceOf(other)));
  for (const version of [...gone, ...fresh]) {
    const isNew = fresh.includes(version);
    const message = `alternative \`${labelOf(version)}\` of ${subjectOf(pair)} is ${isNew ? 'new' : 'gone'}`;
    const verdict = judge(pair.label.direction, isNew ? 'wider' : 'narrower');
    const one = { old: isNew ? undefined : version, now: isNew ? version : undefined, label: labelled(version) };
    record.report(one, 'alternative', verdict, isNew ? 'added' : 'removed', message);
  }
}

/** Compares `anyOf` with `oneOf`: the latter rejects a value that matches two alternatives. */
export function compareExclusive(record: Recorder, pair: Pair, old: Group, now: Group): void {
  const types = now.alternatives.map(typesOf);
  const isDisjoint = new Set(types).size === types.length && !types.includes('');
  if (old.kind === now.kind || isDisjoint) return;
  const isOne = now.kind === 'oneOf';
  const message = `${subjectOf(pair)} matches ${isOne ? 'exactly one of its alternatives now, before any' : 'any of its alternatives now, before exactly one'}`;
  const verdict = judge(pair.label.direction, isOne ? 'narrower' : 'wider');
  const one = { ...keywordOf(pair, 'exclusive'), old: old.at, now: now.at };
  record.report(one, 'exclusive', verdict, isOne ? 'added' : 'removed', message);
}
