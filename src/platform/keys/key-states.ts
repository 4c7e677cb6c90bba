import type { KeyState } from '../database/client.js';
import { ACCESS_TOKEN_LIFETIME, CLOCK_TOLERANCE } from '../sessions/access-tokens.js';

/**
 * Milliseconds between the publication of a key and its first signature: the `max-age` of the key set (300 s), so that
 * a verifier that keeps it that long knows the key in time, and ten more until every instance has published it.
 */
export const PUBLISHED_AHEAD = 310_000;
/** Milliseconds that a key verifies after its last signature. */
const OUTLIVES = (ACCESS_TOKEN_LIFETIME + CLOCK_TOLERANCE) * 1000;

/** What decides a key's state. */
interface KeyTimes {
  kid: string;
  signsFrom: Date;
}

export interface PresentKey<Key extends KeyTimes> {
  key: Key;
  state: KeyState;
  /** When its successor takes over; null while none is known. */
  retiredAt: Date | null;
}

/**
 * The keys as they stand at a moment, oldest first. Time alone moves a key from next to current to retired, so all
 * instances switch at once without a word between them; what the last token of a key has outlived is left out.
 * @param now milliseconds since the epoch
 */
export function keysAt<Key extends KeyTimes>(keys: readonly Key[], now: number): PresentKey<Key>[] {
  const ordered = [...keys].sort((a, b) => a.signsFrom.getTime() - b.signsFrom.getTime());
  // The first key signs though this instance's clock be behind that of the one that made it.
  const current = Math.max(
    0,
    ordered.findLastIndex(({ signsFrom }) => signsFrom.getTime() <= now),
  );
  return ordered
    .map((key, place) => ({
      key,
      state: place < current ? ('RETIRED' as const) : place === current ? ('CURRENT' as const) : ('NEXT' as const),
      retiredAt: ordered[place + 1]?.signsFrom ?? null,
    }))
    .filter(({ state, retiredAt }) => state !== 'RETIRED' || verifiesUntil(retiredAt) > now);
}

/** When time changes the state of a key next, in milliseconds since the epoch; never is infinite. */
export const nextChange = (keys: readonly KeyTimes[], now: number): number =>
  Math.min(
    ...keys.map(({ signsFrom }) => signsFrom.getTime()).filter((at) => at > now),
    ...keysAt(keys, now).map(({ retiredAt }) => verifiesUntil(retiredAt)),
  );

/** Milliseconds since the epoch, until which a key verifies; no end while it has no successor. */
export const verifiesUntil = (retiredAt: Date | null): number =>
  retiredAt === null ? Number.POSITIVE_INFINITY : retiredAt.getTime() + OUTLIVES;
