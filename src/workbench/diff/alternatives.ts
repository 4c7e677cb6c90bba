import { isPlain } from '@accord-api/platform/contract/document';
import {
  canonical,
  hasGroup,
  isGone,
  nodeOf,
  referenceOf,
  resolved,
  targetsOf,
  type Version,
  versionAt,
} from '../model/openapi-node.js';
import { type AlternativeGroup, constantsOf, labelOf, type View, viewOf } from '../model/schema-view.js';
import { judge, keywordOf, type Pair, subjectOf, whatOf } from './change.js';
import type { Recorder } from './recorder.js';

const typesOf = (version: Version): string => [...(viewOf(version).types ?? [])].sort().join();

/** Pairs alternatives by equality, constants, names, or types, and compares each pair. */
export function compareAlternatives(
  record: Recorder,
  compare: (pair: Pair) => void,
  pair: Pair,
  [before, after]: [Version[], Version[]],
  kind: AlternativeGroup['kind'] = 'oneOf',
): void {
  let [removed, added] = [before, after];
  const labelFor = (version: Version) => ({ ...pair.label, id: `${pair.label.id}:${kind}.${labelOf(version)}` });
  const match = (isMatch: (a: Version, b: Version) => boolean) => {
    for (const old of removed) {
      const now = added.find((version) => isMatch(old, version));
      if (now === undefined) continue;
      removed = removed.filter((version) => version !== old);
      added = added.filter((version) => version !== now);
      compare({ old, now, label: labelFor(now) });
    }
  };
  match((a, b) => canonical(a.value) === canonical(b.value));
  match((a, b) => canonical(resolved(a)?.value) === canonical(resolved(b)?.value));
  match((a, b) => constantsOf(a) !== '' && constantsOf(a) === constantsOf(b));
  match((a, b) => labelOf(a) === labelOf(b) && constantsOf(a) === constantsOf(b));
  const isOneLeft = removed.length === 1 && (added.length === 1 || before.length === 1);
  if (isOneLeft) match((a, b) => typesOf(a) === typesOf(b) && !(referenceOf(a) && referenceOf(b)));
  for (const version of [...removed, ...added]) {
    const isNew = added.includes(version);
    const message = `alternative \`${labelOf(version)}\` of ${subjectOf(pair)} is ${isNew ? 'new' : 'gone'}`;
    const verdict = judge(pair.label.direction, isNew ? 'wider' : 'narrower');
    const part = { old: isNew ? undefined : version, now: isNew ? version : undefined, label: labelFor(version) };
    record.report(part, 'alternative', verdict, isNew ? 'added' : 'removed', message);
  }
}

/** Compares `anyOf` with `oneOf`: the latter rejects a value that matches two alternatives. */
export function compareExclusivity(record: Recorder, pair: Pair, old: AlternativeGroup, now: AlternativeGroup): void {
  const types = now.alternatives.map(typesOf);
  const isDisjoint = new Set(types).size === types.length && !types.includes('');
  if (old.kind === now.kind || isDisjoint) return;
  const isOne = now.kind === 'oneOf';
  const message = `${subjectOf(pair)} matches ${isOne ? 'exactly one of its alternatives now, before any' : 'any of its alternatives now, before exactly one'}`;
  const verdict = judge(pair.label.direction, isOne ? 'narrower' : 'wider');
  const part = { ...keywordOf(pair, 'exclusive'), old: old.at, now: now.at };
  record.report(part, 'exclusive', verdict, isOne ? 'added' : 'removed', message);
}

/** Compares discriminators: the property, and the schema for each of its values. */
export function compareDiscriminators(record: Recorder, pair: Pair, a: View, b: View): void {
  const [was, is] = [a, b].map(({ nodes }) => nodes.find((node) => isPlain(nodeOf(node)['discriminator'])));
  const { direction, id } = pair.label;
  const at = (version: Version | undefined) => version && versionAt(version, 'discriminator');
  const [old, now] = [at(was), at(is)];
  const [oldName, newName] = [nodeOf(old)['propertyName'], nodeOf(now)['propertyName']];
  if (oldName !== newName) {
    const message = `discriminator of ${subjectOf(pair)}: ${oldName ?? 'none'} → ${newName ?? 'none'}`;
    const verdict = oldName !== undefined ? 'breaking' : direction === 'request' ? 'risky' : 'safe';
    const part = { ...keywordOf(pair, 'discriminator'), old, now };
    record.report(part, 'discriminator', verdict, whatOf(old, now), message);
    return;
  }
  const before = targetsOf(was);
  const resolve = (version: Version | undefined, $ref: string) =>
    resolved(version && { ...version, value: { $ref } })?.value;
  // A renamed component is the same target.
  const formerTarget = (target: string) =>
    [...before.values()].find(
      (former) =>
        isGone(former, is) && isGone(target, was) && canonical(resolve(was, former)) === canonical(resolve(is, target)),
    );
  const after = new Map([...targetsOf(is)].map(([value, target]) => [value, formerTarget(target) ?? target]));
  for (const value of new Set([...before.keys(), ...after.keys()])) {
    const [oldRef, newRef] = [before.get(value), after.get(value)];
    if (oldRef === newRef) continue;
    const target = oldRef ?? newRef;
    const valuesOf = (all: Map<string, string>) => [...all].flatMap(([key, to]) => (to === target ? [key] : []));
    const isListed = valuesOf(before).length === 0 || valuesOf(after).length === 0;
    // `compareAlternatives` reports added and removed alternatives.
    if (isListed && was && hasGroup(was)) continue;
    // Clients that know only the old values no longer find this schema.
    const isReplaced =
      !isListed &&
      (oldRef === undefined || newRef === undefined) &&
      !valuesOf(before).some((key) => after.get(key) === target);
    if (isReplaced && oldRef === undefined) continue;
    const what = isReplaced ? 'changed' : whatOf(oldRef, newRef);
    const isRequest = direction === 'request';
    const verdicts = {
      added: isRequest ? 'safe' : 'risky',
      removed: isRequest ? 'breaking' : 'safe',
      changed: isReplaced ? 'breaking' : 'risky',
    } as const;
    const placeIn = (version: Version | undefined) => (version && versionAt(version, 'mapping', value)) ?? version;
    const label = { ...pair.label, id: `${id}:discriminator.${value}` };
    const both = { old: oldRef && placeIn(old), now: newRef || isReplaced ? placeIn(now) : undefined, label } as Pair;
    const message = `discriminator value \`${value}\` of ${subjectOf(pair)}: ${oldRef ?? 'none'} → ${newRef ?? 'none'}`;
    record.report(both, isReplaced ? 'discriminatorValue' : 'mapping', verdicts[what], what, message);
  }
}
