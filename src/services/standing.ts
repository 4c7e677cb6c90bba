import type { PrismaClient } from '../database/client.js';
import type { Actor } from './access.js';

/**
 * For connections that outlive a request: asks the database, in one statement, whose account is gone or has another role.
 * @returns those among the actors that must not go on
 */
export const standing =
  (client: PrismaClient) =>
  async (actors: readonly Actor[]): Promise<ReadonlySet<Actor>> => {
    if (actors.length === 0) return new Set();
    const ids = [...new Set(actors.map(({ id }) => id))];
    const users = await client.user.findMany({ where: { id: { in: ids } }, select: { id: true, role: true } });
    const roles = new Map(users.map(({ id, role }) => [id, role]));
    return new Set(actors.filter(({ id, role }) => roles.get(id) !== role));
  };

export type IsRevoked = ReturnType<typeof standing>;
