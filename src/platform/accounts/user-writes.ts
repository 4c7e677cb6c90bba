import { Prisma, type PrismaClient } from '../database/client.js';
import { membersOf } from '../database/columns.js';
import { type Statement, statement } from '../database/statement.js';
import type { Value } from '../database/values.js';
import { type Effect, effectStatement } from './effects.js';
import { type User, userColumns } from './user-reads.js';

const CREATED = { event: 'user.created', subject: "'user:' || id" } as const;

/** Statements of a kind that are kept, and prepared: of many members that may be left out there are more than a server should hold. */
const KEPT = 64;

/** As Prisma takes it, too: a time in text, JSON as it is. */
type Given = Readonly<Record<string, unknown>>;

/** A value of a member, as its column takes it. */
export function storable(type: string, value: unknown): Value {
  if (value === null || value === Prisma.DbNull) return null;
  if (type === 'Json') return JSON.stringify(value === Prisma.JsonNull ? null : value);
  // A column without a time zone would take no notice of the one in the text.
  if (type === 'DateTime' && Array.isArray(value)) return value.map((one) => new Date(one).toISOString());
  if (type === 'DateTime') return new Date(value as Date | string);
  return value as Value;
}

/** Gives the same for the same text, as far as it is kept. @param make gets no name for what is not */
function keptBy<Made>(name: string, make: (name: string, text: string) => Made): (text: string) => Made {
  const kept = new Map<string, Made>();
  return (text) => {
    const known = kept.get(text);
    if (known) return known;
    if (kept.size >= KEPT) return make('', text);
    const made = make(name, text);
    kept.set(text, made);
    return made;
  };
}

/**
 * How a user is added or changed of whom these members are given, those too that an application adds to the model. What is left
 * out stays, or gets the default of its column; Prisma's own defaults (`uuid()`, `@updatedAt`) are none.
 */
export function userWrites(client: PrismaClient) {
  const members = membersOf(client, 'User');
  const all = userColumns(client).sql;
  const writtenOf = (given: Given) =>
    members
      .filter(({ member }) => given[member] !== undefined)
      .map(({ member, column, type }) => ({ column, value: storable(type, given[member]) }));
  const valuesOf = (written: readonly { value: Value }[]) => written.map(({ value }) => value);

  const insertionOf = keptBy('user created', (name, text) => effectStatement<Value[], User>(name, text, CREATED));
  const changeOf = keptBy('user changed', (name, text) => statement<Value[], User>(name, text));

  return {
    /** The effect that adds a user, and its values. */
    insertion(given: Given): [Effect<Value[], User>, ...Value[]] {
      const written = writtenOf(given);
      const columns = written.map(({ column }) => column).join();
      const values = written.map((_one, place) => `$${place + 1}`).join();
      const text = `INSERT INTO users (${columns}) SELECT ${values} FROM permitted RETURNING ${all}`;
      return [insertionOf(text), ...valuesOf(written)];
    },

    /** The statement that makes another version of a user, and its values. */
    change(id: number, given: Given): [Statement<Value[], User>, ...Value[]] {
      const written = writtenOf(given);
      const set = written.map(({ column }, place) => `${column} = $${place + 2}, `).join('');
      const text = `UPDATE users SET ${set}version = version + 1 WHERE id = $1 RETURNING ${all}`;
      return [changeOf(text), id, ...valuesOf(written)];
    },
  };
}
