/** The signing keys of access tokens: their stored form, their states by time, and the keys that this process uses. @module */

import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { listeners } from '../../../core/calls/schedulers.js';
import { derivedKey, type Secrets } from '../../../core/secrets.js';
import type { KeyState, Prisma, SigningKey } from '../../../database/client.js';
import { retryWhileUnavailable } from '../../../database/faults.js';
import type { Database } from '../../../database/open.js';
import { refresher } from '../schedulers.js';
import { ACCESS_TOKEN_LIFETIME_S, CLOCK_TOLERANCE_S, type KeySource } from '../sessions/session-tokens.js';

/** RFC 7518 §3.3 requires at least 2048. */
const MODULUS_BITS = 2048;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface SigningKeyPair {
  /** The thumbprint of the public key (RFC 7638). */
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** The published form (RFC 7517 §4). */
  publicJwk: JWK;
}

type StoredKey = Pick<SigningKey, 'kid' | 'privateKey' | 'encrypted'>;

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

/** Returns the stored form of a key: PKCS #8 in DER, under AES-256-GCM if there is a secret. */
export function encryptKey({ kid, privateKey: key }: SigningKeyPair, [secret]: Secrets) {
  const der = key.export({ format: 'der', type: 'pkcs8' });
  if (secret === undefined) return { kid, privateKey: new Uint8Array(der), encrypted: false };
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', wrappingKey(secret), iv).setAAD(Buffer.from(kid));
  const sealed = Buffer.concat([iv, cipher.update(der), cipher.final(), cipher.getAuthTag()]);
  return { kid, privateKey: new Uint8Array(sealed), encrypted: true };
}

