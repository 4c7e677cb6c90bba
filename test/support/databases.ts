import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import type { Test } from 'tap';
import { PrismaClient } from '../../src/platform/database/client.js';
import { type Database, openDatabase } from '../../src/platform/database/open.js';
import { POSTGRESQL, skipWithoutPostgresql } from './servers.js';

export type Opened = Database & {
  /** What DATABASE_URL would be for a second instance on the same data; undefined where there can be none. */
  url: string | undefined;
};
type Kind = Database['kind'];

/** What a machine that is busy with other things may take over the work of a case. The usual limits have cases of their own. */
export const PATIENT = { connect: 120_000, answer: 120_000, statement: 120_000, transaction: 120_000 };

let migrated: Promise<Blob> | undefined;

/** An embedded database with nothing in it: migrated once in this process, and copied. */
async function emptyDatabase(): Promise<Blob> {
  const database = await openDatabase('pglite://memory');
  return database.dump().finally(database.close);
}

async function openFresh(kind: Kind): Promise<Opened> {
  if (kind === 'embedded') {
    migrated ??= emptyDatabase();
    const options = { snapshot: await migrated, limits: PATIENT };
    return Object.assign(await openDatabase('pglite://memory', options), { url: undefined });
  }
  const name = `accord_test_${randomUUID().replaceAll('-', '')}`;
  const url = Object.assign(new URL(POSTGRESQL), { pathname: `/${name}` }).href;
  await administer(`CREATE DATABASE ${name}`);
  // Few connections each, for the tests of two checkouts may share a server.
  const database = await openDatabase(url, { limits: PATIENT, poolSize: 5 });
  const disconnect = database.close;
  const close = async () => {
    await disconnect();
    await administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  return Object.assign(database, { url, close });
}

async function administer(sql: string): Promise<void> {
  const client = new PrismaClient({ adapter: new PrismaPg({ connectionString: POSTGRESQL.href }) });
  await client.$executeRawUnsafe(sql);
  await client.$disconnect();
}

/** A fresh embedded database, for a case that needs no other. */
export async function memoryDatabase(t: Test): Promise<Opened> {
  const database = await openFresh('embedded');
  t.teardown(database.close);
  return database;
}

/** Runs the same cases on the embedded database and on PostgreSQL, each on a fresh one. */
export function onEachDatabase(t: Test, cases: (t: Test, open: () => Promise<Opened>) => Promise<void>): void {
  for (const kind of ['embedded', 'postgresql'] as const) {
    const skip = kind === 'postgresql' && skipWithoutPostgresql;
    t.test(`on ${kind}`, { skip }, (child) =>
      cases(child, async () => {
        const database = await openFresh(kind);
        child.teardown(database.close);
        return database;
      }),
    );
  }
}
