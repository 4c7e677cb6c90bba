import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import root, { type Test } from 'tap';
import { PrismaClient } from '../../src/platform/database/client.js';
import { readMigrations } from '../../src/platform/database/migrations.js';
import { type Database, openDatabase } from '../../src/platform/database/open.js';
import { TEST_TIMEOUTS_MS } from '../../src/testing/service.js';
import { atEnd } from './ending.js';
import { recycle } from './engines.js';
import { kept } from './kept.js';
import { ROOT } from './process.js';
import { POSTGRESQL, skipWithoutPostgresql } from './servers.js';
import './rsa-keys.js';

export type Opened = Database & {
  /** The DATABASE_URL of a second instance on the same data; undefined for an embedded database. */
  url: string | undefined;
};
type Kind = Database['kind'];

export { TEST_TIMEOUTS_MS };

const require = createRequire(import.meta.url);
const versionOf = (name: string) => {
  const manifest = join(require.resolve(name), '..', '..', 'package.json');
  return readFileSync(manifest, 'utf8');
};

/**
 * Returns a hash for the name of a database: of the migrations, the code that runs them, and further sources, by their
 * paths.
 */
export function madeOf(...sources: string[]): string {
  const made = createHash('sha256');
  for (const { name, checksum } of readMigrations()) made.update(`${name} ${checksum}\n`);
  for (const path of ['src/platform/database/migrations.ts', ...sources]) made.update(readFileSync(join(ROOT, path)));
  for (const name of ['@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs']) made.update(versionOf(name));
  return made.digest('hex').slice(0, 16);
}

/** Returns a dump of a migrated, empty database, which all processes share. */
async function emptyDatabase(): Promise<Blob> {
  const tar = await kept(`migrated-${madeOf()}.tar`, async (path) => {
    const database = await openDatabase('pglite://memory');
    const dump = await database.dump().finally(database.close);
    writeFileSync(path, Buffer.from(await dump.arrayBuffer()));
  });
  return new Blob([readFileSync(tar)]);
}

let migrated: Promise<Blob> | undefined;
let template: Promise<string> | undefined;

async function openFresh(kind: Kind, client?: 'prisma'): Promise<Opened> {
  if (kind === 'embedded') {
    migrated ??= emptyDatabase().then(recycle);
    const options = { snapshot: await migrated, limits: TEST_TIMEOUTS_MS, client: () => client };
    return Object.assign(await openDatabase('pglite://memory', options), { url: undefined });
  }
  template ??= emptyTemplate();
  const name = newName();
  await administer(`CREATE DATABASE ${name} TEMPLATE ${await template}`);
  // The pool is small, because tests of two checkouts may share a server.
  const database = await openDatabase(addressOf(name), {
    limits: TEST_TIMEOUTS_MS,
    poolSize: 5,
    client: () => client,
  });
  const disconnect = database.close;
  const close = async () => {
    await disconnect();
    await drop(name);
  };
  return Object.assign(database, { url: addressOf(name), close });
}

/** Creates a migrated, empty database on the server, once per process, as a template. */
async function emptyTemplate(): Promise<string> {
  const name = newName();
  await administer(`CREATE DATABASE ${name}`);
  atEnd(() => drop(name));
  await (await openDatabase(addressOf(name), { limits: TEST_TIMEOUTS_MS, poolSize: 1 })).close();
  return name;
}

/** Creates a database without tables on the server and returns its address. The end of the test drops it. */
export async function blankDatabase(t: Test): Promise<string> {
  const name = newName();
  await administer(`CREATE DATABASE ${name}`);
  t.teardown(() => drop(name));
  return addressOf(name);
}

const newName = () => `accord_test_${randomUUID().replaceAll('-', '')}`;
const addressOf = (name: string) => Object.assign(new URL(POSTGRESQL), { pathname: `/${name}` }).href;
const drop = (name: string) => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);

/** Runs a statement on the server, outside of the databases of tests. */
export async function administer(sql: string): Promise<void> {
  const client = new PrismaClient({ adapter: new PrismaPg({ connectionString: POSTGRESQL.href }) });
  await client.$executeRawUnsafe(sql);
  await client.$disconnect();
}

/** Opens a fresh embedded database. */
export async function memoryDatabase(t: Test): Promise<Opened> {
  const database = await openFresh('embedded');
  if (t === root) atEnd(database.close);
  else t.teardown(database.close);
  return database;
}

/** Runs the same tests on the embedded database and on PostgreSQL, each time on a fresh database. */
export function onEachDatabase(
  t: Test,
  cases: (t: Test, open: () => Promise<Opened>) => Promise<void>,
  client?: 'prisma',
): void {
  for (const kind of ['embedded', 'postgresql'] as const) {
    const skip = kind === 'postgresql' && skipWithoutPostgresql;
    t.test(`on ${kind}`, { skip }, (child) =>
      cases(child, async () => {
        const database = await openFresh(kind, client);
        child.teardown(database.close);
        return database;
      }),
    );
  }
}
