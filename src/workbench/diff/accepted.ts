import type { OpenApiSource } from '../model/openapi-source.js';

/** A break that was reviewed: `x-accepted-breaks` in the root of openapi.yaml lists them. */
interface Acceptance {
  change: string;
  reason: string;
}

/** The acceptances that a contract states. What has no id or no reason is none. */
function acceptancesIn({ written }: OpenApiSource): Acceptance[] {
  const list = written['x-accepted-breaks'];
  return (Array.isArray(list) ? list : []).flatMap((one: Partial<Acceptance> | null): Acceptance[] => {
    const { change, reason } = one ?? {};
    if (typeof change !== 'string' || typeof reason !== 'string' || reason.trim() === '') return [];
    return [{ change, reason: reason.trim() }];
  });
}

/**
 * The acceptances of the new contract that count, and those that are stale. One counts for the change it comes with: one
 * that stood in the old contract already was for an earlier change, and must not let the same break through again.
 */
export function acceptances(before: OpenApiSource, after: OpenApiSource, breaks: readonly string[]) {
  const old = new Set(acceptancesIn(before).map(({ change }) => change));
  const all = acceptancesIn(after);
  const counts = ({ change }: Acceptance) => !old.has(change) && breaks.includes(change);
  const reasons = new Map(all.filter(counts).map(({ change, reason }) => [change, reason]));
  const stale = all.filter((one) => !counts(one)).map(({ change }) => change);
  return { reasons, stale };
}
