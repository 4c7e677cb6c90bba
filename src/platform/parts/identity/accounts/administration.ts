import { randomBytes } from 'node:crypto';
import { validate as isUuid } from 'uuid';
import { emailKey } from '../../../core/accounts.js';
import { CommandError } from '../../../core/calls/errors.js';
import { type HashParameters, passwordHasher } from '../../../core/hasher.js';
import { SHARED_SIGNALS } from '../../../core/names.js';
import type { Prisma, PrismaClient } from '../../../database/client.js';
import { audit, COMMAND_LINE } from '../audit/audit.js';
import { liveSessionsAt } from '../sessions/revocations.js';
import { sessionEnds } from '../sessions/session-ends.js';
import { ATTEMPT_AGE_MS, forgetAttempts } from './login-attempts.js';

const PASSWORD_BYTES = 18;

export interface AccountCommandsOptions {
  client: PrismaClient;
  now: () => number;
  hashing?: HashParameters | undefined;
}

/** Returns the operator's commands on accounts and sessions. */
export function accountCommands({ client, now, hashing }: AccountCommandsOptions) {
  const { end, endAll } = sessionEnds(SHARED_SIGNALS, now);

  async function find(db: Prisma.TransactionClient, email: string): Promise<number> {
    const user = await db.user.findUnique({ where: { emailKey: emailKey(email) }, select: { id: true } });
    if (!user) throw new CommandError(`There is no account with the e-mail address ${email}.`);
    return user.id;
  }

  return {
    /** Sets a random password, ends all sessions and tokens, and lets the owner log in at once. */
    async 'accounts.reset'({ email }: { email: string }): Promise<{ id: number; password: string }> {
      await find(client, email);
      const password = randomBytes(PASSWORD_BYTES).toString('base64url');
      // Hashed before the transaction, which it could outlast.
      const passwordHash = await passwordHasher(hashing).hash(password);
      return client.$transaction(async (db) => {
        const id = await find(db, email);
        await db.user.update({ where: { id }, data: { passwordHash }, select: { id: true } });
        await endAll(db, id);
        const time = { gte: new Date(now() - ATTEMPT_AGE_MS) };
        const where = { event: 'login.failed', subject: `user:${id}`, time };
        const failures = await db.auditEvent.findMany({ where, distinct: 'address', select: { address: true } });
        const addresses = failures.flatMap(({ address }) => address ?? []);
        await forgetAttempts(db, email, addresses);
        await audit(db, COMMAND_LINE, 'password.changed', `user:${id}`);
        return { id, password };
      });
    },

    /** Ends the sessions of an account with its access tokens, or one session. @param of an e-mail address or an id */
    'sessions.end': ({ of }: { of: string }): Promise<{ ended: number }> =>
      client.$transaction(async (db) => {
        if (isUuid(of)) {
          const ended = await end(db, COMMAND_LINE, 'session.revoked', { id: of, ...liveSessionsAt(now()) });
          if (ended === 0) throw new CommandError(`There is no live session ${of}.`);
          return { ended };
        }
        const userId = await find(db, of);
        await db.$queryRaw`SELECT id FROM users WHERE id = ${userId} FOR UPDATE`;
        const ended = await endAll(db, userId);
        await audit(db, COMMAND_LINE, 'session.revoked', `user:${userId}`);
        return { ended };
      }),
  };
}
