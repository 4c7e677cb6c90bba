import { isOutdated, type Passwords } from '../auth/passwords.js';
import { verifiedPasswords } from '../auth/verified-passwords.js';
import type { PrismaClient, Role } from '../database/client.js';
import type { Actor, Call } from './access.js';
import { audit } from './audit.js';
import type { LoginAttempts, Occasion } from './login-attempts.js';
import { isStorableText } from './text.js';
import { emailKey } from './user-rules.js';

/** Where an attempt comes from. */
export type Caller = Pick<Call, 'address' | 'requestId'>;

/** An account whose password was presented and right; `passwordHash` is the stored form it was right for. */
export interface Account {
  id: number;
  role: Role;
  passwordHash: string;
}

export interface CredentialsDependencies {
  client: PrismaClient;
  passwords: Passwords;
  admit: LoginAttempts;
  /** Milliseconds since the epoch. */
  now: () => number;
}

export type Credentials = ReturnType<typeof credentialsService>;

/** E-mail address and password, judged: for the login, for Basic, and for the change of a password. */
export function credentialsService({ client, passwords, admit, now }: CredentialsDependencies) {
  const verified = verifiedPasswords(now);

  const find = async (email: string) =>
    isStorableText(email)
      ? client.user.findUnique({
          where: { emailKey: emailKey(email) },
          select: { id: true, role: true, passwordHash: true },
        })
      : null;
  type Found = Awaited<ReturnType<typeof find>>;

  /** Each attempt ends here, whichever way it came and whether the account exists or not. */
  async function judge(
    occasion: Occasion,
    caller: Caller,
    email: string,
    found: Found,
    password: string,
  ): Promise<Account | undefined> {
    const attempt = await admit(occasion, caller.address, email);
    const stored = found?.passwordHash ?? null;
    const right = await passwords.verify(stored, password).catch(async (error: unknown) => {
      await attempt.void();
      throw error;
    });
    if (!right || !found || stored === null) return failed(caller, found);
    await attempt.right();
    return succeeded(found, stored, password);
  }

  /** A wrong password, or an unknown address: told apart in the audit table alone. */
  async function failed(caller: Caller, found: Found): Promise<undefined> {
    await audit(client, { actor: null, ...caller }, 'login.failed', found && `user:${found.id}`);
  }

  /** Stores the password anew where the parameters have risen since. */
  async function succeeded({ id, role }: Omit<Account, 'passwordHash'>, stored: string, password: string) {
    if (!isOutdated(stored)) return { id, role, passwordHash: stored };
    const passwordHash = await passwords.hash(password);
    const { count } = await client.user.updateMany({ where: { id, passwordHash: stored }, data: { passwordHash } });
    return { id, role, passwordHash: count === 1 ? passwordHash : stored };
  }

  return {
    /**
     * @returns the account, or undefined for an unknown address and a wrong password alike, in the same time
     * @throws Failure RATE_LIMITED, before the password is hashed
     */
    check: async (occasion: Occasion, caller: Caller, email: string, password: string): Promise<Account | undefined> =>
      judge(occasion, caller, email, await find(email), password),

    /**
     * @returns whom an e-mail address and a password belong to (RFC 7617), or undefined
     * @throws Failure RATE_LIMITED after wrong passwords, but not for one that was right lately
     */
    async basic(email: string, password: string, caller: Caller): Promise<Actor | undefined> {
      const found = await find(email);
      if (found?.passwordHash && verified.has(found.passwordHash, password)) return actorOf(found);
      const account = await judge('basic', caller, email, found, password);
      if (!account) return undefined;
      verified.add(account.id, account.passwordHash, password);
      return actorOf(account);
    },

    /** Drops the verified passwords of a user that this instance remembers. */
    forget: verified.forget,
  };
}

const actorOf = ({ id, role }: Pick<Account, 'id' | 'role'>): Actor => ({ id, role, mechanism: 'basicAuth' });
