import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { atEnd } from './ending.js';

/** The snapshots whose databases share engines. */
const snapshots = new WeakSet<Blob>();
/** The free engines, each in the state of its snapshot. */
const stock: Engine[] = [];

interface Engine {
  pglite: PGlite;
  /** The tables that the snapshot leaves empty. */
  empty: string;
  /** The fingerprint of the catalog: see `FORM`. */
  form: string;
}

/**
 * Computes a fingerprint of everything except rows: objects with their OIDs, session settings, locks and statistics. An
 * object that was dropped and recreated has another OID.
 */
const FORM = `SELECT md5(string_agg(part, E'\\n' ORDER BY part)) AS form FROM (
  SELECT concat_ws(' ', 'class', c.oid, relname, relnamespace, relkind, relnatts, relhastriggers, relpersistence, relchecks, reloptions) AS part
    FROM pg_class c WHERE c.oid >= 16384
  UNION ALL SELECT concat_ws(' ', 'attribute', attrelid, attnum, attname, atttypid, atttypmod, attnotnull, atthasdef, attisdropped)
    FROM pg_attribute WHERE attrelid >= 16384
  UNION ALL SELECT concat_ws(' ', 'default', oid, pg_get_expr(adbin, adrelid)) FROM pg_attrdef
  UNION ALL SELECT concat_ws(' ', 'index', indexrelid, indisvalid, indisunique) FROM pg_index WHERE indexrelid >= 16384
  UNION ALL SELECT concat_ws(' ', 'trigger', oid, tgname, tgenabled) FROM pg_trigger
  UNION ALL SELECT concat_ws(' ', 'routine', oid, proname, md5(prosrc)) FROM pg_proc WHERE oid >= 16384
  UNION ALL SELECT concat_ws(' ', 'constraint', oid, conname, convalidated, pg_get_constraintdef(oid)) FROM pg_constraint WHERE oid >= 16384
  UNION ALL SELECT concat_ws(' ', 'type', oid, typname) FROM pg_type WHERE oid >= 16384
  UNION ALL SELECT concat_ws(' ', 'value', oid, enumlabel, enumsortorder) FROM pg_enum
  UNION ALL SELECT concat_ws(' ', 'schema', oid, nspname) FROM pg_namespace WHERE nspname NOT LIKE 'pg_toast%'
  UNION ALL SELECT concat_ws(' ', 'role', oid, rolname, rolconfig) FROM pg_roles
  UNION ALL SELECT concat_ws(' ', 'database', setdatabase, setrole, setconfig) FROM pg_db_role_setting
  UNION ALL SELECT concat_ws(' ', 'setting', name, setting) FROM pg_settings WHERE source NOT IN ('default', 'override')
  UNION ALL SELECT concat_ws(' ', 'lock', locktype, objid) FROM pg_locks WHERE locktype = 'advisory'
  UNION ALL SELECT concat_ws(' ', 'statistics', starelid, staattnum) FROM pg_statistic WHERE starelid >= 16384
  UNION ALL SELECT concat_ws(' ', 'migration', migration_name, checksum) FROM public._prisma_migrations
) AS parts`;

type Options = Pick<PGliteOptions, 'loadDataDir' | 'startParams'>;
const create = PGlite.create.bind(PGlite) as (dataDir: string, options: Options) => Promise<PGlite>;
PGlite.create = (async (dataDir: string, options: Options = {}) =>
  options.loadDataDir && snapshots.has(options.loadDataDir)
    ? lent(stock.pop() ?? (await made(options)))
    : create(dataDir, options)) as typeof PGlite.create;

/**
 * Lets embedded databases that are opened from a snapshot reuse engines: creating an engine takes half a second,
 * emptying it a tenth of that. An engine that a test changed in another way than by rows is closed.
 * @param snapshot of a migrated database without rows
 */
export function recycle(snapshot: Blob): Blob {
  snapshots.add(snapshot);
  return snapshot;
}

let isFirst = true;

async function made(options: Options): Promise<Engine> {
  // An open engine keeps the process alive.
  if (isFirst) atEnd(() => Promise.all(stock.splice(0).map(({ pglite }) => pglite.close())));
  isFirst = false;
  const pglite = await create('memory://', options);
  const { rows } = await pglite.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`,
  );
  return { pglite, empty: rows.map(({ name }) => name).join(', '), form: await formOf(pglite) };
}

const formOf = async (pglite: PGlite): Promise<string> =>
  (await pglite.query<{ form: string }>(FORM)).rows[0]?.form as string;

/** Returns an engine for one database, which rejects queries after that database is closed. */
function lent(engine: Engine): PGlite {
  const { pglite } = engine;
  let underWay = 0;
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= returned(engine, underWay === 0));
  return new Proxy(pglite, {
    get(target, key) {
      if (key === 'closed') return closed !== undefined;
      if (key === 'close') return close;
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (closed) throw new Error('PGlite is closed');
        const result: unknown = value.apply(target, args);
        if (!(result instanceof Promise)) return result;
        underWay++;
        return result.finally(() => {
          underWay--;
        });
      };
    },
  });
}

/** Empties an engine for reuse, or closes it if it was changed. */
async function returned({ pglite, empty, form }: Engine, idle: boolean): Promise<void> {
  if (!idle || pglite.isInTransaction()) return pglite.close();
  await pglite.exec('DEALLOCATE ALL; UNLISTEN *');
  if ((await formOf(pglite)) !== form) return pglite.close();
  // The replica role skips the trigger that forbids TRUNCATE.
  await pglite.exec(`BEGIN; SET LOCAL session_replication_role = replica; TRUNCATE ${empty} RESTART IDENTITY; COMMIT`);
  stock.push({ pglite, empty, form });
}
