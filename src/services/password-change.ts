import type { Passwords } from '../auth/passwords.js';
import type { PrismaClient } from '../database/client.js';
import { authorise, type Call } from './access.js';
import { audit } from './audit.js';
import type { Credentials } from './credentials.js';
import { Failure } from './errors.js';
import { isStorableId } from './pages.js';
import type { Revocations } from './revocations.js';
import { refuseAbsent } from './tombstones.js';

export interface PasswordChange {
  /** Needed for one's own account. */
  currentPassword: string | undefined;
  newPassword: string;
}

export interface PasswordChangeDependencies {
  client: PrismaClient;
  passwords: Passwords;
  credentials: Credentials;
  /** Ends the access tokens of a user, in the transaction of the change. */
  revoke: Revocations['revoke'];
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Sets the password of an account, and ends all its sessions with the old one. */
export function passwordChange({ client, passwords, credentials, revoke, now }: PasswordChangeDependencies) {
  /** @returns the stored form that the present password is right for */
  async function checkCurrent(call: Call, email: string, current: string | undefined): Promise<string> {
    if (current === undefined) throw wrong('is missing');
    const account = await credentials.check('change', call, email, current);
    if (!account) throw wrong('is wrong');
    return account.passwordHash;
  }

  /**
   * @throws Failure NOT_FOUND, GONE; VALIDATION_FAILED also for a wrong present password; RATE_LIMITED after too many of them
   */
  return async (call: Call, id: number, { currentPassword, newPassword }: PasswordChange): Promise<void> => {
    const actor = authorise(call, 'users.set-password', id);
    const select = { email: true } as const;
    const user = isStorableId(id) ? await client.user.findUnique({ where: { id }, select }) : null;
    if (!user) return refuseAbsent(client, 'USER', id, 'user');
    const known = id === actor.id ? await checkCurrent(call, user.email, currentPassword) : undefined;
    await call.checkpoint();
    const passwordHash = await passwords.hash(newPassword);
    await client.$transaction(async (db) => {
      // Of two changes that knew the same present password, the second one did not know it.
      const where = { id, ...(known !== undefined && { passwordHash: known }) };
      const { count } = await db.user.updateMany({ where, data: { passwordHash } });
      if (count === 0) throw known === undefined ? await refuseAbsent(db, 'USER', id, 'user') : wrong('is wrong');
      await db.session.updateMany({ where: { userId: id, revokedAt: null }, data: { revokedAt: new Date(now()) } });
      await revoke(db, id);
      await audit(db, call, 'password.changed', `user:${id}`);
    });
    credentials.forget(id);
  };
}

const wrong = (detail: string) =>
  new Failure('VALIDATION_FAILED', `The present password ${detail}.`, {
    issues: [{ pointer: '/current_password', detail }],
  });
