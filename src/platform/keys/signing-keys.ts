import type { JWK } from 'jose';
import { listeners, refresher } from '../calls/schedulers.js';
import type { SigningKey } from '../database/client.js';
import type { Database } from '../database/open.js';
import { retryWhileUnavailable } from '../database/retry.js';
import type { Secrets } from '../secrets.js';
import type { KeySource } from '../sessions/access-tokens.js';
import {
  decryptKey,
  encryptingSecret,
  encryptKey,
  generateSigningKey,
  KEY_CHANNEL,
  type KeyWithState,
  keysAt,
  lockKeys,
  nextChange,
  type SigningKeyPair,
  updateKeyStates,
} from './stored-keys.js';

interface SigningKeysOptions extends Pick<Database, 'client' | 'listen'> {
  algorithm: 'RS256' | 'HS256';
  /** HS256 only. */
  jwtSecret: string | undefined;
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

function symmetric({ jwtSecret }: SigningKeysOptions): SigningKeys {
  const key = new TextEncoder().encode(jwtSecret);
  return {
    algorithm: 'HS256',
    signingKey: () => ({ kid: undefined, key }),
    verificationKey: (kid) => (kid === undefined ? key : undefined),
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
    for (const one of opened) if (one.status === 'rejected') onFault(one.reason);
    const usable = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
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
    for (const row of rows.filter((one) => !isEncrypted(one))) {
      const { kid, ...data } = encryptKey(await decryptKey(row, keySecrets), keySecrets);
      await db.signingKey.update({ where: { kid }, data, select: { kid: true } });
    }
    if (rows.length > 0) return rows;
    const data = { ...encryptKey(first ?? (await generateSigningKey()), keySecrets), state: 'CURRENT' as const };
    return [await db.signingKey.create({ data: { ...data, signsFrom: new Date(now()) } })];
  });
}
