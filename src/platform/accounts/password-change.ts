import { audit } from '../audit/audit.js';
import { authorise, type Call } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { existing } from '../calls/tombstones.js';
import type { PrismaClient } from '../database/client.js';
import type { SessionEnds } from '../sessions/session-ends.js';
import type { AccountRules } from './account-rules.js';
import type { Credentials } from './credentials.js';
import { networkOf } from './networks.js';
import type { Passwords } from './passwords.js';
import { USER } from './user-reads.js';
import { writing } from './writing.js';

export interface PasswordChange {
  /** Needed for one's own account. */
  currentPassword: string | undefined;
  newPassword: string;
}

interface PasswordChangeDependencies {
  client: PrismaClient;
  passwords: Passwords;
  credentials: Credentials;
  /** Ends all that a user is logged in by, in the transaction of the change. */
  endSessions: SessionEnds['endAll'];
  rules: AccountRules;
}

/** Sets the password of an account, and ends all its sessions with the old one. */
export function passwordChange({ client, passwords, credentials, endSessions, rules }: PasswordChangeDependencies) {
  const action = rules.actions.setPassword;

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
    const actor = authorise(call, action, id);
    const select = { email: true } as const;
    const user = await existing(client, USER, id, () => client.user.findUnique({ where: { id }, select }));
    const known = id === actor.id ? await checkCurrent(call, user.email, currentPassword) : undefined;
    await call.checkpoint();
    const passwordHash = await passwords.inTurn(networkOf(call.address), ({ hash }) => hash(newPassword));
    const deed = { action, owner: id, changes: true };
    await writing(client, call, deed, async (db) => {
      // Of two changes that knew the same present password, the second one did not know it.
      const where = { id, ...(known !== undefined && { passwordHash: known }) };
      const { count } = await db.user.updateMany({ where, data: { passwordHash } });
      if (count === 0) throw wrong('is wrong');
      await endSessions(db, id);
      await audit(db, call, 'password.changed', `user:${id}`);
    });
    credentials.forget(id);
  };
}

const wrong = (detail: string) =>
  new Failure('VALIDATION_FAILED', `The present password ${detail}.`, {
    issues: [{ pointer: '/current_password', detail }],
  });
