import type { JWK } from 'jose';
import { listeners } from '../calls/listeners.js';
import { refresher } from '../calls/schedulers.js';
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
  /** Gets the error of a reading, or of a key that cannot be decrypted. Known keys stay in use. */
  onFault: (error: unknown) => void;
}

export type StoredKeysOptions = Pick<SigningKeysOptions, 'client' | 'algorithm' | 'keySecrets' | 'now'>;

export interface SigningKeys extends KeySource {
  jwks: () => { keys: JWK[] };
  /** Calls back with removed keys. Returns a function that stops it. */
  onRemoved: (listener: (kids: ReadonlySet<string>) => void) => () => void;
  read: () => Promise<void>;
  /** Stores new states. @returns when it is due next, in milliseconds since the epoch */
  settle: () => Promise<number>;
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
    settle: async () => Number.POSITIVE_INFINITY,
    close: () => {},
  };
}

type Ring = (SigningKeyPair & Pick<SigningKey, 'signsFrom'>)[];

async function asymmetric(options: SigningKeysOptions): Promise<SigningKeys> {
  const { client, keySecrets, listen, now, onFault } = options;
  const open = async (row: SigningKey) => ({ ...(await decryptKey(row, keySecrets)), signsFrom: row.signsFrom });
  const removals = listeners<ReadonlySet<string>>();
  let ring: Ring = await Promise.all((await retryWhileUnavailable(() => firstRows(options))).map(open));

  /** Reads the stored keys, without those that cannot be decrypted. */
  async function read(): Promise<void> {
    const opened = await Promise.allSettled((await updateKeyStates(client, now())).map(open));
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

  /** Computed after a reading, when a state changes, and after the clock was set back. */
  let known = { of: ring, from: Number.POSITIVE_INFINITY, until: 0, keys: [] as KeyWithState<Ring[number]>[] };
  function present(): KeyWithState<Ring[number]>[] {
    const at = now();
    if (known.of !== ring || at < known.from || at >= known.until) {
      known = { of: ring, from: at, until: nextChange(ring, at), keys: keysAt(ring, at) };
    }
    return known.keys;
  }
  return {
    algorithm: 'RS256',
    signingKey() {
      const { key } = present().find(({ state }) => state === 'CURRENT') as KeyWithState<Ring[number]>;
      return { kid: key.kid, key: key.privateKey };
    },
    verificationKey: (kid) => present().find(({ key }) => key.kid === kid)?.key.publicKey,
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

/** Encrypts stored keys under the newest secret, or creates the first key, once for all instances. */
async function firstRows({ client, keySecrets, now }: SigningKeysOptions): Promise<SigningKey[]> {
  const isSealed = (row: SigningKey) => keySecrets.length === 0 || encryptingSecret(row, keySecrets) === 0;
  const stored = await updateKeyStates(client, now());
  if (stored.length > 0 && stored.every(isSealed)) return stored;
  // Finding two primes may outlast a transaction.
  const first = stored.length === 0 ? await generateSigningKey() : undefined;
  return client.$transaction(async (db) => {
    await lockKeys(db);
    const rows = await updateKeyStates(db, now());
    for (const row of rows.filter((one) => !isSealed(one))) {
      const { kid, ...data } = encryptKey(await decryptKey(row, keySecrets), keySecrets);
      await db.signingKey.update({ where: { kid }, data, select: { kid: true } });
    }
    if (rows.length > 0) return rows;
    const data = { ...encryptKey(first ?? (await generateSigningKey()), keySecrets), state: 'CURRENT' as const };
    return [await db.signingKey.create({ data: { ...data, signsFrom: new Date(now()) } })];
  });
}
