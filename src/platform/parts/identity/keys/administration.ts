import { CommandError } from '../../../core/calls/errors.js';
import type { Prisma, SigningKey } from '../../../database/client.js';
import type { Database } from '../../../database/open.js';
import { notify } from '../../../database/signals.js';
import { type AccountCommandsOptions, accountCommands } from '../accounts/administration.js';
import { type AuditFilter, audit, COMMAND_LINE, readAudit } from '../audit/audit.js';
import { acceptSettings, type settingCodes } from './fleet-settings.js';
import {
  decryptKey,
  encryptKey,
  generateSigningKey,
  KEY_CHANNEL,
  keysAt,
  lockKeys,
  type SigningKeyPair,
  type StoredKeysOptions,
  updateKeyStates,
  verifiesUntil,
} from './signing-keys.js';

/** The `max-age` of the published key set (300 s), and ten seconds until every instance has published a key. */
const PUBLISHED_AHEAD_MS = 310_000;

/** A key as an operator sees it; times in ISO 8601, UTC. */
export interface KeyEntry {
  kid: string;
  state: 'next' | 'current' | 'retired';
  signsFrom: string;
  /** Null without a successor. */
  verifiesUntil: string | null;
}

const entries = (rows: SigningKey[], now: number): KeyEntry[] =>
  keysAt(rows, now).map(({ key, state, retiredAt }) => ({
    kid: key.kid,
    state: state.toLowerCase() as KeyEntry['state'],
    signsFrom: key.signsFrom.toISOString(),
    verifiesUntil: retiredAt && new Date(verifiesUntil(retiredAt)).toISOString(),
  }));

export type Administration = ReturnType<typeof administration>;

/** Returns the operator's commands, for the command line and the socket of a running server. */
export function administration(options: StoredKeysOptions & AccountCommandsOptions & Pick<Database, 'generation'>) {
  const { client, generation, algorithm, keySecrets, now } = options;
  const locked = <T>(work: (db: Prisma.TransactionClient, rows: SigningKey[]) => Promise<T>): Promise<T> => {
    if (algorithm === 'HS256')
      throw new CommandError('With JWT_ALGORITHM=HS256 there are no stored keys: change JWT_SECRET.');
    return client.$transaction(async (db) => {
      await lockKeys(db);
      return work(db, await updateKeyStates(db, now()));
    });
  };

  /** @param pair generated before the transaction, which it could outlast @param from milliseconds since the epoch */
  async function add(db: Prisma.TransactionClient, pair: SigningKeyPair, from: number): Promise<string> {
    const data = encryptKey(pair, keySecrets);
    const state = from > now() ? 'NEXT' : 'CURRENT';
    await db.signingKey.create({ data: { ...data, state, signsFrom: new Date(from) } });
    return data.kid;
  }

  async function changed(db: Prisma.TransactionClient): Promise<KeyEntry[]> {
    await notify(db, KEY_CHANNEL, '');
    return entries(await updateKeyStates(db, now()), now());
  }

  return {
    ...accountCommands(options),

    'keys.list': (_args: object): Promise<KeyEntry[]> => locked(async (_db, rows) => entries(rows, now())),

    /** Publishes a key. @throws CommandError if a next key is published; Error for a KEY_SECRET of other instances */
    async 'keys.rotate'(_args: object): Promise<KeyEntry[]> {
      const fresh = await generateSigningKey();
      return locked(async (db, rows) => {
        const next = rows.find(({ state }) => state === 'NEXT');
        if (next)
          throw new CommandError(
            `The next key ${next.kid} is published already; it signs from ${next.signsFrom.toISOString()}.`,
          );
        for (const row of rows) await decryptKey(row, keySecrets);
        const kid = await add(db, fresh, now() + PUBLISHED_AHEAD_MS);
        await audit(db, COMMAND_LINE, 'key.rotated', `key:${kid}`);
        return changed(db);
      });
    },

    /** Removes a leaked key with its tokens. Verifiers learn of a replacement when they fetch the key set again. */
    async 'keys.retire'({ kid }: { kid: string }): Promise<KeyEntry[]> {
      const fresh = await generateSigningKey();
      return locked(async (db, rows) => {
        const row = rows.find((row) => row.kid === kid);
        if (!row) throw new CommandError(`There is no key ${kid}.`);
        await db.signingKey.delete({ where: { kid } });
        const next = rows.find(({ state }) => state === 'NEXT');
        if (row.state === 'CURRENT' && next) {
          await db.signingKey.update({ where: { kid: next.kid }, data: { signsFrom: new Date(now()) } });
        }
        if (row.state === 'CURRENT' && !next) {
          await decryptKey(row, keySecrets); // encrypted under the secret of the instances, or they could not open the new one
          await add(db, fresh, now());
        }
        await audit(db, COMMAND_LINE, 'key.retired', `key:${kid}`);
        return changed(db);
      });
    },

    /** @returns the settings that were others */
    'settings.accept': ({ codes }: { codes: ReturnType<typeof settingCodes> }) => acceptSettings(client, codes),

    /** Draws a generation once for a restore. @param again draws another one @returns `raised` only if it was drawn */
    async 'database.restored'({ again = false }: { again?: boolean }) {
      const settled = await generation.restored(again);
      return { generation: generation.current() ?? null, raised: settled?.drawn ? settled.raised : null };
    },

    'audit.read': (filter: AuditFilter) => readAudit(client, filter),
  };
}
