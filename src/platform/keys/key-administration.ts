import { type AuditCall, audit } from '../audit/audit.js';
import { Refused } from '../calls/errors.js';
import type { Prisma, SigningKey } from '../database/client.js';
import { notify } from '../database/notify.js';
import { generateSigningKey, openKey, type SigningKeyPair } from './key-material.js';
import { keysAt, PUBLISHED_AHEAD, verifiesUntil } from './key-states.js';
import { KEY_CHANNEL, lockKeys, settleKeys, storedForm } from './key-store.js';
import type { StoredKeysOptions } from './signing-keys.js';

/** A key as an operator sees it; times are ISO 8601 in UTC. */
export interface KeyEntry {
  kid: string;
  state: 'next' | 'current' | 'retired';
  signsFrom: string;
  /** Null while it has no successor. */
  verifiesUntil: string | null;
}

const entries = (rows: SigningKey[], now: number): KeyEntry[] =>
  keysAt(rows, now).map(({ key, state, retiredAt }) => ({
    kid: key.kid,
    state: state.toLowerCase() as KeyEntry['state'],
    signsFrom: key.signsFrom.toISOString(),
    verifiesUntil: retiredAt && new Date(verifiesUntil(retiredAt)).toISOString(),
  }));

/** What an operator does to the signing keys. Every instance hears of it at once; none is restarted. */
export function keyAdministration({ client, algorithm, keySecrets, now = Date.now }: StoredKeysOptions) {
  const locked = <T>(work: (db: Prisma.TransactionClient, rows: SigningKey[]) => Promise<T>): Promise<T> => {
    if (algorithm === 'HS256')
      throw new Refused('With JWT_ALGORITHM=HS256 there are no stored keys: change JWT_SECRET.');
    return client.$transaction(async (db) => {
      await lockKeys(db);
      return work(db, await settleKeys(db, now()));
    });
  };

  /**
   * @param pair made before the transaction begins: on a busy machine that takes longer than a transaction may
   * @param from milliseconds since the epoch from which it signs
   */
  async function add(db: Prisma.TransactionClient, pair: SigningKeyPair, from: number): Promise<string> {
    const data = storedForm(pair, keySecrets);
    const state = from > now() ? 'NEXT' : 'CURRENT';
    await db.signingKey.create({ data: { ...data, state, signsFrom: new Date(from) } });
    return data.kid;
  }

  async function changed(db: Prisma.TransactionClient): Promise<KeyEntry[]> {
    await notify(db, KEY_CHANNEL, '');
    return entries(await settleKeys(db, now()), now());
  }

  return {
    async list(): Promise<KeyEntry[]> {
      return locked(async (_db, rows) => entries(rows, now()));
    },

    /**
     * Publishes a new key, which signs once every verifier can know it (PUBLISHED_AHEAD); the present one then verifies
     * until its last token has expired.
     * @throws Refused while a next key waits already; Error when KEY_SECRET is not the instances' own
     */
    async rotate(call: AuditCall): Promise<KeyEntry[]> {
      const fresh = await generateSigningKey();
      return locked(async (db, rows) => {
        const next = rows.find(({ state }) => state === 'NEXT');
        if (next)
          throw new Refused(
            `The next key ${next.kid} is published already; it signs from ${next.signsFrom.toISOString()}.`,
          );
        for (const row of rows) await openKey(row, keySecrets);
        const kid = await add(db, fresh, now() + PUBLISHED_AHEAD);
        await audit(db, call, 'key.rotated', `key:${kid}`);
        return changed(db);
      });
    },

    /**
     * Takes a key out of use at once, for one that has leaked: it is removed with its private half, and the tokens that it
     * signed are refused. When it was the current one, the next one signs now, or else a new one: verifiers that keep the
     * key set learn of that one only when they fetch it again.
     * @throws Refused for an unknown key
     */
    async retire(call: AuditCall, kid: string): Promise<KeyEntry[]> {
      const fresh = await generateSigningKey();
      return locked(async (db, rows) => {
        const row = rows.find((one) => one.kid === kid);
        if (!row) throw new Refused(`There is no key ${kid}.`);
        await db.signingKey.delete({ where: { kid } });
        const next = rows.find(({ state }) => state === 'NEXT');
        if (row.state === 'CURRENT' && next) {
          await db.signingKey.update({ where: { kid: next.kid }, data: { signsFrom: new Date(now()) } });
        }
        if (row.state === 'CURRENT' && !next) {
          await openKey(row, keySecrets); // sealed under the instances' secret, or they could not open it
          await add(db, fresh, now());
        }
        await audit(db, call, 'key.retired', `key:${kid}`);
        return changed(db);
      });
    },
  };
}
