import type { PrismaClient } from '../database/client.js';
import { accessOf } from '../operations/client-access.js';
import type { Db } from '../operations/model.js';
import { withHidden } from '../operations/model-guard.js';
import { refuseDuplicate, type User, type UserFields } from './user-model.js';

interface UsersDependencies {
  client: PrismaClient;
  /** Hashes a password when it is the turn of the caller's network. */
  hashPassword: (address: string, password: string) => Promise<string>;
}

/** What handlers do with accounts beyond Prisma. */
export const usersService = ({ client, hashPassword }: UsersDependencies) => ({
  /**
   * Creates an account. Without a password nobody can log in until one is set.
   * @throws Failure CONFLICT for an e-mail address that is taken
   * @example
   * handler: ({ body }, { db, services }) => services.users.create(db, body)
   */
  async create(db: Db, { password, ...fields }: UserFields & { password?: string | undefined }): Promise<User> {
    if (password === undefined) return db.user.create({ data: fields as never });
    // A hash costs much, so what would be refused is refused before.
    const { call } = accessOf(db);
    await refuseDuplicate(client, fields.email);
    await call.checkpoint();
    const passwordHash = await hashPassword(call.address, password);
    return db.user.create({ data: withHidden({ ...fields, passwordHash }) as never });
  },
});
