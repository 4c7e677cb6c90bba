import type { Change } from './change.js';

/** How alike two names are: the share of the pairs of letters that both have (Dice), from 0 to 1. */
function alike(a: string, b: string): number {
  const pairs = (name: string) => {
    const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
    return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)));
  };
  const [one, other] = [pairs(a), pairs(b)];
  const shared = [...one].filter((pair) => other.has(pair)).length;
  return one.size + other.size === 0 ? 0 : (2 * shared) / (one.size + other.size);
}

/** Names that have nothing in common are two things, unless they stand at the same place. */
const ALIKE = 0.4;

function candidate(gone: Change, added: readonly Change[]): Change | undefined {
  const { likeness } = gone;
  if (likeness === undefined) return undefined;
  const score = ({ likeness: other }: Change) =>
    (other?.position === likeness.position ? 1 : 0) + alike(likeness.name, other?.name ?? '');
  return added
    .filter(({ side, what, likeness: other }) => {
      const same = side === gone.side && what === 'added' && other !== undefined;
      return same && other.parent === likeness.parent && other.shape === likeness.shape;
    })
    .filter((one) => score(one) >= ALIKE)
    .sort((a, b) => score(b) - score(a))[0];
}

/**
 * Tells as one change what was removed and added in one place with the same shape: it was probably renamed. The id stays
 * that of the removal.
 */
export function foldRenames(changes: readonly Change[]): Change[] {
  const added = changes.filter(({ what }) => what === 'added');
  const renamed = new Map<Change, Change>();
  for (const gone of changes.filter(({ what, verdict }) => what === 'removed' && verdict !== 'safe')) {
    const found = candidate(
      gone,
      added.filter((one) => ![...renamed.values()].includes(one)),
    );
    if (found !== undefined) renamed.set(gone, found);
  }
  const folded = new Set(renamed.values());
  return changes
    .filter((change) => !folded.has(change))
    .map((change) => {
      const to = renamed.get(change);
      if (to === undefined) return change;
      const [was = '', is = ''] = [change.likeness?.name, to.likeness?.name];
      const advice = `Keep \`${was}\`, add \`${is}\` beside it, and mark \`${was}\` deprecated.`;
      return {
        ...change,
        verdict: change.likeness?.verdict ?? change.verdict,
        message: `${change.message}; probably renamed \`${was}\` → \`${is}\` (line ${to.place.line})`,
        place: to.place,
        lines: { ...change.lines, ...to.lines },
        advice,
      };
    });
}
