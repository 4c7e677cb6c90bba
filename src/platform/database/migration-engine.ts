import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { FieldDef, Pool, QueryResult } from 'pg';
import type { Migration } from './migrations.js';

/** Tables that are not Prisma's to manage: none. */
export const filters = { externalTables: [], externalEnums: [] };

/** As much of it as is used here: TypeScript has it in its library for browsers only. */
declare const WebAssembly: {
  instantiate: (
    code: Uint8Array,
    imports: object,
  ) => Promise<{ instance: { exports: { __wbindgen_start: () => void } } }>;
};

let loaded: Promise<typeof SchemaEngine> | undefined;

/**
 * Prisma's schema engine as WebAssembly: no binary is downloaded. It compares schemas; migrations are applied
 * without it. It replays migrations in the database that it is given, which must be one to throw away. Free it after use.
 */
export async function schemaEngine(scrap: Pool): Promise<SchemaEngine> {
  loaded ??= load();
  // It logs every script that it applies; its errors are thrown as well.
  const log = (): void => {};
  const connect = () => adapterFor(scrap);
  const { provider, adapterName } = new PrismaPg(scrap);
  const adapter = bindMigrationAwareSqlAdapterFactory({ provider, adapterName, connect, connectToShadowDb: connect });
  return (await loaded).new({ datamodels: undefined }, log, adapter);
}

/** Types by their numbers. */
const CHAR = 18;
const TEXT = 25;

/**
 * Returns Prisma's adapter with two faults of @prisma/adapter-pg 7.10 corrected: it reads no "char", of which PostgreSQL has
 * columns in its catalogue; and it cuts a script at each semicolon, in functions and strings as well.
 */
async function adapterFor(scrap: Pool): Promise<SqlDriverAdapter> {
  const query = scrap.query.bind(scrap) as (...args: unknown[]) => Promise<QueryResult>;
  let chars: number[] = [];
  const charAsText = async (...args: unknown[]) => {
    const result = await query(...args);
    chars = result.fields.flatMap(({ dataTypeID }, place) => (dataTypeID === CHAR ? [place] : []));
    for (const place of chars) Object.assign(result.fields[place] as FieldDef, { dataTypeID: TEXT });
    return result;
  };
  const driver = Object.assign(Object.create(scrap) as Pool, { query: charAsText });
  const adapter = await new PrismaPg(driver).connect();
  const queryRaw = adapter.queryRaw.bind(adapter);
  return Object.assign(adapter, {
    executeScript: async (script: string) => void (await query(script)),
    queryRaw: async (question: SqlQuery) => {
      const result = await queryRaw(question);
      for (const place of chars) result.columnTypes[place] = ColumnTypeEnum.Character;
      return result;
    },
  });
}

async function load(): Promise<typeof SchemaEngine> {
  const engine = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const binary = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const code = await readFile(binary.replace(/js$/, 'wasm'));
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': withoutTimers(engine) });
  engine.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  // The engine calls this before it aborts, and fails in a way hard to read when it is missing.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: (text: string) => console.error(text) } });
  return engine.SchemaEngine;
}

/** It times its wait for the advisory lock and never clears the timer: for ten seconds the process could not end. */
const withoutTimers = (engine: object): object =>
  Object.fromEntries(
    Object.entries(engine).map(([name, part]) =>
      name.startsWith('__wbg_setTimeout_')
        ? [name, (done: () => void, milliseconds: number) => setTimeout(done, milliseconds >>> 0).unref()]
        : [name, part],
    ),
  );

/** The migrations as the engine wants them. */
export const migrationList = (migrations: Migration[]): MigrationList => ({
  baseDir: 'prisma/migrations',
  lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
  shadowDbInitScript: '',
  migrationDirectories: migrations.map(({ name, script }) => ({
    path: name,
    migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
  })),
});
