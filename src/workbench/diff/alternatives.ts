import { isPlain } from '@accord-api/platform/contract/references';
import {
  hasGroup,
  isGone,
  nodeOf,
  referenceOf,
  resolved,
  shapeOf,
  targetsOf,
  type Version,
  versionAt,
} from '../model/openapi-node.js';
import { constantsOf, type Group, labelOf, type View, viewOf } from '../model/schema-view.js';
import { judge, whatOf } from './change.js';
import { keywordOf, type Pair, subjectOf } from './pair.js';
import type { Recorder } from './recorder.js';

const typesOf = (version: Version): string => [...(viewOf(version).types ?? [])].sort().join();

/** Pairs alternatives by equality, constants, names, or types, and compares each pair. */
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

/** Compares discriminators: the property, and the schema for each of its values. */
export function compareDiscriminators(record: Recorder, pair: Pair, a: View, b: View): void {
  const [was, is] = [a, b].map(({ nodes }) => nodes.find((one) => isPlain(nodeOf(one)['discriminator'])));
  const { direction, id } = pair.label;
  const at = (version: Version | undefined) => version && versionAt(version, 'discriminator');
  const [old, now] = [at(was), at(is)];
  const [named, names] = [nodeOf(old)['propertyName'], nodeOf(now)['propertyName']];
  if (named !== names) {
    const message = `discriminator of ${subjectOf(pair)}: ${named ?? 'none'} → ${names ?? 'none'}`;
    const verdict = named !== undefined ? 'breaking' : direction === 'request' ? 'risky' : 'safe';
    record.report(
      { ...keywordOf(pair, 'discriminator'), old, now },
      'discriminator',
      verdict,
      whatOf(old, now),
      message,
    );
    return;
  }
  const before = targetsOf(was);
  const find = (version: Version | undefined, $ref: string) =>
    resolved(version && { ...version, value: { $ref } })?.value;
  // A renamed component is the same target.
  const former = (target: string) =>
    [...before.values()].find(
      (one) => isGone(one, is) && isGone(target, was) && shapeOf(find(was, one)) === shapeOf(find(is, target)),
    );
  const after = new Map([...targetsOf(is)].map(([value, target]) => [value, former(target) ?? target]));
  for (const value of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before.get(value), after.get(value)];
    if (one === other) continue;
    const target = one ?? other;
    const valuesOf = (all: Map<string, string>) => [...all].flatMap(([key, to]) => (to === target ? [key] : []));
    const isListed = valuesOf(before).length === 0 || valuesOf(after).length === 0;
    // `compareAlternatives` reports added and removed alternatives.
    if (isListed && was && hasGroup(was)) continue;
    // Clients that know only the old values no longer find this schema.
    const isReplaced =
      !isListed &&
      (one === undefined || other === undefined) &&
      !valuesOf(before).some((key) => after.get(key) === target);
    if (isReplaced && one === undefined) continue;
    const what = isReplaced ? 'changed' : whatOf(one, other);
    const isRequest = direction === 'request';
    const verdicts = {
      added: isRequest ? 'safe' : 'risky',
      removed: isRequest ? 'breaking' : 'safe',
      changed: isReplaced ? 'breaking' : 'risky',
    } as const;
    const placeIn = (version: Version | undefined) => (version && versionAt(version, 'mapping', value)) ?? version;
    const label = { ...pair.label, id: `${id}:discriminator.${value}` };
    const both = { old: one && placeIn(old), now: other || isReplaced ? placeIn(now) : undefined, label } as Pair;
    const message = `discriminator value \`${value}\` of ${subjectOf(pair)}: ${one ?? 'none'} → ${other ?? 'none'}`;
    record.report(both, isReplaced ? 'discriminatorValue' : 'mapping', verdicts[what], what, message);
  }
}
