/** The settings in which all instances on one server agree. The database stores codes of them, not the values. @module */

import { CommandError } from '../../../core/calls/errors.js';
import { macs, type Secrets } from '../../../core/secrets.js';
import type { Prisma, PrismaClient } from '../../../database/client.js';
import { audit, COMMAND_LINE } from '../audit/audit.js';
import { lockKeys } from './signing-keys.js';

/** `common`: a secret in common is enough; `equal`: another value ends the start; `similar`: it is logged as a warning. */
export const FLEET_SETTINGS = {
  KEY_SECRET: 'common',
  JWT_SECRET: 'common',
  JWT_ALGORITHM: 'equal',
  JWT_ISSUER: 'equal',
  JWT_AUDIENCE: 'equal',
  PUBLIC_URL: 'similar',
  REDIS_URL: 'similar',
  RATE_LIMIT: 'similar',
  RATE_LIMIT_ANONYMOUS: 'similar',
  RATE_CEILING: 'similar',
  LOGIN_LIMIT: 'similar',
} as const;
type Name = keyof typeof FLEET_SETTINGS;
type Values = Readonly<Partial<Record<Name, unknown>>>;
const names = Object.keys(FLEET_SETTINGS) as Name[];

interface Code {
  name: string;
  code: string;
}
const PURPOSE = 'accord fleet settings';
/** Keys the codes while there is no KEY_SECRET. Production has one. */
const UNKEYED: Secrets = ['development'];

/** Keys the code of each secret by itself, and the codes of other values, which can be guessed, by KEY_SECRET. */
export function settingCodes(values: Values, keySecrets = (values.KEY_SECRET as Secrets | undefined) ?? UNKEYED) {
  const keyed = macs(keySecrets, PURPOSE);
  const { JWT_SECRET, ...others } = values;
  // Only HS256 uses JWT_SECRET.
  const used: Values = values.JWT_ALGORITHM === 'HS256' ? values : others;
  const codes = (name: Name): Uint8Array[] => {
    const value = name === 'REDIS_URL' ? used[name] !== undefined : (used[name] ?? '');
    if (FLEET_SETTINGS[name] !== 'common') return keyed.all(`${name}=${value}`);
    return [...((value || []) as Secrets)].map((secret) => macs([secret], PURPOSE).make(name));
  };
  return names.flatMap((name) => codes(name).map((code) => ({ name, code: Buffer.from(code).toString('base64url') })));
}

/** Returns the stored settings without a common code. Without a common KEY_SECRET the others cannot be compared. */
function differing(stored: readonly Code[], own: readonly Code[]): Name[] {
  const isUsed = (name: Name) => name === 'KEY_SECRET' || own.some((setting) => setting.name === name);
  const found = names.filter((name) => {
    const codes = stored.filter((setting) => setting.name === name).map(({ code }) => code);
    const isShared = own.some((setting) => setting.name === name && codes.includes(setting.code));
    return codes.length > 0 && isUsed(name) && !isShared;
  });
  return found[0] === 'KEY_SECRET' ? ['KEY_SECRET'] : found;
}

/** Stores the codes of this process, unless `check` throws for what differs. */
const replace = <T>(
  client: PrismaClient,
  own: Code[],
  check: (db: Prisma.TransactionClient, stored: Code[]) => Promise<T>,
) =>
  client.$transaction(async (db) => {
    await lockKeys(db);
    const checked = await check(db, await db.fleetSetting.findMany());
    await db.fleetSetting.deleteMany();
    await db.fleetSetting.createMany({ data: own });
    return checked;
  });

const OTHERS = 'the other instances on this database';
const refusal = (name: Name): string =>
  FLEET_SETTINGS[name] === 'common'
    ? `${name}: has no secret in common with ${OTHERS}. List the new one after the old one (${name}=old,new) at all instances first`
    : `${name}: differs from ${OTHERS}. Correct it`;
const REMEDY = 'or make the settings of a process those of all: `accord settings accept`.';

/** Compares the settings with those of the last start, and stores them. @throws Error if instances would disagree */
export async function agreeOnSettings(client: PrismaClient, values: Values, warn: (names: Name[]) => void) {
  const own = settingCodes(values);
  const text = (codes: Code[]) => String(codes.map(({ name, code }) => `${name} ${code}`).sort());
  if (text(await client.fleetSetting.findMany()) === text(own)) return;
  await replace(client, own, async (_db, stored) => {
    const different = differing(stored, [...own, ...settingCodes(values, UNKEYED)]);
    const refused = different.filter((name) => FLEET_SETTINGS[name] !== 'similar');
    if (refused.length > 0) throw new Error(refused.map((name) => `${refusal(name)}, ${REMEDY}`).join('\n'));
    if (different.length > 0) warn(different);
  });
}

/** Makes the settings of a process those of all instances. @returns the ones that were others */
export const acceptSettings = (client: PrismaClient, own: Code[]): Promise<Name[]> =>
  replace(client, own, async (db, stored) => {
    const hasSecret = (codes: Code[]) => codes.some(({ name }) => name === 'KEY_SECRET');
    if (hasSecret(stored) && !hasSecret(own)) throw new CommandError('KEY_SECRET: set it as for the instances.');
    await audit(db, COMMAND_LINE, 'settings.accepted', null);
    return differing(stored, own);
  });
