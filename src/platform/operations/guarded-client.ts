import { setImmediate as nextTurn } from 'node:timers/promises';
import { authenticated, type Call } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { PrismaClient } from '../database/client.js';
import { faultOf } from '../database/faults.js';
import type { Idempotency } from '../idempotency/idempotency.js';
import { boundedClient } from '../prepared-prisma/prepared-client.js';
import { type CallLog, callLog, endCalls, manualTransaction } from './call-transaction.js';
import { type ClientAccess, storeAccess } from './client-access.js';
import { type Db, READ_CALLS, type ReadCall } from './model.js';
import type { DeclaredModels } from './model-data.js';
import { modelGuard } from './model-guard.js';
import type { ModelStreams } from './model-streams.js';
import type { PageReader } from './pages.js';

/** The services that all operations of a process share. */
export interface OperationServices {
  readonly client: PrismaClient;
  readonly idempotency: Pick<Idempotency, 'inTurn' | 'recall' | 'claim' | 'keep'>;
  readonly models: DeclaredModels;
  readonly streams: ModelStreams;
  readonly pages: PageReader;
  /** Receives errors of `onCommit`. */
  readonly onCommitFault: (operation: string, error: unknown) => void;
}

/** Returns true for an error that does not abort the transaction in PostgreSQL. */
const isHarmless = (error: unknown): boolean =>
  error instanceof Failure ||
  error instanceof TypeError ||
  (error as Error | undefined)?.name === 'PrismaClientValidationError' ||
  faultOf(error).kind === 'not-found';

/** Calls after which other requests get a turn. A loop of calls to the embedded database would block them. */
const CALLS_PER_TURN = 100;

const READS = new Set<string>(READ_CALLS);

/** Returns the Prisma client of one call; see `Db`. */
export function guardedClient(models: DeclaredModels, streams: ModelStreams, access: ClientAccess, log: CallLog): Db {
  const delegates = new Map<string, object>();
  const delegateOf = (name: string): object => {
    const data = models.byDelegate(name);
    if (data) return guardedDelegate(name, modelGuard(data, access, streams, log), log);
    throw new TypeError(
      name.startsWith('$')
        ? `db.${name} is not available: an operation is one transaction already, and has no raw access.`
        : `db.${name} is not available: declare the model in the \`models\` of the application.`,
    );
  };
  const db = new Proxy({} as Db, {
    get(_target, name) {
      if (typeof name !== 'string' || name === 'then') return undefined;
      const delegate = delegates.get(name) ?? delegateOf(name);
      delegates.set(name, delegate);
      return delegate;
    },
  });
  storeAccess(db, access);
  return db;
}

function guardedDelegate(name: string, { read, writes }: ReturnType<typeof modelGuard>, log: CallLog): object {
  return new Proxy(
    {},
    {
      get(_target, operation) {
        if (typeof operation !== 'string') return undefined;
        if (READS.has(operation)) return (args = {}) => lazyCall(() => read(operation as ReadCall, args), log);
        const write = Object.hasOwn(writes, operation) ? writes[operation as keyof typeof writes] : undefined;
        if (!write) throw new TypeError(`db.${name}.${operation} is not available in an operation.`);
        return (args = {}) => lazyCall(() => write(args), log, `db.${name}.${operation}`);
      },
    },
  );
}

/** Returns a promise that runs the call when it is awaited, as Prisma's promises do. */
function lazyCall(run: () => Promise<unknown>, log: CallLog, write?: string): object {
  let begun: Promise<unknown> | undefined;
  const begin = (): Promise<unknown> => {
    if (begun) return begun;
    log.pending.delete(lazy);
    const isTurn = ++log.begun % CALLS_PER_TURN === 0;
    const running = log.isOver ? refuseLate() : isTurn ? nextTurn().then(run) : run();
    begun = running;
    log.running.add(running);
    running.then(
      () => log.running.delete(running),
      (error: unknown) => {
        log.running.delete(running);
        if (write !== undefined || (log.isTransaction && !isHarmless(error))) log.failed ??= { error };
      },
    );
    return running;
  };
  const refuseLate = async (): Promise<never> => {
    throw new Error(`${log.operation} is over: its \`db\` cannot be used any more.`);
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

export const refuseToWrite = (): never => {
  throw new TypeError('Only the root field of a mutation and an operation with another method than GET can write.');
};

/** Returns the client whose reads are counted for the answer of the call. */
export const clientOf = ({ client }: Pick<OperationServices, 'client'>, { answer }: Call): PrismaClient =>
  answer ? boundedClient(client, answer) : client;

/** Returns a client that reads the rows that the caller may read. */
export function readingClient(services: OperationServices, call: Call): Db {
  const client = clientOf(services, call);
  return guardedClient(
    services.models,
    services.streams,
    {
      call,
      action: '',
      actor: () => authenticated(call),
      reader: async () => client,
      transaction: refuseToWrite,
      onCommit: refuseToWrite,
    },
    callLog('The operation', false),
  );
}

/** The caller of background work. */
const SYSTEM: Call = {
  policy: {},
  actor: null,
  address: '',
  requestId: '',
  enforce: async () => {},
};

export type Transact = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** Runs background work in one transaction. Without a caller all rows are permitted. */
export const systemClient =
  ({ client, models, streams }: Pick<OperationServices, 'client' | 'models' | 'streams'>): Transact =>
  async (work) => {
    const { tx, commit, rollback } = await manualTransaction(client);
    const onCommit: (() => void)[] = [];
    const log = callLog('The transaction', true);
    const access = {
      call: SYSTEM,
      action: undefined,
      actor: () => {
        throw new Error('The system has no account.');
      },
      reader: async () => tx,
      transaction: async () => tx,
      onCommit: (after: () => void) => void onCommit.push(after),
    };
    try {
      const result = await work(guardedClient(models, streams, access, log));
      await endCalls(log);
      await commit(log.sent);
      for (const after of onCommit) after();
      return result;
    } catch (error) {
      log.isOver = true;
      await rollback(error);
      throw error;
    }
  };
