import { randomUUID } from 'node:crypto';
import { faultOf } from '../../database/faults.js';
import { type Actor, authoriseRole, type Call, traceHeaders } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import {
  isStorableId,
  notFound,
  type PageRequest,
  preconditionFailure,
  throwNotFoundOrGone,
  type Window,
} from '../calls/rows.js';
import { callLog, callTransaction, endCalls, refuseFailed, sendAhead } from './call-transaction.js';
import { guardedClient, type OperationServices, refuseToWrite } from './guarded-client.js';
import type { AnyRow, Db, Tx } from './model.js';
import { delegateOf, type ModelData } from './model-data.js';
import { readableRows, targetRows } from './read-scope.js';
import { missingReference, type Sent } from './references.js';
import type { RecordTarget, Route } from './route.js';

/** One request for a route, from either transport. */
export interface OperationRequest {
  readonly call: Call;
  /** The operationId, or `Type.field`. */
  readonly name: string;
  readonly action: string;
  readonly writes: boolean;
  readonly request: unknown;
  /** Returns the content and the parameters of `request`. */
  readonly sent: (request: never) => Sent;
  /** Returns the id in a path parameter or argument. */
  readonly idOf: (key: string) => number;
  readonly ifMatch?: string | undefined;
  readonly page: PageRequest;
  /** The window of a Relay connection. */
  readonly window?: Window | undefined;
  /** Prisma's `select`, for rows that only the transport sees. */
  readonly select?: ((data: ModelData) => object) | undefined;
  readonly services: unknown;
  readonly prefix: string;
  readonly signal?: AbortSignal | undefined;
  readonly reply: (made: unknown) => unknown;
}

const NEVER_ABORTED = new AbortController().signal;

/** The result of a handler whose work continues after the commit. */
class AfterCommit {
  readonly work: () => Promise<unknown>;
  constructor(work: () => Promise<unknown>) {
    this.work = work;
  }
}

/** Runs an operation. Requests with one idempotency key run one after another. */
export function operate(
  services: OperationServices,
  route: Route<never, unknown>,
  options: OperationRequest,
): Promise<unknown> {
  const { call, action, writes } = options;
  if (!writes || !call.idempotency) return runOnce(services, route, options);
  authoriseRole(call, action);
  return services.idempotency.inTurn(call, call.idempotency, () => runOnce(services, route, options));
}

/**
 * Enforces the contract around a handler, in the order of failures: 401 and 403 by the role, 403 by the id, the
 * idempotency key, 404 and 410, 403 by the row, 412; then the handler, whose first write checks 422 and 429. All
 * effects are one transaction, which commits before the answer.
 */
