import type { PrismaClient } from '../database/client.js';
import { membersOf } from '../database/columns.js';
import { type Statement, statement } from '../database/statement.js';
import type { Value } from '../database/values.js';
import { type Effect, effectStatement } from './effects.js';
import { type User, userColumns } from './user-reads.js';

const CREATED = { event: 'user.created', subject: "'user:' || id" } as const;

type Given = Readonly<Record<string, Value | undefined>>;

/**
 * How a user is added or changed of whom these members are given, those too that an application adds to the model. What is left
 * out stays, or gets the default of its column; Prisma's own defaults (`uuid()`, `@updatedAt`) are none.
 */
export function userWrites(client: PrismaClient) {
  const members = membersOf(client, 'User');
  const all = userColumns(client).sql;
  const writtenOf = (given: Given) => members.filter(({ member }) => given[member] !== undefined);
  const insertions = new Map<string, Effect<Value[], User>>();
  const changes = new Map<string, Statement<Value[], User>>();

  return {
    /** The effect that adds a user, and its values. */
    insertion(given: Given): [Effect<Value[], User>, ...Value[]] {
      const written = writtenOf(given);
      const columns = written.map(({ column }) => column).join();
      const known = insertions.get(columns);
      const values = written.map((_member, place) => `$${place + 1}`).join();
      const text = `INSERT INTO users (${columns}) SELECT ${values} FROM permitted RETURNING ${all}`;
      const effect = known ?? effectStatement<Value[], User>('user created', text, CREATED);
      insertions.set(columns, effect);
      return [effect, ...written.map(({ member }) => given[member] as Value)];
    },

    /** The statement that makes another version of a user, and its values. */
    change(id: number, given: Given): [Statement<Value[], User>, ...Value[]] {
      const written = writtenOf(given);
      const set = written.map(({ column }, place) => `${column} = $${place + 2}, `).join('');
      const text = `UPDATE users SET ${set}version = version + 1 WHERE id = $1 RETURNING ${all}`;
      const changed = changes.get(set) ?? statement<Value[], User>('user changed', text);
      changes.set(set, changed);
      return [changed, id, ...written.map(({ member }) => given[member] as Value)];
    },
  };
}
