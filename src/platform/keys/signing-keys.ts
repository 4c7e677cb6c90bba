import { listeners } from '../calls/listeners.js';
import type { PrismaClient, SigningKey } from '../database/client.js';
import type { Database } from '../database/open.js';
import { patiently } from '../database/patience.js';
import type { Secrets } from '../secrets.js';
import type { KeySource } from '../sessions/access-tokens.js';
import { refresher } from '../sessions/refresher.js';
import { generateSigningKey, type JWK, openKey, type SigningKeyPair } from './key-material.js';
import { keysAt, nextChange, type PresentKey } from './key-states.js';
import { isSealed, KEY_CHANNEL, lockKeys, resealKeys, settledKeys, settleKeys, storedForm } from './key-store.js';

export interface SigningKeysOptions {
  client: PrismaClient;
  algorithm: 'RS256' | 'HS256';
  /** HS256 only. */
  jwtSecret: string | undefined;
  /** Encrypt stored keys; none outside production only. */
  keySecrets: Secrets;
  /** Hears of rotations; left out where there is nobody to hear. */
  listen?: Database['listen'] | undefined;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Told when the keys could not be read, or one of them not opened; those known so far stay in use. */
  onFault?: (error: unknown) => void;
}

/** What is needed to administer them. */
export type StoredKeysOptions = Pick<SigningKeysOptions, 'client' | 'algorithm' | 'jwtSecret' | 'keySecrets' | 'now'>;

export interface SigningKeys extends KeySource {
  jwks: () => { keys: JWK[] };
  /**
   * Tells which keys are gone, as soon as this instance knows.
   * @returns ends the telling
   */
  onRemoved: (listener: (kids: ReadonlySet<string>) => void) => () => void;
  /** Reads the stored keys anew. */
  read: () => Promise<void>;
  /**
   * Writes down what time has made of the keys, so that a private key does not outlive its use.
   * @returns when that is to be done next, in milliseconds since the epoch
   */
  settle: () => Promise<number>;
  close: () => void;
}

/** The signing keys, shared by all instances through the database. Makes the first one. */
export async function signingKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  return options.algorithm === 'HS256' ? symmetric(options) : asymmetric(options);
}

function symmetric({ jwtSecret }: SigningKeysOptions): SigningKeys {
  const key = new TextEncoder().encode(jwtSecret);
  return {
    algorithm: 'HS256',
    signing: () => ({ kid: undefined, key }),
    verifying: (kid) => (kid === undefined ? key : undefined),
    jwks: () => ({ keys: [] }),
    onRemoved: () => () => {},
    read: async () => {},
    settle: async () => Number.POSITIVE_INFINITY,
    close: () => {},
  };
}

type Ring = (SigningKeyPair & Pick<SigningKey, 'signsFrom'>)[];

async function asymmetric(options: SigningKeysOptions): Promise<SigningKeys> {
  const { client, keySecrets, listen, now = Date.now, onFault = () => {} } = options;
  const open = async (row: SigningKey) => ({ ...(await openKey(row, keySecrets)), signsFrom: row.signsFrom });
  const removals = listeners<ReadonlySet<string>>();
  let ring: Ring = await Promise.all((await patiently(() => firstRows(options, now))).map(open));

  /** A key that cannot be opened is left out, and told of: the others go on. */
  async function read(): Promise<void> {
    const rows = (await settledKeys(client, now())) ?? (await client.$transaction((db) => settleKeys(db, now())));
    const opened = await Promise.allSettled(rows.map(open));
    for (const one of opened) if (one.status === 'rejected') onFault(one.reason);
    const usable = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (usable.length > 0) replace(usable);
  }

  function replace(usable: Ring): void {
    const removed = new Set(ring.map(({ kid }) => kid));
    for (const { kid } of usable) removed.delete(kid);
    ring = usable;
    if (removed.size > 0) removals.tell(removed);
  }

  const refresh = refresher(read, onFault);
  await listen?.(KEY_CHANNEL, refresh.request, refresh.request);

  /** As the keys stand: worked out anew when they were read anew, when time changes them, and where the clock was set back. */
  let known = { of: ring, from: Number.POSITIVE_INFINITY, until: 0, keys: [] as PresentKey<Ring[number]>[] };
  function present(): PresentKey<Ring[number]>[] {
    const at = now();
    if (known.of !== ring || at < known.from || at >= known.until) {
      known = { of: ring, from: at, until: nextChange(ring, at), keys: keysAt(ring, at) };
    }
    return known.keys;
  }
  return {
    algorithm: 'RS256',
    signing() {
      const { key } = present().find(({ state }) => state === 'CURRENT') as PresentKey<Ring[number]>;
      return { kid: key.kid, key: key.privateKey };
    },
    verifying: (kid) => present().find(({ key }) => key.kid === kid)?.key.publicKey,
    jwks: () => ({ keys: present().map(({ key }) => key.publicJwk) }),
    onRemoved: removals.add,
    read: refresh.read,
    async settle() {
      await refresh.read();
      return nextChange(ring, now());
    },
    close: refresh.close,
  };
}

/**
 * What is stored, sealed anew where that is due, or the first key of all. What is to be written is written under a lock, so that
 * instances that start at once make one key.
 */
async function firstRows({ client, keySecrets }: SigningKeysOptions, now: () => number): Promise<SigningKey[]> {
  const settled = await settledKeys(client, now());
  if (settled?.length && settled.every((row) => isSealed(row, keySecrets))) return settled;
  // To find two primes may take a slow machine longer than a transaction lasts.
  const first = settled?.length === 0 ? await generateSigningKey() : undefined;
  return client.$transaction(async (db) => {
    await lockKeys(db);
    const stored = await settleKeys(db, now());
    await resealKeys(db, stored, keySecrets);
    if (stored.length > 0) return stored;
    const data = { ...storedForm(first ?? (await generateSigningKey()), keySecrets), state: 'CURRENT' as const };
    return [await db.signingKey.create({ data: { ...data, signsFrom: new Date(now()) } })];
  });
}