async function runOnce(
  services: OperationServices,
  { target, handler }: Route<never, unknown>,
  options: OperationRequest,
): Promise<unknown> {
  const { idempotency, models, streams, pages } = services;
  const { call, action, writes, ifMatch } = options;
  const caller = authoriseRole(call, action);
  const { client } = services;
  const record = target.kind === 'record' ? target : undefined;
  const { of: container } = target;
  /** The target whose owner is checked. */
  const owned = container ?? record;
  const idOf = ({ key }: RecordTarget): number => (key === undefined ? caller.id : options.idOf(key));
  const keyedRequest = writes ? call.idempotency : undefined;
  const currentActor = (): Actor => (transaction.hasBegun() ? transaction.actor() : caller);
  const rows = targetRows({ models, call, action, actor: currentActor, idOf });

  const lockedRecord = writes ? (record ?? container) : undefined;
  const toLock =
    lockedRecord && isStorableId(idOf(lockedRecord))
      ? { data: models(lockedRecord.model), id: idOf(lockedRecord), isLocked: lockedRecord === record }
      : undefined;
  const isLate = record?.late === true;
  /** The failure of a stale `If-Match`. A 403 for a protected member comes first. */
  let staleFailure: Failure | undefined;
  const transaction = callTransaction({
    client,
    idempotency,
    call,
    action,
    keyed: keyedRequest,
    target: toLock,
    afterLocks: isLate ? async (tx) => void (await loadRecord(tx, record as RecordTarget)) : undefined,
  });
  const onCommit: (() => void)[] = [];
  let lockedTarget: { model: string; row: AnyRow } | undefined;
  const workId = randomUUID();
  const log = callLog(options.name, writes);

  try {
    if (owned && rows.isOwnById(owned) === false) throw rows.denied(owned);
    if (keyedRequest) {
      const row = owned && rows.isOwnById(owned) === undefined ? await rows.find(client, owned) : undefined;
      if (owned && row) await rows.requireAccess(client, owned, row);
      const answer = await idempotency.recall(call, keyedRequest);
      if (answer) {
        await call.enforce();
        return answer;
      }
    }
    const row = await loadRow();
    if (row && record && !isLate) lockedTarget = { model: record.model.name, row };
    const result = await runHandler(row);
    if (staleFailure) throw staleFailure;
    if (result instanceof AfterCommit) {
      if (keyedRequest) await idempotency.keep(await transaction.client(), call, keyedRequest, { workId });
      await commit();
      return options.reply(await result.work());
    }
    const answer = options.reply(result);
    await call.enforce();
    if (keyedRequest && transaction.hasBegun()) {
      const { account } = models(target.model);
      const ownerId = account === undefined ? undefined : (result as Partial<AnyRow> | undefined)?.[account];
      const stored = { answer: answer as object, ...(typeof ownerId === 'number' && { ownerId }) };
      sendAhead(log, idempotency.keep(await transaction.client(), call, keyedRequest, stored));
    }
    await commit();
    return answer;
  } catch (thrown) {
    log.isOver = true;
    const error = await transaction.rollback(thrown instanceof Failure ? thrown : (log.failed?.error ?? thrown));
    if (staleFailure && !(error instanceof Failure && error.code === 'FORBIDDEN')) throw staleFailure;
    // Invalid content may have caused the error, and 422 takes precedence.
    if (!(error instanceof Failure)) await call.enforce();
    return await replaceRaceError(error);
  }

  async function commit(): Promise<void> {
    refuseFailed(log);
    await transaction.commit(log);
    for (const work of onCommit)
      try {
        work();
      } catch (error) {
        // The effects are committed, so the operation succeeds.
        services.onCommitFault(options.name, error);
      }
  }

  /** @throws Failure NOT_FOUND, GONE, FORBIDDEN, PRECONDITION_FAILED */
  async function loadRow(): Promise<AnyRow | undefined> {
    let row: AnyRow | undefined;
    if (container) {
      row =
        (await rows.find(client, container)) ??
        (await throwNotFoundOrGone(client, models(container.model).model, idOf(container)));
      await rows.requireAccess(client, container, row);
    }
    if (record) {
      const on = toLock && !isLate ? await transaction.open() : client;
      const found = await loadRecord(on, record);
      const belongs = !container || found[models(record.model).referenceTo(models(container.model))] === row?.id;
      return belongs ? found : Promise.reject(notFound(record.model));
    }
    if (target.kind === 'create' && target.on) {
      const { on } = target;
      row = (await rows.find(client, on)) ?? (await throwNotFoundOrGone(client, models(on.model).model, idOf(on)));
      await rows.requireAccess(client, on, row, models(on.model).model.read);
    }
    return row;
  }

  async function loadRecord(on: Tx, of: RecordTarget): Promise<AnyRow> {
    const data = models(of.model);
    // The caller's account exists, so the rate limit can be checked before the read.
    if (of.key === undefined && !writes) await call.enforce();
    const found = await rows.find(on, of, handler ? undefined : options.select?.(data));
    if (writes && !isLate) await transaction.waitForLocks();
    if (!found)
      return of.removes || container
        ? Promise.reject(notFound(of.model))
        : throwNotFoundOrGone(on, data.model, idOf(of));
    if (!container) await rows.requireAccess(on, of, found);
    if (data.hasVersion && ifMatch !== undefined)
      staleFailure ??= preconditionFailure(ifMatch, found as never, services.generation());
    if (staleFailure && (of.removes || !data.model.protect)) throw staleFailure;
    return found;
  }

  function guarded(): Db {
    return guardedClient(
      models,
      streams,
      {
        call,
        action,
        actor: currentActor,
        reader: async () => (writes ? transaction.client() : client),
        transaction: async () => (writes ? transaction.client() : refuseToWrite()),
        onCommit: (work) => void onCommit.push(work),
        parentFilter: (data) =>
          container && data.model.name === target.model.name
            ? { [data.referenceTo(models(container.model))]: idOf(container) }
            : undefined,
        lockedTarget: () => lockedTarget,
        checkPrecondition: () => {
          if (staleFailure) throw staleFailure;
        },
      },
      log,
    );
  }

  /** Runs the handler, or the default of a route without one, until all its calls have ended. */
  async function runHandler(row: AnyRow | undefined): Promise<unknown> {
    if (!handler && target.kind === 'list') return list(models(target.model));
    if (!handler && !record?.removes) return row;
    const db = guarded();
    const result = await (handler
      ? (handler as (request: unknown, operation: unknown) => unknown)(options.request, {
          actor: caller,
          record: row,
          db,
          page: options.page,
          services: options.services,
          prefix: options.prefix,
          enforce: call.enforce,
          trace: traceHeaders(call),
          workId,
          afterCommit: (work: () => Promise<unknown>) => new AfterCommit(work),
          onCommit: (work: () => void) => void onCommit.push(work),
          signal: options.signal ?? NEVER_ABORTED,
        })
      : delegateOf(db, models(target.model)).delete({ where: { id: row?.id } }));
    await endCalls(log);
    return result;
  }

  async function list(data: ModelData): Promise<unknown> {
    await call.enforce();
    const owner =
      readableRows(call, caller, data) ?? (rows.isOwnOnly() && !container ? data.ownedBy(caller) : undefined);
    const parent = container && { [data.referenceTo(models(container.model))]: idOf(container) };
    const where = [parent, owner].filter((one) => one !== undefined);
    const query = { client, shared: services.client, where, selection: options.select?.(data) ?? data.visible };
    return options.window ? pages.window(data, options.window, query) : pages.page(data, options.page, query);
  }

  /** Replaces an error that another request caused: by deleting a row, or with the same idempotency key. */
  async function replaceRaceError(error: unknown): Promise<unknown> {
    const parent = target.kind === 'create' ? (target.on ?? container) : undefined;
    if (faultOf(error).kind === 'reference') {
      if (parent && !(await rows.find(client, parent)))
        await throwNotFoundOrGone(client, models(parent.model).model, idOf(parent));
      throw await missingReference(client, models, log, options.sent(options.request as never), error);
    }
    if (keyedRequest && error instanceof Failure && error.code === 'CONFLICT') {
      const answer = await idempotency.recall(call, keyedRequest);
      if (answer) return answer;
    }
    throw error;
  }
}
