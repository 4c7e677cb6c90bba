import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { atEnd } from './ending.js';

/** Given to `openDatabase` as the snapshot of a database that may come from the stock. */
const snapshots = new WeakSet<Blob>();
/** Engines that nobody uses, each as its snapshot made it. */
const stock: Engine[] = [];

interface Engine {
  pglite: PGlite;
  /** All tables that its snapshot left empty, to be emptied again. */
  empty: string;
  /** What the cases may not change: see `FORM`. */
  form: string;
}

/**
 * Everything but rows: what a case creates, alters or drops, how it sets the session, what it has left locked, and statistics.
 * The numbers of the objects are in it, so that a thing made anew under the same name is another one.
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
 * Lets embedded databases that are opened of this snapshot share what runs them, one after the other: an engine is half a
 * second's work to make, and a tenth of that to empty. What a case has done besides writing rows ends its engine with it.
 * @param snapshot of a database that is migrated and holds no rows
 */
export function recycle(snapshot: Blob): Blob {
  snapshots.add(snapshot);
  return snapshot;
}

let isFirst = true;

async function made(options: Options): Promise<Engine> {
  // An engine holds up the end of the process.
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

/** An engine in the hands of one database: once that is closed, it answers as a closed one does. */
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

/** Puts an engine back, as its snapshot made it; or ends it, when it may not be that. */
async function returned({ pglite, empty, form }: Engine, idle: boolean): Promise<void> {
  if (!idle || pglite.isInTransaction()) return pglite.close();
  await pglite.exec('DEALLOCATE ALL; UNLISTEN *');
  if ((await formOf(pglite)) !== form) return pglite.close();
  // As a replica, for there is a table whose trigger refuses it.
  await pglite.exec(`BEGIN; SET LOCAL session_replication_role = replica; TRUNCATE ${empty} RESTART IDENTITY; COMMIT`);
  stock.push({ pglite, empty, form });
}
