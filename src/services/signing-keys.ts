import type { KeySource } from '../auth/access-tokens.js';
import { generateSigningKey, type JWK, openKey, type SigningKeyPair } from '../auth/keys.js';
import type { PrismaClient, SigningKey } from '../database/client.js';
import type { Database } from '../database/open.js';
import { keysAt, type PresentKey } from './key-states.js';
import { KEY_CHANNEL, lockKeys, settleKeys, storedForm } from './key-store.js';
import { refresher } from './refresher.js';

/** Milliseconds between two looks for keys whose state has passed, so that a private key does not outlive its use. */
const SETTLE = 60_000;

export interface SigningKeysOptions {
  client: PrismaClient;
  algorithm: 'RS256' | 'HS256';
  /** HS256 only. */
  jwtSecret: string | undefined;
  /** Encrypts stored keys; undefined outside production only. */
  keySecret: string | undefined;
  /** Hears of rotations; left out where there is nobody to hear. */
  listen?: Database['listen'] | undefined;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Told when the keys could not be read, or one of them not opened; those known so far stay in use. */
  onFault?: (error: unknown) => void;
}

export type SigningKeys = KeySource & { jwks: () => { keys: JWK[] }; close: () => void };

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
    close: () => {},
  };
}

type Ring = (SigningKeyPair & Pick<SigningKey, 'signsFrom'>)[];

async function asymmetric(options: SigningKeysOptions): Promise<SigningKeys> {
  const { client, keySecret, listen, now = Date.now, onFault = () => {} } = options;
  const open = async (row: SigningKey) => ({ ...(await openKey(row, keySecret)), signsFrom: row.signsFrom });
  let ring: Ring = await Promise.all((await firstRows(client, keySecret, now)).map(open));

  /** A key that cannot be opened is left out, and told of: the others go on. */
  async function read(): Promise<void> {
    const rows = await client.$transaction((db) => settleKeys(db, now()));
    const opened = await Promise.allSettled(rows.map(open));
    for (const one of opened) if (one.status === 'rejected') onFault(one.reason);
    const usable = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (usable.length > 0) ring = usable;
  }

  const refresh = refresher(read, onFault);
  await listen?.(KEY_CHANNEL, refresh.request, refresh.request);
  const timer = setInterval(refresh.request, SETTLE).unref();

  const present = (): PresentKey<Ring[number]>[] => keysAt(ring, now());
  return {
    algorithm: 'RS256',
    signing() {
      const { key } = present().find(({ state }) => state === 'CURRENT') as PresentKey<Ring[number]>;
      return { kid: key.kid, key: key.privateKey };
    },
    verifying: (kid) => present().find(({ key }) => key.kid === kid)?.key.publicKey,
    jwks: () => ({ keys: present().map(({ key }) => key.publicJwk) }),
    close() {
      clearInterval(timer);
      refresh.close();
    },
  };
}

/** What is stored, or the first key of all; under a lock, so that instances that start at once make one. */
const firstRows = (client: PrismaClient, keySecret: string | undefined, now: () => number): Promise<SigningKey[]> =>
  client.$transaction(async (db) => {
    await lockKeys(db);
    const stored = await settleKeys(db, now());
    if (stored.length > 0) return stored;
    const data = { ...storedForm(await generateSigningKey(), keySecret), state: 'CURRENT' as const };
    return [await db.signingKey.create({ data: { ...data, signsFrom: new Date(now()) } })];
  });
