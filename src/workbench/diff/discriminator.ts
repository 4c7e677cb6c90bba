import { isPlain } from '@accord-api/platform/contract/references';
import { hasGroup, targetsOf } from '../model/discriminator.js';
import { isGone, nodeOf, resolved, shapeOf, type Version, versionAt } from '../model/openapi-node.js';
import type { View } from '../model/schema-view.js';
import { whatOf } from './change.js';
import { keywordOf, type Pair, subjectOf } from './pair.js';
import type { Recorder } from './recorder.js';

/** Compares by which property, and by which of its values, clients tell alternatives apart. */
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
  // A component that only has a new name is the same target.
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
    // An alternative that comes or goes is reported as an alternative.
    if (isListed && was && hasGroup(was)) continue;
    // A schema that is selected by other values only is lost for clients that know the old ones.
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
