/** Composes operations: the way of their stages, and the transaction around their handler. @module */

import { faultOf } from '../../database/faults.js';
import { authenticated, type KeyedRequest, traceHeaders } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { type Stages, walk, wayOfOperation } from '../way.js';
import { endCalls, refuseFailed, sendAhead } from './call-transaction.js';
import { guardedClient, type OperationServices, refuseToWrite } from './guarded-client.js';
import type { AnyRow } from './model.js';
import { delegateOf, type ModelData } from './model-data.js';
import { clientIn, dataOf, isLate, isRecord, present, removes } from './operation-stages.js';
import { readableRows } from './read-scope.js';
import { missingReference } from './references.js';
import type { Route } from './route.js';
import { type Given, type Member, newRunning, type OperationPlan, put, type Running } from './running.js';
import { idIn, isOwnOnly } from './target-rows.js';

const NEVER_ABORTED = new AbortController().signal;

/** The result of a handler whose work continues after the commit. */
class AfterCommit {
  readonly work: () => Promise<unknown>;
  constructor(work: () => Promise<unknown>) {
    this.work = work;
  }
}

/** The services of operations, with the stages around them. */
export type StagedServices = OperationServices & { readonly stages: Stages };

interface PlanOptions extends Pick<OperationPlan, 'name' | 'action' | 'writes'> {
  readonly services: StagedServices;
  readonly route: Route<never, unknown>;
  readonly isKeyed?: boolean;
}

function planOf({ isKeyed = false, ...options }: PlanOptions): OperationPlan {
  const { target } = options.route;
  const on = target.kind === 'create' ? target.on : undefined;
  return {
    ...options,
    isKeyed: isKeyed && options.writes,
    row: target.kind === 'record' ? target : on,
    rowAction: on ? options.services.models(on.model).model.read : options.action,
    parent: target.of,
  };
}

const enforce = ({ given }: Running): Promise<void> => given.call.enforce();

const keyOf = ({ plan, given }: Running): KeyedRequest | undefined =>
  plan.isKeyed ? given.call.idempotency : undefined;

/**
 * Composes an operation: the way of its stages, then its handler. All effects are one transaction, which commits before the answer.
 * @param effect what runs instead of the handler
 */
export function operationOf(
  options: PlanOptions,
  effect: (one: Running<'caller'>) => unknown = runHandler,
): (given: Given) => Promise<unknown> {
  const plan = planOf(options);
  const { writes, route } = plan;
  const { idempotency, stages } = options.services;
  const had = new Set<Member>();
  const entry = wayOfOperation(stages, 'before effect', plan, had);
  const inTurn = wayOfOperation(stages, 'in turn', plan, had);
  const locks = writes ? wayOfOperation(stages, 'locks', plan, had) : [];
  const load = wayOfOperation(stages, 'load', plan, had);
  // The rows of a list, and the caller's account, need no check before the rate.
  const isCertain = plan.row ? plan.row.key === undefined : route.target.kind === 'list' && !route.handler;
  const reading = isCertain && !writes ? [enforce, ...load] : load;
  const whenLocked = isLate(plan) ? [...locks, ...load] : locks;
  const begin = (given: Given) => newRunning(plan, given, (one) => walk(whenLocked, one));

  async function attempt(one: Running<'caller'>): Promise<unknown> {
    try {
      if (await walk(inTurn, one)) {
        await enforce(one);
        return one.answer;
      }
      await walk(reading, one);
      const result = await effect(one);
      if (one.stale) throw one.stale;
      return await (result instanceof AfterCommit ? commitBefore(one, result) : commitWith(one, result));
    } catch (thrown) {
      return failed(one, thrown);
    }
  }

  return async (given) => {
    const one = begin(given) as Running<'caller'>;
    await walk(entry, one);
    const keyed = keyOf(one);
    if (!keyed) return attempt(one);
    return idempotency.inTurn(given.call, keyed, () => {
      const again = begin(given);
      put.caller(again, one.caller);
      return attempt(again as Running<'caller'>);
    });
  };
}

/** Commits before the rest of the handler's work. */
async function commitBefore(one: Running, { work }: AfterCommit): Promise<unknown> {
  const { plan, given, transaction, workId } = one;
  const keyed = keyOf(one);
  if (keyed) await plan.services.idempotency.keep(await transaction.client(), given.call, keyed, { workId });
  await commit(one);
  return given.reply(await work());
}

