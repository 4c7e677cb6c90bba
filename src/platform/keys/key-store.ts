import type { Prisma, PrismaClient, SigningKey } from '../database/client.js';
import type { Secrets } from '../secrets.js';
import { openKey, type SigningKeyPair, sealedUnder, sealKey } from './key-material.js';
import { keysAt } from './key-states.js';

/** The signal that the stored keys have changed: of the database that has them, whichever application is on it (`namesOf`). */
export const KEY_CHANNEL = 'accord_keys';
/** Names the advisory lock on the set of keys. */
const KEY_LOCK = 0x41434b59;

/** Locks the set of keys before one is added or removed. Prisma has no word for advisory locks. */
export async function lockKeys(db: Prisma.TransactionClient): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${KEY_LOCK}::bigint)`;
}

/** A row's columns, the private key encrypted where there is a secret. */
export function storedForm(pair: SigningKeyPair, secrets: Secrets) {
  const { privateKey, encrypted } = sealKey(pair, secrets);
  return { kid: pair.kid, privateKey: new Uint8Array(privateKey), encrypted };
}

/**
 * Whether a row is sealed as it is to be.
 * @throws Error for a key that none of the secrets opens
 */
export const isSealed = (row: SigningKey, secrets: Secrets): boolean =>
  secrets.length === 0 || sealedUnder(row, secrets) === 0;

/**
 * Seals anew under the first secret what is in clear or under an older one.
 * @throws Error for a key that none of the secrets opens
 */
export async function resealKeys(
  db: Prisma.TransactionClient,
  rows: readonly SigningKey[],
  secrets: Secrets,
): Promise<void> {
  for (const row of rows) {
    if (isSealed(row, secrets)) continue;
    const { kid, ...data } = storedForm(await openKey(row, secrets), secrets);
    await db.signingKey.update({ where: { kid }, data, select: { kid: true } });
  }
}

/**
 * The rows, oldest first, where what is written of them is what time has made of them; undefined where `settleKeys` has something
 * to write.
 * @param now milliseconds since the epoch
 */
export async function settledKeys(client: PrismaClient, now: number): Promise<SigningKey[] | undefined> {
  const stored = await client.signingKey.findMany();
  const present = keysAt(stored, now);
  const isSettled = present.length === stored.length && present.every(({ key, state }) => key.state === state);
  return isSettled ? present.map(({ key }) => key) : undefined;
}

/**
 * Writes down the states that time has brought, and removes the keys whose last token has expired.
 * @param now milliseconds since the epoch
 * @returns the rows that are left, oldest first
 */
export async function settleKeys(db: Prisma.TransactionClient, now: number): Promise<SigningKey[]> {
  const stored = await db.signingKey.findMany();
  const present = keysAt(stored, now);
  const kept = new Set(present.map(({ key }) => key.kid));
  const gone = stored.map(({ kid }) => kid).filter((kid) => !kept.has(kid));
  if (gone.length > 0) await db.signingKey.deleteMany({ where: { kid: { in: gone } } });
  const rows = present.map(({ key, state, retiredAt }) => ({
    ...key,
    state,
    retiredAt: state === 'RETIRED' ? retiredAt : null,
  }));
  for (const { kid, state, retiredAt } of rows) {
    const before = stored.find((one) => one.kid === kid);
    if (before?.state !== state) await db.signingKey.updateMany({ where: { kid }, data: { state, retiredAt } });
  }
  return rows;
}
