import { randomUUID } from 'node:crypto';
import { type Actor, authenticated, authoriseRole, type Call, reachOf, refused } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { isStorableId, type PageRequest, type Window } from '../calls/pages.js';
import { absent, refuseAbsent } from '../calls/tombstones.js';
import { isReferenceViolation, type PrismaClient } from '../database/client.js';
import type { Idempotency } from '../idempotency/idempotency.js';
import { ifMatch } from '../rest/conditions.js';
import { callTransaction } from './call-transaction.js';
import { callLog, guardedClient } from './guarded-client.js';
import type { AnyRow, Db, Tx } from './model.js';
import { type DeclaredModels, type ModelData, matchesLocally } from './model-data.js';
import { delegateOf } from './model-guard.js';
import type { PageReader } from './pages.js';
import type { Route } from './route.js';
import type { ModelStreams } from './streams.js';
import type { RecordTarget } from './target.js';

/** What all operations of a process share. */
export interface OperationServices {
  readonly client: PrismaClient;
  readonly idempotency: Pick<Idempotency, 'recall' | 'claim' | 'keep'>;
  readonly models: DeclaredModels;
  readonly streams: ModelStreams;
  readonly pages: PageReader;
}

/** One request for a route, by whichever transport it came. */
export interface OperationRequest {
  readonly call: Call;
  /** The operationId, or `Type.field`: names the operation in the log. */
  readonly name: string;
  readonly action: string;
  /** Whether the operation may change anything. */
  readonly writes: boolean;
  /** What the handler receives as its request. */
  readonly request: unknown;
  /** The id that a path parameter or an argument holds. */
  readonly idOf: (key: string) => number;
  readonly ifMatch?: string | undefined;
  readonly page: PageRequest;
  /** The window of a Relay connection. */
  readonly window?: Window | undefined;
  /** Prisma's `select` for rows that nobody but the transport sees. */
  readonly select?: ((data: ModelData) => object) | undefined;
  readonly services: unknown;
  readonly prefix: string;
  /** Aborted when a subscription ends. */
  readonly signal?: AbortSignal | undefined;
  readonly reply: (made: unknown) => unknown;
}

/** Returns a client that reads what the caller may read, outside of any operation that writes. */
export const readingClient = ({ client, models, streams }: OperationServices, call: Call): Db =>
  guardedClient(
    models,
    streams,
    {
      call,
      action: '',
      actor: () => authenticated(call),
      reader: async () => client,
      transaction: refuseToWrite,
      enforce: async () => {},
      onCommit: refuseToWrite,
      permitted: () => undefined,
      checkPrecondition: () => {},
    },
    callLog(),
  );

const NEVER = new AbortController().signal;

const refuseToWrite = (): never => {
  throw new TypeError('Only the root field of a mutation and an operation with another method than GET can write.');
};

/** What a handler returns whose work goes on after the commit. */
class AfterCommit {
  readonly work: () => Promise<unknown>;
  constructor(work: () => Promise<unknown>) {
    this.work = work;
  }
}

/**
 * Decides around a handler what the contract declares, in the order of failures: 401 and 403 by the role, 403 by the id, the
 * idempotency key, 404 and 410, 403 by the row, 412; then the handler, whose first write checks 422 and 429. Its effects are one
 * transaction, which commits before the answer is sent. An error rolls everything back.
 */
