/** Loads Prisma's schema engine for `accord migrate`, which compares the migrations with schema.prisma in a scratch database. @module */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Migration, RESET_SESSION } from '@accord-api/platform/database/migrations';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { FieldDef, Pool, QueryResult } from 'pg';

export const migrationFilters = { externalTables: [], externalEnums: [] };

/** TypeScript declares these members only in its library for browsers. */
declare const WebAssembly: {
  instantiate: (
    code: Uint8Array,
    imports: object,
  ) => Promise<{ instance: { exports: { __wbindgen_start: () => void } } }>;
};

let loaded: Promise<typeof SchemaEngine> | undefined;

/** Returns Prisma's schema engine as WebAssembly. It compares schemas by replaying migrations in `shadow`. */
export async function schemaEngine(shadow: Pool): Promise<SchemaEngine> {
  loaded ??= load();
  // The engine also throws the errors that it logs.
  const log = (): void => {};
  const connect = () => adapterFor(shadow);
  const { provider, adapterName } = new PrismaPg(shadow);
  const adapter = bindMigrationAwareSqlAdapterFactory({ provider, adapterName, connect, connectToShadowDb: connect });
  return (await loaded).new({ datamodels: undefined }, log, adapter);
}

/** PostgreSQL type OIDs. */
const CHAR = 18;
const TEXT = 25;

/** Works around @prisma/adapter-pg 7.10: it cannot read "char" columns, and splits scripts at every semicolon. */
async function adapterFor(shadow: Pool): Promise<SqlDriverAdapter> {
  const query = shadow.query.bind(shadow) as (...args: unknown[]) => Promise<QueryResult>;
  let chars: number[] = [];
  const charAsText = async (...args: unknown[]) => {
    const result = await query(...args);
    chars = result.fields.flatMap(({ dataTypeID }, place) => (dataTypeID === CHAR ? [place] : []));
    for (const place of chars) Object.assign(result.fields[place] as FieldDef, { dataTypeID: TEXT });
    return result;
  };
  const driver = Object.assign(Object.create(shadow) as Pool, { query: charAsText });
  const adapter = await new PrismaPg(driver).connect();
  const queryRaw = adapter.queryRaw.bind(adapter);
  return Object.assign(adapter, {
    executeScript: async (script: string) => {
      await query(RESET_SESSION);
      await query(script);
    },
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
  // The engine calls this function before it aborts. Its message is unreadable without the function.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: (text: string) => console.error(text) } });
  return engine.SchemaEngine;
}

/** Unrefs timers: the engine never clears the timer of its lock, which would keep the process alive for ten seconds. */
const withoutTimers = (engine: object): object =>
  Object.fromEntries(
    Object.entries(engine).map(([name, part]) =>
      name.startsWith('__wbg_setTimeout_')
        ? [name, (done: () => void, milliseconds: number) => setTimeout(done, milliseconds >>> 0).unref()]
        : [name, part],
    ),
  );

export const migrationList = (migrations: Migration[]): MigrationList => ({
  baseDir: 'prisma/migrations',
  lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
  shadowDbInitScript: '',
  migrationDirectories: migrations.map(({ name, script }) => ({
    path: name,
    migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
  })),
});
