import t from 'tap';
import { memoryDatabase } from '../support/databases.js';
import { skipUnlessWhole } from '../support/servers.js';

/** State that a case may leave behind besides rows, and a query that would show it to the next case. */
const left: Record<string, [change: string, question: string]> = {
  'a table': ['CREATE TABLE left_over (id int)', `SELECT to_regclass('left_over')::text AS found`],
  'a column': [
    'ALTER TABLE users ADD COLUMN left_over int',
    `SELECT attname AS found FROM pg_attribute WHERE attname = 'left_over'`,
  ],
  'a trigger that is gone': [
    'ALTER TABLE audit_events DISABLE TRIGGER ALL',
    `SELECT tgname AS found FROM pg_trigger WHERE tgrelid = 'audit_events'::regclass AND tgenabled <> 'O'`,
  ],
  'a function': [
    `CREATE FUNCTION left_over() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
    `SELECT proname AS found FROM pg_proc WHERE proname = 'left_over'`,
  ],
  'a value of a type': [
    `ALTER TYPE order_status ADD VALUE 'LEFT_OVER'`,
    `SELECT enumlabel AS found FROM pg_enum WHERE enumlabel = 'LEFT_OVER'`,
  ],
  'a setting': [
    `SET statement_timeout = '1234s'`,
    `SELECT 1 AS found WHERE current_setting('statement_timeout') = '1234s'`,
  ],
  'a lock': ['SELECT pg_advisory_lock(42)', `SELECT locktype AS found FROM pg_locks WHERE locktype = 'advisory'`],
  'a migration that is not recorded': [
    'DELETE FROM _prisma_migrations',
    'SELECT 1 AS found WHERE NOT EXISTS (SELECT FROM _prisma_migrations)',
  ],
  'an index that is gone': [
    'DROP INDEX users_email_key_key',
    `SELECT 1 AS found WHERE to_regclass('users_email_key_key') IS NULL`,
  ],
  'a row, and its number': [
    `INSERT INTO users (name, email, email_key, role) VALUES ('a', 'a', 'a', 'VIEWER')`,
    `SELECT 1 AS found WHERE EXISTS (SELECT FROM users) OR (SELECT is_called FROM users_id_seq)`,
  ],
};

const alone = 'cases share what runs the embedded database, and nothing that one has left in it';
t.test(alone, { skip: skipUnlessWhole }, async (t) => {
  for (const [what, [change, question]] of Object.entries(left)) {
    await t.test(`a case that leaves ${what}`, async (t) => {
      const { client } = await memoryDatabase(t);
      await client.$executeRawUnsafe(change);
      const found = await client.$queryRawUnsafe<{ found: unknown }[]>(question);
      t.ok(
        found.some((row) => row.found !== null),
        'it would be seen',
      );
    });
    await t.test(`the one after ${what}`, async (t) => {
      const { client } = await memoryDatabase(t);
      const found = await client.$queryRawUnsafe<{ found: unknown }[]>(question);
      t.strictSame(
        found.filter((row) => row.found !== null),
        [],
      );
    });
  }
});
