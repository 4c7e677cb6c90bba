/** The model of accounts, which belongs to the application. @module */

import type { Prisma } from '../database/client.js';
import type { AccountActions } from './application.js';
import type { Hasher } from './hasher.js';
import { model, type Row } from './operations/model.js';

/** The default actions on accounts. An action that no contract states is forbidden. */
export const ACCOUNT_ACTIONS = { read: 'users.read', setRole: 'users.set-role' } as const satisfies AccountActions;

/** A user, without hidden members. */
export type User = Row<'User'>;

/**
 * The model of accounts. The platform derives `emailKey`, keeps one administrator, revokes credentials after a change
 * of the role or a deletion, and writes the audit table.
 * @example
 * export const models = [User, Post];
 */
export const User = model('User', {
  read: ACCOUNT_ACTIONS.read,
  owner: (caller) => ({ id: caller.id }),
  protect: { role: ACCOUNT_ACTIONS.setRole },
});

/**
 * Returns the unique form of an e-mail address, in lower case.
 * @example
 * await db.user.create({ data: { ...account, emailKey: emailKey(account.email) } });
 */
export const emailKey = (email: string): string => email.toLowerCase();

/**
 * Returns a hasher of passwords (argon2id), for the accounts of a demo. It loads at its first use.
 * @example
 * const passwordHash = await hasher().hash('correct horse battery');
 */
export const hasher = (): Pick<Hasher, 'hash' | 'verify'> => {
  const load = () => import('./hasher.js').then(({ passwordHasher }) => passwordHasher());
  return {
    hash: async (...given) => (await load()).hash(...given),
    verify: async (...given) => (await load()).verify(...given),
  };
};

/**
 * The members of a new user, with those that an application adds to the model.
 * @example
 * const toFields = ({ role, ...rest }: Contract.UpdateUserRequestBody): Partial<UserFields> => ({ ...rest, … });
 */
export interface UserFields
  extends Pick<Prisma.UserUncheckedCreateInput, Exclude<keyof User, 'id' | 'createdAt' | 'version'>> {}
