/** A schema with every kind of column, its Prisma client, and databases of it. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { build } from 'esbuild';
import pg from 'pg';
import type { Test } from 'tap';
import { pgliteSockets } from '../../src/platform/database/embedded.js';
import type { DataModel } from '../../src/prepared-prisma/data-model.js';
import { generatePrismaClient } from '../../src/workbench/model/prisma-schema.js';
import { kept } from '../support/kept.js';
import { ROOT } from '../support/process.js';
import { POSTGRESQL, skipWithoutPostgresql } from '../support/servers.js';

const FOLDER = join(ROOT, 'test/prepared-prisma/fixture');
const GENERATOR = join(ROOT, 'src/platform/database/data-model-generator.js');
const schema = readFileSync(join(FOLDER, 'schema.prisma'), 'utf8');
export const tables = readFileSync(join(FOLDER, 'schema.sql'), 'utf8');

const generators = (generator: string) => `
generator client {
  provider               = "prisma-client"
  output                 = "../generated/prisma"
  runtime                = "nodejs"
  moduleFormat           = "esm"
  importFileExtension    = "js"
  generatedFileExtension = "ts"
  previewFeatures        = ["relationJoins", "strictUndefinedChecks"]
}

generator dataModel {
  provider = "node ${generator}"
  output   = "../generated/prisma"
}

`;

/** A client of the fixture. Its types are made when the tests run, and so are not known here. */
// biome-ignore lint/suspicious/noExplicitAny: the reason is above
export type Db = any;

/** Generates the client, once for all processes. */
async function generated(): Promise<string> {
  const version = readFileSync(join(ROOT, 'node_modules/@prisma/client/package.json'), 'utf8');
  const hash = createHash('sha256').update(version + schema + readFileSync(GENERATOR, 'utf8') + generators(''));
  return kept(`prepared-prisma-${hash.digest('hex').slice(0, 16)}`, async (path) => {
    mkdirSync(join(path, 'prisma'), { recursive: true });
    writeFileSync(join(path, 'prisma/schema.prisma'), generators(GENERATOR) + schema);
    writeFileSync(join(path, 'package.json'), '{ "type": "module" }');
    await generatePrismaClient(path);
    const prisma = join(path, 'generated/prisma');
    await build({
      entryPoints: [join(prisma, 'client.ts'), join(prisma, 'data-model.ts')],
      outdir: prisma,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
    });
  });
}

const folder = join(await generated(), 'generated/prisma');
if (!existsSync(folder)) throw new Error(`${folder} was not generated.`);
export const { PrismaClient, Prisma }: { PrismaClient: new (options: object) => Db; Prisma: Db } = await import(
  join(folder, 'client.js')
);
export const { dataModel }: { dataModel: DataModel } = await import(join(folder, 'data-model.js'));

export const make = (adapter: SqlDriverAdapterFactory): Db => new PrismaClient({ adapter, errorFormat: 'minimal' });

export interface Opened {
  kind: 'embedded' | 'postgresql';
  /** Makes a pool, which ends with the test. The embedded database has only one. */
  pool: (options?: object) => pg.Pool;
}

async function openPostgresql(t: Test): Promise<Opened> {
  const name = `accord_test_${randomUUID().replaceAll('-', '')}`;
  const administer = async (sql: string) => {
    const client = new pg.Client({ connectionString: POSTGRESQL.href });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await administer(`CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(POSTGRESQL), { pathname: `/${name}` });
  url.searchParams.set('options', '-c TimeZone=UTC');
  const pools: pg.Pool[] = [];
  t.teardown(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
  const pool: Opened['pool'] = (options) => {
    const made = new pg.Pool({ connectionString: url.href, max: 4, ...options });
    made.on('error', () => {});
    pools.push(made);
    return made;
  };
  await pool().query(tables);
  return { kind: 'postgresql', pool };
}

async function openEmbedded(t: Test): Promise<Opened> {
  const database = await PGlite.create('memory://');
  await database.exec(tables);
  // A new socket closes the one before it: there is one pool.
  const options = { stream: pgliteSockets(database), user: 'postgres', database: 'postgres', pipeline: true, max: 1 };
  const pool = new pg.Pool(options as object);
  t.teardown(async () => {
    await pool.end();
    await database.close();
  });
  return { kind: 'embedded', pool: () => pool };
}

/** Runs the same cases on the embedded database behind `pg`, and on PostgreSQL. */
export function onEachDatabase(t: Test, cases: (t: Test, database: Opened) => Promise<void>): void {
  t.test('on embedded', async (child) => cases(child, await openEmbedded(child)));
  t.test('on postgresql', { skip: skipWithoutPostgresql }, async (child) => cases(child, await openPostgresql(child)));
}