/** @throws Error if none of the secrets decrypts the key */
export async function decryptKey(stored: StoredKey, secrets: Secrets): Promise<SigningKeyPair> {
  const { der } = decryptWithAny(stored, secrets);
  return fromPrivateKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** Returns the index of the encrypting secret; undefined for an unencrypted key. */
export const encryptingSecret = (stored: StoredKey, secrets: Secrets): number | undefined =>
  decryptWithAny(stored, secrets).place;

function decryptWithAny({ kid, privateKey, encrypted }: StoredKey, secrets: Secrets): { der: Buffer; place?: number } {
  const bytes = Buffer.from(privateKey);
  if (!encrypted) return { der: bytes };
  if (secrets.length === 0) throw new Error(`The signing key ${kid} is encrypted: set KEY_SECRET.`);
  for (const [place, secret] of secrets.entries()) {
    const der = decrypt(kid, bytes, secret);
    if (der) return { der, place };
  }
  throw new Error(
    `The signing key ${kid} was encrypted under another KEY_SECRET. To change the secret, list the old one after the ` +
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

/** Belongs to the database, for all applications that use it (`namesOf`). */
export const KEY_CHANNEL = 'accord_keys';
/** The advisory lock on the set of keys. */
const KEY_LOCK = 0x41434b59;
/** Milliseconds for which a key verifies after its last signature. */
const VERIFICATION_MS = (ACCESS_TOKEN_LIFETIME_S + CLOCK_TOLERANCE_S) * 1000;

type KeyTimes = Pick<SigningKey, 'kid' | 'signsFrom'>;

interface KeyWithState<Key extends KeyTimes> {
  key: Key;
  state: KeyState;
  /** Null without a successor. */
  retiredAt: Date | null;
}

/** Returns the keys with their states, oldest first. States depend only on the time, so all instances agree. */
export function keysAt<Key extends KeyTimes>(keys: readonly Key[], now: number): KeyWithState<Key>[] {
  const ordered = [...keys].sort((a, b) => a.signsFrom.getTime() - b.signsFrom.getTime());
  // The first key signs even if the clock of this instance is behind.
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

/** Returns the next change of a state, in milliseconds since the epoch, or infinity. */
const nextChange = (keys: readonly KeyTimes[], now: number): number =>
  Math.min(
    ...keys.map(({ signsFrom }) => signsFrom.getTime()).filter((at) => at > now),
    ...keysAt(keys, now).map(({ retiredAt }) => verifiesUntil(retiredAt)),
  );

/** Returns the end of verification, in milliseconds since the epoch, or infinity. */
export const verifiesUntil = (retiredAt: Date | null): number =>
  retiredAt === null ? Number.POSITIVE_INFINITY : retiredAt.getTime() + VERIFICATION_MS;

/** Locks the set of keys before a change. Prisma has no advisory locks. */
export async function lockKeys(db: Prisma.TransactionClient): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${KEY_LOCK}::bigint)`;
}

/** Stores changed states, and deletes expired keys. Usually writes nothing. @returns the remaining rows */
export async function updateKeyStates(db: Prisma.TransactionClient, now: number): Promise<SigningKey[]> {
  const stored = await db.signingKey.findMany();
  const present = keysAt(stored, now);
  const expiredKids = stored.filter((row) => present.every(({ key }) => key !== row)).map(({ kid }) => kid);
  if (expiredKids.length > 0) await db.signingKey.deleteMany({ where: { kid: { in: expiredKids } } });
  const rows: SigningKey[] = [];
  for (const { key, state, retiredAt } of present) {
    const data = { state, retiredAt: state === 'RETIRED' ? retiredAt : null };
    if (key.state !== state) await db.signingKey.updateMany({ where: { kid: key.kid }, data });
    rows.push({ ...key, ...data });
  }
  return rows;
}

interface SigningKeysOptions extends Pick<Database, 'client' | 'listen'> {
  algorithm: 'RS256' | 'HS256';
  /** HS256 only. */
  jwtSecret: Secrets | undefined;
  /** Encrypt the stored keys. Empty outside production only. */
  keySecrets: Secrets;
  now: () => number;
  /** Receives errors of reading and decrypting keys. Known keys stay in use. */
  onFault: (error: unknown) => void;
}

export type StoredKeysOptions = Pick<SigningKeysOptions, 'client' | 'algorithm' | 'keySecrets' | 'now'>;

export interface SigningKeys extends KeySource {
  jwks: () => { keys: JWK[] };
  /** Calls `listener` with the ids of removed keys. Returns a function that removes the listener. */
  onRemoved: (listener: (kids: ReadonlySet<string>) => void) => () => void;
  read: () => Promise<void>;
  /** Stores changed states. @returns the time of the next change, in milliseconds since the epoch */
  updateStates: () => Promise<number>;
  close: () => void;
}

/** Returns the signing keys of all instances. Creates the first one. */
export async function signingKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  return options.algorithm === 'HS256' ? symmetric(options) : asymmetric(options);
}

function symmetric({ jwtSecret = [] }: SigningKeysOptions): SigningKeys {
  const [key = new Uint8Array(), ...olderKeys] = jwtSecret.map((secret) => new TextEncoder().encode(secret));
  return {
    algorithm: 'HS256',
    signingKey: () => ({ kid: undefined, key }),
    verificationKey: (kid) => (kid === undefined ? key : undefined),
    olderKeys,
    jwks: () => ({ keys: [] }),
    onRemoved: () => () => {},
    read: async () => {},
    updateStates: async () => Number.POSITIVE_INFINITY,
    close: () => {},
  };
}

type Ring = (SigningKeyPair & Pick<SigningKey, 'signsFrom'>)[];

async function asymmetric(options: SigningKeysOptions): Promise<SigningKeys> {
  const { client, keySecrets, listen, now, onFault } = options;
  const decrypt = async (row: SigningKey) => ({ ...(await decryptKey(row, keySecrets)), signsFrom: row.signsFrom });
  const removals = listeners<ReadonlySet<string>>();
  let ring: Ring = await Promise.all((await retryWhileUnavailable(() => initialRows(options))).map(decrypt));

  /** Reads the stored keys, without those that cannot be decrypted. */
  async function read(): Promise<void> {
    const opened = await Promise.allSettled((await updateKeyStates(client, now())).map(decrypt));
    for (const result of opened) if (result.status === 'rejected') onFault(result.reason);
    const usable = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    if (usable.length > 0) replace(usable);
  }

  function replace(usable: Ring): void {
    const removed = new Set(ring.map(({ kid }) => kid));
    for (const { kid } of usable) removed.delete(kid);
    ring = usable;
    if (removed.size > 0) removals.emit(removed);
  }

  const refresh = refresher(read, onFault);
  await listen(KEY_CHANNEL, refresh.request, refresh.request);

  /** Recomputed after a read, at a change of a state, and after the clock was set back. */
  let cached = { of: ring, from: Number.POSITIVE_INFINITY, until: 0, keys: [] as KeyWithState<Ring[number]>[] };
  function keysNow(): KeyWithState<Ring[number]>[] {
    const at = now();
    if (cached.of !== ring || at < cached.from || at >= cached.until) {
      cached = { of: ring, from: at, until: nextChange(ring, at), keys: keysAt(ring, at) };
    }
    return cached.keys;
  }
  return {
    algorithm: 'RS256',
    signingKey() {
      const { key } = keysNow().find(({ state }) => state === 'CURRENT') as KeyWithState<Ring[number]>;
      return { kid: key.kid, key: key.privateKey };
    },
    verificationKey: (kid) => keysNow().find(({ key }) => key.kid === kid)?.key.publicKey,
    jwks: () => ({ keys: keysNow().map(({ key }) => key.publicJwk) }),
    onRemoved: removals.add,
    read: refresh.read,
    async updateStates() {
      await refresh.read();
      return nextChange(ring, now());
    },
    close: refresh.close,
  };
}

/** Encrypts stored keys under the newest secret, or creates the first key, once for all instances. */
async function initialRows({ client, keySecrets, now }: SigningKeysOptions): Promise<SigningKey[]> {
  const isEncrypted = (row: SigningKey) => keySecrets.length === 0 || encryptingSecret(row, keySecrets) === 0;
  const stored = await updateKeyStates(client, now());
  if (stored.length > 0 && stored.every(isEncrypted)) return stored;
  // Generated here, because finding two primes may take longer than a transaction.
  const first = stored.length === 0 ? await generateSigningKey() : undefined;
  return client.$transaction(async (db) => {
    await lockKeys(db);
    const rows = await updateKeyStates(db, now());
    for (const row of rows.filter((row) => !isEncrypted(row))) {
      const { kid, ...data } = encryptKey(await decryptKey(row, keySecrets), keySecrets);
      await db.signingKey.update({ where: { kid }, data, select: { kid: true } });
    }
    if (rows.length > 0) return rows;
    const data = { ...encryptKey(first ?? (await generateSigningKey()), keySecrets), state: 'CURRENT' as const };
    return [await db.signingKey.create({ data: { ...data, signsFrom: new Date(now()) } })];
  });
}