export async function operate(
  services: OperationServices,
  { target, handler }: Route<never, unknown>,
  asked: OperationRequest,
): Promise<unknown> {
  const { client, idempotency, models, streams, pages } = services;
  const { call, action, writes } = asked;
  authoriseRole(call, action);
  const caller = authenticated(call);
  const record = target.kind === 'record' ? target : undefined;
  const { of: container } = target;
  /** The row whose owner decides. */
  const decider = container ?? record;
  const idOf = ({ key }: RecordTarget): number => (key === undefined ? caller.id : asked.idOf(key));
  const keyed = writes ? call.idempotency : undefined;

  const locking = writes ? (record ?? container) : undefined;
  const isLate = record?.late === true;
  /** A stale `If-Match`, of a model with members that only some may change: 403 for such a member comes first. */
  let stale: unknown;
  const transaction = callTransaction({
    client,
    idempotency,
    call,
    action,
    keyed,
    target:
      locking && isStorableId(idOf(locking))
        ? { data: models(locking.model), id: idOf(locking), isLocked: locking === record }
        : undefined,
    afterLocks: isLate ? async (tx) => void (await loadRecord(tx, record as RecordTarget)) : undefined,
  });
  const present = (): Actor => (transaction.hasBegun() ? transaction.actor() : caller);
  let enforced: Promise<void> | undefined;
  const enforce = (): Promise<void> => (enforced ??= call.checkpoint());
  const onCommit: (() => void)[] = [];
  let permitted: { model: string; row: AnyRow } | undefined;
  let workId: string | undefined;
  const log = callLog();
  const db = guardedClient(
    models,
    streams,
    {
      call,
      action,
      actor: present,
      reader: async () => (writes ? transaction.client() : client),
      transaction: async () => (writes ? transaction.client() : refuseToWrite()),
      enforce,
      onCommit: (work) => void onCommit.push(work),
      permitted: () => permitted,
      checkPrecondition: () => {
        if (stale) throw stale;
      },
    },
    log,
  );

  try {
    if (decider && ownedById(decider) === false) throw denied(decider);
    if (keyed) {
      const row = decider && ownedById(decider) === undefined ? await find(client, decider) : undefined;
      if (decider && row) await requireOwner(client, decider, row);
      const answer = await idempotency.recall(call, keyed);
      if (answer) {
        await enforce();
        return answer;
      }
    }
    const row = await load();
    if (row && record && !isLate) permitted = { model: record.model.name, row };
    const made = await perform(row);
    if (stale) throw stale;
    if (made instanceof AfterCommit) {
      if (keyed) await idempotency.keep(await transaction.client(), call, keyed, { workId: identifyWork() });
      await commit();
      return asked.reply(await made.work());
    }
    const answer = asked.reply(made);
    await enforce();
    if (keyed && transaction.hasBegun()) {
      const { account } = models(target.model);
      const ownerId = account === undefined ? undefined : (made as Partial<AnyRow> | undefined)?.[account];
      await idempotency.keep(await transaction.client(), call, keyed, {
        answer: answer as object,
        ...(typeof ownerId === 'number' && { ownerId }),
      });
    }
    await commit();
    return answer;
  } catch (error) {
    await transaction.rollback(error);
    if (stale && !(error instanceof Failure && error.code === 'FORBIDDEN')) throw stale;
    // The handler may have failed because it was given what the content check would refuse.
    if (!(error instanceof Failure)) await enforce();
    return await reconsider(error);
  }

  function identifyWork(): string {
    workId ??= randomUUID();
    return workId;
  }

  async function commit(): Promise<void> {
    await transaction.commit();
    for (const work of onCommit) work();
  }

  function isOwnOnly(): boolean {
    return reachOf(call.policy, action, present()) === 'own';
  }

  function denied({ model }: Pick<RecordTarget, 'model'>): Failure {
    return model.conceal ? absent(model) : refused(present(), action);
  }

  /** Whether a row is the caller's own by its id alone; undefined where that does not tell, or need not. */
  function ownedById(of: RecordTarget): boolean | undefined {
    if (!isOwnOnly()) return undefined;
    const where = models(of.model).ownedBy(present());
    return where && matchesLocally(where as Record<string, unknown>, { id: idOf(of) });
  }

  /** @throws Failure FORBIDDEN for a row that is not the caller's, where its role reaches no others */
  async function requireOwner(on: Tx, of: RecordTarget, row: AnyRow): Promise<void> {
    const data = models(of.model);
    const where = isOwnOnly() ? data.ownedBy(present()) : undefined;
    if (!where) return;
    const isOwn = matchesLocally(where as Record<string, unknown>, row);
    const found =
      isOwn ??
      (await delegateOf(on, data)['findFirst']?.({ where: { AND: [{ id: row.id }, where] }, select: { id: true } }));
    if (!found) throw denied(of);
  }

  async function find(on: Tx, of: RecordTarget, selection?: object): Promise<AnyRow | undefined> {
    const id = idOf(of);
    const data = models(of.model);
    if (data.hasNumericId && !isStorableId(id)) return undefined;
    const shown = selection ?? (Object.keys(data.hidden).length > 0 ? { omit: data.hidden } : {});
    return ((await delegateOf(on, data)['findUnique']?.({ where: { id }, ...shown })) ?? undefined) as
      | AnyRow
      | undefined;
  }

  /** The row that the handler receives. @throws Failure NOT_FOUND, GONE, FORBIDDEN, PRECONDITION_FAILED */
  async function load(): Promise<AnyRow | undefined> {
    let row: AnyRow | undefined;
    if (container) {
      row = (await find(client, container)) ?? (await refuseAbsent(client, container.model, idOf(container)));
      await requireOwner(client, container, row);
    }
    if (record) {
      const on = transaction.hasTarget && !isLate ? await transaction.client() : client;
      const found = await loadRecord(on, record);
      const belongs = !container || found[models(record.model).referenceTo(models(container.model))] === row?.id;
      return belongs ? found : Promise.reject(absent(record.model));
    }
    if (target.kind === 'create' && target.on) {
      const { on } = target;
      row = (await find(client, on)) ?? (await refuseAbsent(client, on.model, idOf(on)));
      const data = models(on.model);
      const { read } = data.model;
      const reach = reachOf(call.policy, read, caller);
      const where = reach === 'own' ? data.ownedBy(caller) : undefined;
      if (reach === 'none' || (where && !(await owns(on, row, where)))) throw refused(caller, read);
    }
    return row;
  }

  async function loadRecord(on: Tx, of: RecordTarget): Promise<AnyRow> {
    const data = models(of.model);
    // The caller's own account exists, so nothing can come before the rate: no row is read for a caller without requests.
    if (of.key === undefined && !writes) await enforce();
    const found = await find(on, of, handler ? undefined : asked.select?.(data));
    if (!found)
      return of.removes || container ? Promise.reject(absent(of.model)) : refuseAbsent(on, of.model, idOf(of));
    if (!container) await requireOwner(on, of, found);
    if (data.hasVersion && asked.ifMatch !== undefined)
      try {
        ifMatch(asked.ifMatch)(found as never);
      } catch (failure) {
        if (of.removes || !data.model.protect) throw failure;
        stale = failure;
      }
    return found;
  }

  async function owns({ model }: RecordTarget, row: AnyRow, where: object): Promise<boolean> {
    const rows = delegateOf(client, models(model));
    return (await rows['findFirst']?.({ where: { AND: [{ id: row.id }, where] }, select: { id: true } })) != null;
  }

  /** Runs the handler, or does what a route without one does. Nothing that it began is left behind. */
  async function perform(row: AnyRow | undefined): Promise<unknown> {
    const made = await (handler
      ? (handler as (request: unknown, operation: unknown) => unknown)(asked.request, {
          actor: caller,
          record: row,
          db,
          page: asked.page,
          services: asked.services,
          prefix: asked.prefix,
          enforce,
          get workId() {
            return identifyWork();
          },
          afterCommit: (work: () => Promise<unknown>) => new AfterCommit(work),
          onCommit: (work: () => void) => void onCommit.push(work),
          signal: asked.signal ?? NEVER,
        })
      : standard(row));
    await Promise.all(log.running);
    if (log.failed) throw log.failed.error;
    const [forgotten] = log.pending.values();
    if (forgotten !== undefined) throw new Error(`${forgotten} was called and not awaited: nothing is written.`);
    return made;
  }

  function standard(row: AnyRow | undefined): unknown {
    const data = models(target.model);
    if (target.kind === 'record')
      return target.removes
        ? (db as never as Record<string, Deletes>)[data.delegate]?.delete({ where: { id: row?.id } })
        : row;
    return list(data);
  }

  /** The page or the window that the request asks for, of the rows that the caller may read. */
  async function list(data: ModelData): Promise<unknown> {
    await enforce();
    const read = reachOf(call.policy, data.model.read, caller);
    if (read === 'none') throw refused(caller, data.model.read);
    const owner = read === 'own' || (isOwnOnly() && !container) ? data.ownedBy(caller) : undefined;
    const parent = container && { [data.referenceTo(models(container.model))]: idOf(container) };
    const where = [parent, owner].filter((one) => one !== undefined);
    const hidden = Object.keys(data.hidden).length > 0 ? { omit: data.hidden } : {};
    const query = { client, where, selection: asked.select?.(data) ?? hidden };
    return asked.window ? pages.window(data, asked.window, query) : pages.page(data, asked.page, query);
  }

  /** What was there when it was looked at may have gone since, and a conflict may be with a request under the same key. */
  async function reconsider(error: unknown): Promise<unknown> {
    const parent = target.kind === 'create' ? (target.on ?? container) : undefined;
    if (parent && isReferenceViolation(error) && !(await find(client, parent)))
      await refuseAbsent(client, parent.model, idOf(parent));
    if (keyed && error instanceof Failure && error.code === 'CONFLICT') {
      const answer = await idempotency.recall(call, keyed);
      if (answer) return answer;
    }
    throw error;
  }
}

type Deletes = { delete: (args: object) => PromiseLike<unknown> };
