import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { KeyState, Prisma, SigningKey } from '../database/client.js';
import { derivedKey, type Secrets } from '../secrets.js';
import { ACCESS_TOKEN_LIFETIME, CLOCK_TOLERANCE } from '../sessions/access-tokens.js';

/** Bits of an RSA modulus; RFC 7518 §3.3 demands at least 2048. */
const MODULUS_BITS = 2048;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A signing key in memory. */
export interface SigningKeyPair {
  /** RFC 7638 thumbprint of the public key. */
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** As published in the JWKS (RFC 7517 §4). */
  publicJwk: JWK;
}

type StoredKey = Pick<SigningKey, 'kid' | 'privateKey' | 'encrypted'>;

/** Makes an RS256 key pair. */
export async function generateSigningKey(): Promise<SigningKeyPair> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: MODULUS_BITS, extractable: true });
  return fromPrivateKey(createPrivateKey({ key: await exportJWK(privateKey), format: 'jwk' }));
}

async function fromPrivateKey(privateKey: KeyObject): Promise<SigningKeyPair> {
  const publicKey = createPublicKey(privateKey);
  const { kty, n, e } = publicKey.export({ format: 'jwk' }) as { kty: string; n: string; e: string };
  const kid = await calculateJwkThumbprint({ kty, n, e });
  return { kid, privateKey, publicKey, publicJwk: { kty, kid, use: 'sig', alg: 'RS256', n, e } };
}

/**
 * Returns the stored form of a key: PKCS #8 in DER, under AES-256-GCM if there is a secret.
 * @param secrets KEY_SECRET, of which the first encrypts; without one, outside production, the key stays in clear
 */
export function sealKey({ kid, privateKey: key }: SigningKeyPair, [secret]: Secrets) {
  const der = key.export({ format: 'der', type: 'pkcs8' });
  if (secret === undefined) return { kid, privateKey: new Uint8Array(der), encrypted: false };
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', wrappingKey(secret), iv).setAAD(Buffer.from(kid));
  const sealed = Buffer.concat([iv, cipher.update(der), cipher.final(), cipher.getAuthTag()]);
  return { kid, privateKey: new Uint8Array(sealed), encrypted: true };
}

/** Reads a stored key. @throws Error if it is encrypted and none of the secrets opens it */
export async function openKey(stored: StoredKey, secrets: Secrets): Promise<SigningKeyPair> {
  const { der } = opened(stored, secrets);
  return fromPrivateKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/**
 * Returns the place of the secret that encrypts a key; undefined for a key in clear.
 * @throws Error if the key is encrypted and none of the secrets opens it
 */
export const sealedUnder = (stored: StoredKey, secrets: Secrets): number | undefined => opened(stored, secrets).place;

function opened({ kid, privateKey, encrypted }: StoredKey, secrets: Secrets): { der: Buffer; place?: number } {
  const bytes = Buffer.from(privateKey);
  if (!encrypted) return { der: bytes };
  if (secrets.length === 0) throw new Error(`The signing key ${kid} is encrypted: set KEY_SECRET.`);
  for (const [place, secret] of secrets.entries()) {
    const der = decrypt(kid, bytes, secret);
    if (der) return { der, place };
  }
  throw new Error(
    `The signing key ${kid} was encrypted under another KEY_SECRET than is set. To change it, keep the old one behind the ` +
      'new one: KEY_SECRET=new,old',
  );
}

function decrypt(kid: string, sealed: Buffer, secret: string): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', wrappingKey(secret), sealed.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(kid))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

const wrappingKey = (secret: string) => derivedKey(secret, 'accord signing keys');

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
