import { audit } from '../audit/audit.js';
import type { Actor, Call } from '../calls/access.js';
import { isStorableText } from '../calls/text.js';
import type { PrismaClient } from '../database/client.js';
import type { LoginAttempts, Occasion } from './login-attempts.js';
import { networkOf } from './networks.js';
import type { Hasher, Passwords } from './passwords.js';
import { turns } from './turns.js';
import { emailKey } from './user-model.js';
import { verifiedPasswords } from './verified-passwords.js';

/** Where an attempt comes from. */
type Caller = Pick<Call, 'address' | 'requestId'>;

/** An account whose password was presented and right; `passwordHash` is the stored form it was right for. */
export interface Account {
  id: number;
  role: string;
  passwordHash: string;
}

interface CredentialsDependencies {
  client: PrismaClient;
  passwords: Passwords;
  admit: LoginAttempts;
  /** Milliseconds since the epoch. */
  now: () => number;
}

type Found = (Pick<Account, 'id' | 'role'> & { passwordHash: string | null }) | undefined;
export type Credentials = ReturnType<typeof credentialsService>;

/** E-mail address and password, judged: for the login, for Basic, and for the change of a password. */
export function credentialsService({ client, passwords, admit, now }: CredentialsDependencies) {
  const verified = verifiedPasswords(now);
  const inTurn = turns();

  async function find(email: string): Promise<Found> {
    if (!isStorableText(email)) return undefined;
    const select = { id: true, role: true, passwordHash: true } as const;
    return (await client.user.findUnique({ where: { emailKey: emailKey(email) }, select })) ?? undefined;
  }

  /**
   * Runs what judges a credential. Equal ones, and those of one network, come one after another: an attempt is counted
   * before it is judged, and right ones that come at once must not make each other wait.
   */
  const oneByOne = <T>(email: string, password: string, work: () => Promise<T>): Promise<T> =>
    inTurn(verified.nameOf(emailKey(email), password), work);

  /** Each attempt ends here, whichever way it came and whether the account exists or not. */
  async function judge(
    occasion: Occasion,
    caller: Caller,
    email: string,
    found: Found,
    password: string,
  ): Promise<Account | undefined> {
    const account = await passwords.inTurn(networkOf(caller.address), async (hasher) => {
      const attempt = await admit(occasion, caller.address, email, found?.id);
      const stored = found?.passwordHash ?? null;
      const right = await hasher.verify(stored, password).catch(async (error: unknown) => {
        await attempt.void();
        throw error;
      });
      if (!right || !found || stored === null) return undefined;
      await attempt.right(found.id);
      return succeeded(hasher, found, stored, password);
    });
    // A wrong password, or an unknown address: told apart in the audit table alone.
    if (!account) await audit(client, { actor: null, ...caller }, 'login.failed', found ? `user:${found.id}` : null);
    return account;
  }

  /** Stores the password anew where the parameters have risen since. */
  async function succeeded(
    { hash }: Hasher,
    { id, role }: Omit<Account, 'passwordHash'>,
    stored: string,
    password: string,
  ): Promise<Account> {
    if (!passwords.isOutdated(stored)) return { id, role, passwordHash: stored };
    const passwordHash = await hash(password);
    const { count } = await client.user.updateMany({ where: { id, passwordHash: stored }, data: { passwordHash } });
    return { id, role, passwordHash: count === 1 ? passwordHash : stored };
  }

  return {
    /**
     * @returns the account, or undefined for an unknown address and a wrong password alike, in the same time
     * @throws Failure RATE_LIMITED, before the password is hashed
     */
    check: async (occasion: Occasion, caller: Caller, email: string, password: string): Promise<Account | undefined> =>
      oneByOne(email, password, async () => judge(occasion, caller, email, await find(email), password)),

    /**
     * @returns whom an e-mail address and a password belong to (RFC 7617), or undefined
     * @throws Failure RATE_LIMITED after wrong passwords, but not for one that was right lately
     */
    async basic(email: string, password: string, caller: Caller): Promise<Actor | undefined> {
      const remembered = (found: Found): Actor | undefined =>
        found?.passwordHash && verified.has(found.passwordHash, password) ? actorOf(found) : undefined;
      const actor = remembered(await find(email));
      if (actor) return actor;
      return oneByOne(email, password, async () => {
        // Who came first may have found it right meanwhile.
        const found = await find(email);
        const known = remembered(found);
        if (known) return known;
        const account = await judge('basic', caller, email, found, password);
        if (!account) return undefined;
        verified.add(account.id, account.passwordHash, password);
        return actorOf(account);
      });
    },

    /** Drops the verified passwords of a user that this instance remembers. */
    forget: verified.forget,
  };
}

const actorOf = ({ id, role }: Pick<Account, 'id' | 'role'>): Actor => ({ id, role, mechanism: 'basicAuth' });
