import { Failure } from '../calls/errors.js';
import { isStorableText } from '../calls/text.js';
import type { Prisma } from '../database/client.js';
import { faultOf } from '../database/faults.js';
import type { Sql } from '../database/statement.js';
import type { AccountRules } from './account-rules.js';
import type { User } from './user-reads.js';

/** Names the advisory lock on the set of administrators. */
const ADMIN_LOCK = 0x41434344;

/** E-mail addresses are unique without regard to case. */
export const emailKey = (email: string): string => email.toLowerCase();

/** What is given of a user: name, e-mail address, role, and the members that an application adds to the model. */
export interface UserFields
  extends Pick<Prisma.UserUncheckedCreateInput, Exclude<keyof User, 'id' | 'createdAt' | 'version'>> {}

/** The stored form: the name trimmed, the address with its key beside it. Members left out stay out. */
export function normalised<T extends Partial<UserFields>>(fields: T) {
  return {
    ...fields,
    ...(fields.name !== undefined && { name: fields.name.trim() }),
    ...(fields.email !== undefined && { emailKey: emailKey(fields.email) }),
  } as T & { emailKey: string };
}

const duplicate = (cause?: unknown) => new Failure('CONFLICT', 'Another user has this e-mail address.', { cause });

/** @throws Failure CONFLICT when a user other than `except` has the address */
export async function refuseDuplicate(db: Sql, email: string, except?: number): Promise<void> {
  if (!isStorableText(email)) return;
  const [other] = await db.$queryRaw<{ id: number }[]>`SELECT id FROM users WHERE email_key = ${emailKey(email)}`;
  if (other && other.id !== except) throw duplicate();
}

/** The unique index has the last word on an e-mail address, whoever looked first; and those of an application's own members. */
export const claimingUnique = <T>(write: Promise<T>): Promise<T> =>
  write.catch((cause: unknown) => {
    const fault = faultOf(cause);
    if (fault.kind !== 'unique') throw cause;
    throw fault.constraint.includes('email_key')
      ? duplicate(cause)
      : new Failure('CONFLICT', 'Another user has a value that only one may have.', { cause });
  });

/**
 * Asked before a role changes or an account goes. Whoever asks next has to wait for the end of this transaction, so that
 * the last two administrators cannot go at once.
 * @param administrators the roles that administer
 * @param becomes the role that the user is to have; left out when the account goes
 * @throws Failure CONFLICT when the user is the only administrator, and is to be none
 */
export async function refuseLastAdmin(
  db: Sql,
  administrators: AccountRules['administrators'],
  { id, role }: { id: number; role: string },
  becomes?: string,
): Promise<void> {
  if (!administrators.includes(role) || (becomes !== undefined && administrators.includes(becomes))) return;
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${ADMIN_LOCK}::bigint)`;
  const others = await db.$queryRaw<object[]>`
    SELECT id FROM users WHERE role = ANY(${[...administrators]}::text[]) AND id <> ${id} LIMIT 1`;
  if (others.length === 0) throw new Failure('CONFLICT', 'The last administrator can be neither deleted nor demoted.');
}
