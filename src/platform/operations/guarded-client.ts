import type { Actor, Call } from '../calls/access.js';
import type { AnyRow, Db, Tx } from './model.js';
import type { DeclaredModels } from './model-data.js';
import { modelGuard } from './model-guard.js';
import type { ModelStreams } from './streams.js';

/** What a guarded client asks of the call that it belongs to. */
export interface ClientAccess {
  readonly call: Call;
  /** The action of the operation; undefined for the system, which may do everything. */
  readonly action: string | undefined;
  /** The caller with its present role. */
  readonly actor: () => Actor;
  /** Returns the client that reads: the open transaction of a writing call, else the shared client. */
  readonly reader: () => Promise<Tx>;
  /** Returns the client of the transaction, before content and rate are checked: conflicts come first. */
  readonly transaction: () => Promise<Tx>;
  /** Checks content and rate. */
  readonly enforce: () => Promise<void>;
  /** Registers work for after the commit. */
  readonly onCommit: (work: () => void) => void;
  /** The row of the target. The caller may write it, and the transaction has locked it. */
  readonly permitted: () => { readonly model: string; readonly row: AnyRow } | undefined;
  /** @throws Failure PRECONDITION_FAILED for a stale `If-Match` of the target */
  readonly checkPrecondition: () => void;
}

const accesses = new WeakMap<object, ClientAccess>();

/** Returns the call behind a `db`, for services of the platform. @throws TypeError for another object */
export function accessOf(db: Db): ClientAccess {
  const access = accesses.get(db);
  if (!access) throw new TypeError('This is not the `db` of an operation.');
  return access;
}

/** The calls of one operation, so that none is left behind when the operation ends. */
export interface CallLog {
  /** Calls that have begun and not ended. */
  readonly running: Set<Promise<unknown>>;
  /** Writes that nobody has awaited, with their names. */
  readonly pending: Map<object, string>;
  /** The first write that failed. It fails the operation, also when the handler has caught it: PostgreSQL commits nothing then. */
  failed: { readonly error: unknown } | undefined;
}

export const callLog = (): CallLog => ({ running: new Set(), pending: new Map(), failed: undefined });

const READS = new Set([
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
]);

/** Returns the Prisma client of one call; see `Db`. */
export function guardedClient(models: DeclaredModels, streams: ModelStreams, access: ClientAccess, log: CallLog): Db {
  const delegates = new Map<string, object>();
  const delegateOf = (name: string): object => {
    const data = models.byDelegate(name);
    if (data) return guardedDelegate(name, modelGuard(data, access, streams), log);
    throw new TypeError(
      name.startsWith('$')
        ? `db.${name} is not available: an operation is one transaction already, and has no raw access.`
        : `db.${name} is not available: declare the model in the \`models\` of the application.`,
    );
  };
  const db = new Proxy({} as Db, {
    get(_target, name) {
      // Whoever awaits a value asks for `then`.
      if (typeof name !== 'string' || name === 'then') return undefined;
      const delegate = delegates.get(name) ?? delegateOf(name);
      delegates.set(name, delegate);
      return delegate;
    },
  });
  accesses.set(db, access);
  return db;
}

function guardedDelegate(name: string, { read, writes }: ReturnType<typeof modelGuard>, log: CallLog): object {
  return new Proxy(
    {},
    {
      get(_target, operation) {
        if (typeof operation !== 'string') return undefined;
        if (READS.has(operation)) return (args = {}) => lazyCall(() => read(operation, args), log);
        const write = Object.hasOwn(writes, operation) ? writes[operation as keyof typeof writes] : undefined;
        if (!write) throw new TypeError(`db.${name}.${operation} is not available in an operation.`);
        return (args = {}) => lazyCall(() => write(args), log, `db.${name}.${operation}`);
      },
    },
  );
}

/** Returns what Prisma calls a promise: the call begins when somebody awaits it. */
function lazyCall(run: () => Promise<unknown>, log: CallLog, write?: string): object {
  let begun: Promise<unknown> | undefined;
  const begin = (): Promise<unknown> => {
    if (begun) return begun;
    log.pending.delete(lazy);
    const running = run();
    begun = running;
    log.running.add(running);
    running
      .catch((error: unknown) => {
        if (write !== undefined) log.failed ??= { error };
      })
      .finally(() => log.running.delete(running));
    return running;
  };
  const lazy = {
    // biome-ignore lint/suspicious/noThenProperty: promises of Prisma are lazy in the same way.
    then: (done: never, failed: never) => begin().then(done, failed),
    catch: (failed: never) => begin().catch(failed),
    finally: (done: never) => begin().finally(done),
    [Symbol.toStringTag]: 'PrismaPromise',
  };
  if (write !== undefined) log.pending.set(lazy, write);
  return lazy;
}
