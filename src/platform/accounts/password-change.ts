import { audit } from '../audit/audit.js';
import { authenticated, type Call } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { accessOf } from '../operations/client-access.js';
import type { Db } from '../operations/model.js';
import type { SessionEnds } from '../sessions/session-ends.js';
import type { Credentials } from './credentials.js';
import { networkOf } from './networks.js';
import type { Passwords } from './passwords.js';
import type { User } from './user-model.js';

export interface PasswordChange {
  /** Needed for one's own account. */
  currentPassword: string | undefined;
  newPassword: string;
}

interface PasswordChangeDependencies {
  passwords: Passwords;
  credentials: Credentials;
  /** Ends all sessions of a user, in the transaction of the change. */
  endSessions: SessionEnds['endAll'];
}

/** Sets the password of an account, and ends all its sessions with the old one. */
export function passwordChange({ passwords, credentials, endSessions }: PasswordChangeDependencies) {
  /** Returns the stored form of the current password. */
  async function checkCurrent(call: Call, email: string, current: string | undefined): Promise<string> {
    if (current === undefined) throw wrong('is missing');
    const account = await credentials.check('change', call, email, current);
    if (!account) throw wrong('is wrong');
    return account.passwordHash;
  }

  /**
   * Changes the password of the user. The route's target is `late`, because hashing is slow.
   * @throws Failure VALIDATION_FAILED also for a wrong current password; RATE_LIMITED after too many of them
   */
  return async (db: Db, { id, email }: User, { currentPassword, newPassword }: PasswordChange): Promise<void> => {
    const { call, transaction, onCommit } = accessOf(db);
    const isOwn = id === authenticated(call).id;
    const known = isOwn ? await checkCurrent(call, email, currentPassword) : undefined;
    await call.checkpoint();
    const passwordHash = await passwords.inTurn(networkOf(call.address), ({ hash }) => hash(newPassword));
    const tx = await transaction();
    // Of two changes with the same current password, the second one did not know it.
    const where = { id, ...(known !== undefined && { passwordHash: known }) };
    const { count } = await tx.user.updateMany({ where, data: { passwordHash } });
    if (count === 0) throw wrong('is wrong');
    await endSessions(tx, id);
    await audit(tx, call, 'password.changed', `user:${id}`);
    onCommit(() => credentials.forget(id));
  };
}

const wrong = (detail: string) =>
  new Failure('VALIDATION_FAILED', `The present password ${detail}.`, {
    issues: [{ pointer: '/current_password', detail }],
  });
