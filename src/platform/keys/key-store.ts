import type { KeyState, Prisma, SigningKey } from '../database/client.js';
import { ACCESS_TOKEN_LIFETIME, CLOCK_TOLERANCE } from '../sessions/access-tokens.js';

/** The signal that the stored keys have changed. It belongs to the database, whichever application uses it (`namesOf`). */
export const KEY_CHANNEL = 'accord_keys';
/** Names the advisory lock on the set of keys. */
const KEY_LOCK = 0x41434b59;
/** Milliseconds that a key verifies after its last signature. */
const OUTLIVES = (ACCESS_TOKEN_LIFETIME + CLOCK_TOLERANCE) * 1000;

/** The columns that decide the state of a key. */
type KeyTimes = Pick<SigningKey, 'kid' | 'signsFrom'>;

export interface PresentKey<Key extends KeyTimes> {
  key: Key;
  state: KeyState;
  /** When its successor takes over; null while none is known. */
  retiredAt: Date | null;
}

/**
 * Returns the keys with their states, oldest first, without those whose last token has expired. Time alone moves a key from next to
 * current to retired, so all instances switch at once without a signal.
 * @param now milliseconds since the epoch
 */
export function keysAt<Key extends KeyTimes>(keys: readonly Key[], now: number): PresentKey<Key>[] {
  const ordered = [...keys].sort((a, b) => a.signsFrom.getTime() - b.signsFrom.getTime());
  // The first key signs even if the clock of this instance is behind that of the one that made it.
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

/** Returns when time changes the state of a key next, in milliseconds since the epoch; infinite for never. */
export const nextChange = (keys: readonly KeyTimes[], now: number): number =>
  Math.min(
    ...keys.map(({ signsFrom }) => signsFrom.getTime()).filter((at) => at > now),
    ...keysAt(keys, now).map(({ retiredAt }) => verifiesUntil(retiredAt)),
  );

/** Returns until when a key verifies, in milliseconds since the epoch; infinite while it has no successor. */
export const verifiesUntil = (retiredAt: Date | null): number =>
  retiredAt === null ? Number.POSITIVE_INFINITY : retiredAt.getTime() + OUTLIVES;

/** Locks the set of keys before one is added or removed. Prisma has no advisory locks. */
export async function lockKeys(db: Prisma.TransactionClient): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${KEY_LOCK}::bigint)`;
}

/**
 * Stores the states that time has brought, and deletes the keys whose last token has expired. Mostly it has nothing to write.
 * @param now milliseconds since the epoch
 * @returns the rows that are left, oldest first
 */
export async function settleKeys(db: Prisma.TransactionClient, now: number): Promise<SigningKey[]> {
  const stored = await db.signingKey.findMany();
  const present = keysAt(stored, now);
  const gone = stored.filter((row) => present.every(({ key }) => key !== row)).map(({ kid }) => kid);
  if (gone.length > 0) await db.signingKey.deleteMany({ where: { kid: { in: gone } } });
  const rows: SigningKey[] = [];
  for (const { key, state, retiredAt } of present) {
    const data = { state, retiredAt: state === 'RETIRED' ? retiredAt : null };
    if (key.state !== state) await db.signingKey.updateMany({ where: { kid: key.kid }, data });
    rows.push({ ...key, ...data });
  }
  return rows;
}