/** Commits with the kept answer. */
async function commitWith(one: Running, result: unknown): Promise<unknown> {
  const { plan, given, transaction, log } = one;
  const { services, route } = plan;
  const answer = given.reply(result);
  await enforce(one);
  const keyed = keyOf(one);
  if (keyed && transaction.hasBegun()) {
    const { account } = services.models(route.target.model);
    const ownerId = account === undefined ? undefined : (result as Partial<AnyRow> | undefined)?.[account];
    const stored = { answer: answer as object, ...(typeof ownerId === 'number' && { ownerId }) };
    sendAhead(log, services.idempotency.keep(await transaction.client(), given.call, keyed, stored));
  }
  await commit(one);
  return answer;
}

async function commit({ plan, log, transaction, onCommit }: Running): Promise<void> {
  refuseFailed(log);
  await transaction.commit(log);
  for (const work of onCommit)
    try {
      work();
    } catch (error) {
      // The effects are committed, so the operation succeeds.
      plan.services.onCommitFault(plan.name, error);
    }
}

/** Rolls back. @throws the gravest failure @returns the answer of another request with the same key */
async function failed(one: Running, thrown: unknown): Promise<unknown> {
  const { log, transaction } = one;
  log.isOver = true;
  const error = await transaction.rollback(thrown instanceof Failure ? thrown : (log.failed?.error ?? thrown));
  if (one.stale && !(error instanceof Failure && error.code === 'FORBIDDEN')) throw one.stale;
  // Invalid content may have caused the error, and 422 takes precedence.
  if (!(error instanceof Failure)) await enforce(one);
  return replaceRaceError(one, error);
}

/** Replaces an error that another request caused: by deleting a row, or with the same idempotency key. */
async function replaceRaceError(one: Running, error: unknown): Promise<unknown> {
  const { plan, given, log } = one;
  const { services, route, row, parent } = plan;
  if (faultOf(error).kind === 'reference') {
    const holder = route.target.kind === 'create' ? (row ?? parent) : undefined;
    if (holder) await present(one, holder);
    throw await missingReference(clientIn(one), services.models, log, given.sent(given.request as never), error);
  }
  const keyed = keyOf(one);
  if (keyed && error instanceof Failure && error.code === 'CONFLICT') {
    const answer = await services.idempotency.recall(given.call, keyed);
    if (answer) return answer;
  }
  throw error;
}

/** Runs the handler, or the default of a route without one, until all its calls have ended. */
async function runHandler(one: Running<'caller'>): Promise<unknown> {
  const { plan, given, row = one.parent, log, workId, onCommit } = one;
  const { route, services } = plan;
  const { target, handler } = route;
  if (!handler && target.kind === 'list') return list(one, services.models(target.model));
  if (!handler && !removes(plan)) return row;
  const db = guarded(one);
  const result = await (handler
    ? (handler as (request: unknown, operation: unknown) => unknown)(given.request, {
        actor: one.caller,
        record: row,
        db,
        page: given.page,
        services: given.services,
        prefix: given.prefix,
        enforce: given.call.enforce,
        trace: traceHeaders(given.call),
        workId,
        afterCommit: (work: () => Promise<unknown>) => new AfterCommit(work),
        onCommit: (work: () => void) => void onCommit.push(work),
        signal: given.signal ?? NEVER_ABORTED,
      })
    : delegateOf(db, services.models(target.model)).delete({ where: { id: row?.id } }));
  await endCalls(log);
  return result;
}

function guarded(one: Running<'caller'>) {
  const { plan, given, transaction, log } = one;
  const { services, route, parent, writes } = plan;
  const { models, streams } = services;
  return guardedClient(
    models,
    streams,
    {
      call: given.call,
      action: plan.action,
      actor: () => authenticated(one),
      reader: async () => (writes ? transaction.client() : clientIn(one)),
      transaction: async () => (writes ? transaction.client() : refuseToWrite()),
      onCommit: (work) => void one.onCommit.push(work),
      parentFilter: (data) =>
        parent && data.model.name === route.target.model.name
          ? { [data.referenceTo(dataOf(one, parent))]: idIn(one, parent) }
          : undefined,
      lockedTarget: () =>
        one.row && isRecord(plan) && !isLate(plan) ? { model: route.target.model.name, row: one.row } : undefined,
      checkPrecondition: () => {
        if (one.stale) throw one.stale;
      },
    },
    log,
  );
}

async function list(one: Running<'caller'>, data: ModelData): Promise<unknown> {
  const { plan, given, caller } = one;
  const { services, parent } = plan;
  const owner =
    readableRows(given.call, caller, data) ?? (isOwnOnly(one) && !parent ? data.ownedBy(caller) : undefined);
  const within = parent && { [data.referenceTo(dataOf(one, parent))]: idIn(one, parent) };
  const where = [within, owner].filter((filter) => filter !== undefined);
  const selection = given.select?.(data) ?? data.visible;
  const query = { client: clientIn(one), shared: services.client, where, selection };
  return given.window ? services.pages.window(data, given.window, query) : services.pages.page(data, given.page, query);
}
