import { type Database, openDatabase } from '../database/open.js';
import { PATIENT } from './patience.js';

let migrated: Promise<Blob> | undefined;

/** What the migrations of the project make of an embedded database: done once in a process, and copied. */
async function migratedOnce(): Promise<Blob> {
  const database = await openDatabase('pglite://memory', { limits: PATIENT });
  return database.dump().finally(database.close);
}

/** A fresh embedded database in memory, with the tables of the project and nothing in them. */
export async function freshDatabase(): Promise<Database> {
  migrated ??= migratedOnce();
  return openDatabase('pglite://memory', { snapshot: await migrated, limits: PATIENT });
}
