import { Refused } from '../calls/errors.js';
import { markOf } from '../secrets.js';
import { sealedUnder } from './key-material.js';
import type { SigningKeysOptions } from './signing-keys.js';

/** What still needs one of the secrets in KEY_SECRET, as an operator sees it. */
export interface SecretUse {
  /** Its place in KEY_SECRET, from 1, the newest. */
  secret: number;
  /** How many stored signing keys are sealed under it. */
  signingKeys: number;
  /** How many idempotency keys were made under it, and when the last of them is over; null where there is none. */
  idempotencyKeys: number;
  until: string | null;
}

/**
 * Counts what needs each secret. Cursors are kept nowhere, so they cannot be counted.
 * @throws Refused where there is no secret; Error for a stored key that none of them opens
 */
export async function secretUse({
  client,
  keySecrets,
  now = Date.now,
}: Pick<SigningKeysOptions, 'client' | 'keySecrets' | 'now'>): Promise<SecretUse[]> {
  if (keySecrets.length === 0) throw new Refused('KEY_SECRET is not set.');
  const places = (await client.signingKey.findMany()).map((key) => sealedUnder(key, keySecrets));
  // Prisma cannot group by a part of a value.
  const counted = await client.$queryRaw<{ mark: Uint8Array; count: bigint; until: Date }[]>`
    SELECT substring(fingerprint FROM 1 FOR 4) AS mark, count(*) AS count, max(expires_at) AS until FROM idempotency_keys
    WHERE expires_at > ${new Date(now())}::timestamptz OR work_id IS NOT NULL GROUP BY 1`;
  const marks = keySecrets.map(markOf);
  const placeOf = (mark: Uint8Array) => {
    const place = marks.findIndex((one) => one.equals(mark));
    // A record of before there were marks may need the oldest.
    return place < 0 ? marks.length - 1 : place;
  };
  return keySecrets.map((_, place) => {
    const made = counted.filter(({ mark }) => placeOf(mark) === place);
    const last = Math.max(...made.map(({ until }) => until.getTime()));
    return {
      secret: place + 1,
      signingKeys: places.filter((one) => one === place).length,
      idempotencyKeys: made.reduce((sum, { count }) => sum + Number(count), 0),
      until: made.length > 0 ? new Date(last).toISOString() : null,
    };
  });
}
