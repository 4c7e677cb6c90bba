/** Composes operations: the way of their stages, and the transaction around their handler. @module */

import { faultOf } from '../../database/faults.js';
import { authenticated, type KeyedRequest, traceHeaders } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { andThen, type MaybePromise, NEVER_ABORTED, unlessFulfilled, waits } from '../calls/schedulers.js';
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
  return Object.assign(options, {
    isKeyed: isKeyed && options.writes,
    row: target.kind === 'record' ? target : on,
    rowAction: on ? options.services.models(on.model).model.read : options.action,
    parent: target.of,
  });
}

const enforce = ({ given }: Running): MaybePromise<void> => unlessFulfilled(given.call.enforce());

const keyOf = ({ plan, given }: Running): KeyedRequest | undefined =>
  plan.isKeyed ? given.call.idempotency : undefined;

/**
 * Composes an operation: the way of its stages, then its handler. All effects are one transaction, which commits before the answer.
 * @param effect what runs instead of the handler
 */
export function operationOf(
  options: PlanOptions,
  effect: (running: Running<'caller'>) => unknown = runHandler,
): (given: Given) => MaybePromise<unknown> {
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
  if (!writes && !route.handler) return readOf(plan, [...entry, ...inTurn, ...reading], effect);
  const whenLocked = isLate(plan) ? [...locks, ...load] : locks;
  const begin = (given: Given) => newRunning(plan, given, (running) => walk(whenLocked, running));

  async function attempt(running: Running<'caller'>): Promise<unknown> {
    try {
      const replayed = walk(inTurn, running);
      if (waits(replayed) ? await replayed : replayed) {
        await enforce(running);
        return running.answer;
      }
      const walked = walk(reading, running);
      if (waits(walked)) await walked;
      const made = effect(running);
      const result = waits(made) ? await made : made;
      if (running.stale) throw running.stale;
      return await (result instanceof AfterCommit ? commitBefore(running, result) : commitWith(running, result));
    } catch (thrown) {
      return failed(running, thrown);
    }
  }

  return (given) => {
    const running = begin(given) as Running<'caller'>;
    return andThen(walk(entry, running), () => {
      const keyed = keyOf(running);
      if (!keyed) return attempt(running);
      return idempotency.inTurn(given.call, keyed, () => {
        const again = begin(given);
        put.caller(again, running.caller);
        return attempt(again as Running<'caller'>);
      });
    });
  };
}

/** Returns an operation that only reads: it has no transaction, no key and no handler. It waits where its steps wait. */
function readOf(
  plan: OperationPlan,
  way: readonly ((running: Running) => unknown)[],
  effect: (running: Running<'caller'>) => unknown,
): (given: Given) => Promise<unknown> {
  return async (given) => {
    const running = newRunning(plan, given, () => {}) as Running<'caller'>;
    try {
      const walked = walk(way, running);
      if (waits(walked)) await walked;
      const read = effect(running);
      const result = waits(read) ? await read : read;
      if (running.stale) throw running.stale;
      const answer = given.reply(result);
      const enforced = enforce(running);
      if (enforced) await enforced;
      return answer;
    } catch (error) {
      await refuseBefore(running, error);
      throw error;
    }
  };
}

/** @throws Failure that takes precedence over an error */
async function refuseBefore(running: Running, error: unknown): Promise<void> {
  if (running.stale && !(error instanceof Failure && error.code === 'FORBIDDEN')) throw running.stale;
  // Invalid content may have caused the error, and 422 takes precedence.
  if (!(error instanceof Failure)) await enforce(running);
}

/** Commits before the rest of the handler's work. */
async function commitBefore(running: Running, { work }: AfterCommit): Promise<unknown> {
  const { plan, given, transaction, workId } = running;
  const keyed = keyOf(running);
  if (keyed) await plan.services.idempotency.keep(await transaction.client(), given.call, keyed, { workId });
  await commit(running);
  return given.reply(await work());
}

