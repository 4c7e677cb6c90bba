import { Failure } from '../calls/errors.js';
import { isStorableText } from '../calls/text.js';
import { isUniqueViolation, type Prisma, type Role } from '../database/client.js';

type Transaction = Prisma.TransactionClient;

/** Names the advisory lock on the set of administrators. */
const ADMIN_LOCK = 0x41434344;

/** E-mail addresses are unique without regard to case. */
export const emailKey = (email: string): string => email.toLowerCase();

export interface UserFields {
  name: string;
  email: string;
  role: Role;
}

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
export async function refuseDuplicate(db: Transaction, email: string, except?: number): Promise<void> {
  if (!isStorableText(email)) return;
  const other = await db.user.findUnique({ where: { emailKey: emailKey(email) }, select: { id: true } });
  if (other && other.id !== except) throw duplicate();
}

/** The unique index has the last word on an e-mail address, whoever looked first. */
export const claimingEmail = <T>(write: Promise<T>): Promise<T> =>
  write.catch((error: unknown) => {
    throw isUniqueViolation(error) ? duplicate(error) : error;
  });

/**
 * Asked before a role changes or an account goes. Whoever asks next has to wait for the end of this transaction, so that
 * the last two administrators cannot go at once.
 * @throws Failure CONFLICT when the user is the only administrator
 */
export async function refuseLastAdmin(db: Transaction, { id, role }: { id: number; role: Role }): Promise<void> {
  if (role !== 'ADMIN') return;
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${ADMIN_LOCK}::bigint)`;
  const others = await db.user.count({ where: { role: 'ADMIN', id: { not: id } } });
  if (others === 0) throw new Failure('CONFLICT', 'The last administrator can be neither deleted nor demoted.');
}
