import type { PrismaClient } from '../database/client.js';
import { membersOf } from '../database/columns.js';
import type { Value } from '../database/values.js';
import { type Effect, effectStatement } from './effects.js';
import { type User, userColumns } from './user-reads.js';

const CREATED = { event: 'user.created', subject: "'user:' || id" } as const;

/**
 * How a user is added of whom these members are given, those too that an application adds to the model. What is left out gets
 * the default of its column.
 */
export function userInsertion(client: PrismaClient) {
  const members = membersOf(client, 'User');
  const prepared = new Map<string, Effect<Value[], User>>();

  return (given: Readonly<Record<string, Value | undefined>>): [Effect<Value[], User>, ...Value[]] => {
    const written = members.filter(({ member }) => given[member] !== undefined);
    const columns = written.map(({ column }) => column).join();
    const values = written.map((_member, place) => `$${place + 1}`).join();
    const text = `INSERT INTO users (${columns}) SELECT ${values} FROM permitted RETURNING ${userColumns(client).sql}`;
    const effect = prepared.get(text) ?? effectStatement<Value[], User>('user created', text, CREATED);
    prepared.set(text, effect);
    return [effect, ...written.map(({ member }) => given[member] as Value)];
  };
}
