/** The Prisma client of an operation, which enforces access, and the services that all operations share. @module */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { beginTransaction, type PrismaClient } from '../../database/client.js';
import { faultOf } from '../../database/faults.js';
import type { Call, KeyedResponses } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import {
  type CurrentGeneration,
  type Listing,
  type Page,
  type PageRequest,
  pageOf,
  readWindow,
  type Window,
  type WindowPage,
} from '../calls/rows.js';
import { lazyPromise } from '../calls/schedulers.js';
import { filtered } from './call-arguments.js';
import { ACCESS, type CallLog, type ClientAccess, callLog, endCalls } from './call-transaction.js';
import { type AnyRow, type Db, READ_CALLS, type ReadCall, type Tx, type WriteCall } from './model.js';
import { type DeclaredModels, delegateOf, type ModelData, type ModelStreams } from './model-data.js';
import { type GuardedModel, readGuarded, WRITES } from './model-guard.js';
import { readableBy } from './read-scope.js';

/** Longer lists are counted at most once a minute; the contract says so (`X-Total-Count`). */
const ALWAYS_COUNTED_ROWS = 1000;
const COUNT_AGE_MS = 60_000;
const MAX_KEPT_COUNTS = 10_000;

export interface PageSource {
  readonly client: Tx;
  /** Counts the rows of the list. All callers share the number, so it is counted for none of them. */
  readonly shared: Tx;
  readonly where: readonly object[];
  /** Prisma's `select`, `include` or `omit`. */
  readonly selection: object;
}

type PageReader = ReturnType<typeof pageReader>;

/** Reads pages of models by ascending id. @param now milliseconds since the epoch */
export function pageReader(now: () => number) {
  const counts = new LRUCache<string, { count: Promise<number>; until: number }>({ max: MAX_KEPT_COUNTS });

  function rowsOf(data: ModelData, { client, where, selection }: PageSource): Listing<AnyRow>['rows'] {
    return ({ ids, order, skip, take }) => {
      const filters = Object.keys(ids).length > 0 ? [...where, { id: ids }] : where;
      const page = Object.assign({ orderBy: { id: order }, take }, skip > 0 && { skip }, selection);
      return delegateOf(client, data).findMany(filtered(page, filters)) as Promise<AnyRow[]>;
    };
  }

  /** Counts the rows of a list. The cost is bounded, because the count of a longer list is kept for a minute. */
  async function count(data: ModelData, { shared, where }: PageSource): Promise<number> {
    const list = `${data.model.name} ${JSON.stringify(where)}`;
    const kept = counts.get(list);
    if (kept && kept.until > now()) return kept.count;
    const rows = delegateOf(shared, data);
    const filter = filtered({}, where);
    const first = { orderBy: { id: 'asc' }, take: ALWAYS_COUNTED_ROWS + 1 };
    const few = (await rows.count(Object.assign(first, filter))) as number;
    if (few <= ALWAYS_COUNTED_ROWS) return few;
    const counting = rows.count(filter) as Promise<number>;
    counts.set(list, { count: counting, until: now() + COUNT_AGE_MS });
    counting.catch(() => counts.delete(list));
    return counting;
  }

  return {
    page: (data: ModelData, request: PageRequest, query: PageSource): Promise<Page<AnyRow>> =>
      pageOf(request, { rows: rowsOf(data, query), count: () => count(data, query) }),

    window: (data: ModelData, window: Window, query: PageSource): Promise<WindowPage<AnyRow>> =>
      readWindow(
        window,
        rowsOf(data, query),
        rowsOf(data, Object.assign({}, query, { selection: { select: { id: true } } })),
      ),
  };
}

/** The services that all operations of a process share. */
export interface OperationServices {
  readonly client: PrismaClient;
  readonly idempotency: KeyedResponses;
  readonly models: DeclaredModels;
  readonly streams: ModelStreams;
  readonly pages: PageReader;
  readonly generation: CurrentGeneration;
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
    if (data) return guardedDelegate({ data, access, streams, log, readable: readableBy(access) });
    throw new TypeError(
      name.startsWith('$')
        ? `db.${name} is not available: an operation is one transaction already, and has no raw access.`
        : `db.${name} is not available: declare the model in the \`models\` of the application.`,
    );
  };
  return new Proxy({} as Db, {
    get(_target, name) {
      if (name === ACCESS) return access;
      if (typeof name !== 'string' || name === 'then') return undefined;
      const delegate = delegates.get(name) ?? delegateOf(name);
      delegates.set(name, delegate);
      return delegate;
    },
  });
}

function guardedDelegate(guarded: GuardedModel): object {
  const { data, log } = guarded;
  const get = (_target: object, name: string | symbol) => {
    if (typeof name !== 'string') return undefined;
    if (READS.has(name)) return (args = {}) => lazyCall(() => readGuarded(guarded, name as ReadCall, args), log);
    const write = Object.hasOwn(WRITES, name) ? WRITES[name as WriteCall] : undefined;
    if (!write) throw new TypeError(`db.${data.delegate}.${name} is not available in an operation.`);
    return (args = {}) => lazyCall(() => write(guarded, args), log, `db.${data.delegate}.${name}`);
  };
  return new Proxy({}, { get });
}

/** Returns a promise that runs the call when it is awaited, as Prisma's promises do. */
function lazyCall(run: () => Promise<unknown>, log: CallLog, write?: string): object {
  const begin = (): Promise<unknown> => {
    log.pending.delete(lazy);
    const isTurn = ++log.begun % CALLS_PER_TURN === 0;
    const running = log.isOver ? refuseLate() : isTurn ? nextTurn().then(run) : run();
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
  const lazy = lazyPromise(begin);
  if (write !== undefined) log.pending.set(lazy, write);
  return lazy;
}

export const refuseToWrite = (): never => {
  throw new TypeError('Only the root field of a mutation and an operation with another method than GET can write.');
};

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
    const { tx, commit, rollback } = beginTransaction(client);
    const onCommit: (() => void)[] = [];
    const log = callLog('The transaction', true);
    const access = {
      call: SYSTEM,
      action: undefined,
      actor: () => {
        throw new Error('The system has no account.');
      },
      reader: () => tx,
      transaction: () => tx,
      ahead: () => tx,
      onCommit: (after: () => void) => void onCommit.push(after),
    };
    try {
      const result = await work(guardedClient(models, streams, access, log));
      await endCalls(log);
      await commit().catch((error: unknown) => {
        throw log.failed?.error ?? error;
      });
      for (const after of onCommit) after();
      return result;
    } catch (error) {
      log.isOver = true;
      await rollback();
      throw error;
    }
  };