/** Commits with the kept answer. */
function commitWith(running: Running, result: unknown): MaybePromise<unknown> {
  const { plan, given, transaction, log } = running;
  const { services, route } = plan;
  const answer = given.reply(result);
  const keep = (keyed: KeyedRequest) =>
    andThen(transaction.client(), (tx) => {
      const { account } = services.models(route.target.model);
      const ownerId = account === undefined ? undefined : (result as Partial<AnyRow> | undefined)?.[account];
      const stored = Object.assign({ answer: answer as object }, typeof ownerId === 'number' && { ownerId });
      sendAhead(log, services.idempotency.keep(tx, given.call, keyed, stored));
    });
  const committed = andThen(enforce(running), () => {
    const keyed = keyOf(running);
    return andThen(keyed && transaction.hasBegun() ? keep(keyed) : undefined, () => commit(running));
  });
  return andThen(committed, () => answer);
}

function commit({ plan, log, transaction, onCommit }: Running): MaybePromise<void> {
  refuseFailed(log);
  return andThen(transaction.commit(log), () => {
    for (const work of onCommit)
      try {
        work();
      } catch (error) {
        // The effects are committed, so the operation succeeds.
        plan.services.onCommitFault(plan.name, error);
      }
  });
}

/** Rolls back. @throws the gravest failure; for a foreign key without a row, the failure that explains it */
async function failed(running: Running, thrown: unknown): Promise<never> {
  const { plan, given, log, transaction } = running;
  log.isOver = true;
  const error = await transaction.rollback(thrown instanceof Failure ? thrown : (log.failed?.error ?? thrown));
  await refuseBefore(running, error);
  if (faultOf(error).kind !== 'reference') throw error;
  const { services, route, row, parent } = plan;
  const holder = route.target.kind === 'create' ? (row ?? parent) : undefined;
  if (holder) await present(running, holder);
  throw await missingReference(clientIn(running), services.models, log, given.sent(given.request as never), error);
}

/** Runs the handler, or the default of a route without one, until all its calls have ended. */
function runHandler(running: Running<'caller'>): unknown {
  const { plan, row = running.parent } = running;
  const { target, handler } = plan.route;
  if (handler || removes(plan)) return runCalls(running, row);
  return target.kind === 'list' ? list(running, plan.services.models(target.model)) : row;
}

async function runCalls(running: Running<'caller'>, row: AnyRow | undefined): Promise<unknown> {
  const { plan, given, log, workId, onCommit } = running;
  const { route, services } = plan;
  const { target, handler } = route;
  const db = guarded(running);
  const made = handler
    ? (handler as (request: unknown, operation: unknown) => unknown)(given.request, {
        actor: running.caller,
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
    : delegateOf(db, services.models(target.model)).delete({ where: { id: row?.id } });
  // A call that nobody awaits begins meanwhile.
  const result = await made;
  const ended = endCalls(log);
  if (ended) await ended;
  return result;
}

function guarded(running: Running<'caller'>) {
  const { plan, given, transaction, log } = running;
  const { services, parent, writes } = plan;
  const { models, streams } = services;
  const { model } = plan.route.target;
  return guardedClient(
    models,
    streams,
    {
      call: given.call,
      action: plan.action,
      actor: () => authenticated(running),
      reader: () => (writes ? transaction.client() : clientIn(running)),
      transaction: () => (writes ? transaction.client() : refuseToWrite()),
      // The row of a `late` target is checked under its lock.
      ahead: () => (!writes ? refuseToWrite() : isLate(plan) ? transaction.client() : transaction.open()),
      onCommit: (work) => void running.onCommit.push(work),
      parentFilter: (data) =>
        parent && data.model.name === model.name
          ? { [data.referenceTo(dataOf(running, parent))]: idIn(running, parent) }
          : undefined,
      lockedTarget: () =>
        running.row && isRecord(plan) && !isLate(plan) ? { model: model.name, row: running.row } : undefined,
      checkPrecondition: () => {
        if (running.stale) throw running.stale;
      },
    },
    log,
  );
}

async function list(running: Running<'caller'>, data: ModelData): Promise<unknown> {
  const { plan, given, caller } = running;
  const { services, parent } = plan;
  const owner =
    readableRows(given.call, caller, data) ?? (isOwnOnly(running) && !parent ? data.ownedBy(caller) : undefined);
  const within = parent && { [data.referenceTo(dataOf(running, parent))]: idIn(running, parent) };
  const where = [within, owner].filter((filter) => filter !== undefined);
  const selection = given.select?.(data) ?? data.visible;
  const query = { client: clientIn(running), shared: services.client, where, selection };
  return given.window ? services.pages.window(data, given.window, query) : services.pages.page(data, given.page, query);
}
