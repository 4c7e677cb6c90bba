/** The stages of an operation, and the transaction around its handler. @module */

import { faultOf } from '../../database/faults.js';
import { authenticated, authoriseRole, forbidden, reachOf, traceHeaders } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { isStorableId, notFound, preconditionFailure, throwNotFoundOrGone } from '../calls/rows.js';
import { needs, type StagesOf } from '../order.js';
import { type Stages, walk, wayOfOperation } from '../way.js';
import { endCalls, refuseFailed, sendAhead } from './call-transaction.js';
import { guardedClient, type OperationServices, refuseToWrite } from './guarded-client.js';
import type { AnyRow, Tx } from './model.js';
import { delegateOf, type ModelData } from './model-data.js';
import { readableRows } from './read-scope.js';
import { missingReference } from './references.js';
import type { RecordTarget, Route } from './route.js';
import { lockAccounts, lockAccountsOf } from './row-locks.js';
import { type Given, type Member, newRunning, type OperationPlan, put, type Running } from './running.js';
import { deniedAccess, findRow, idIn, isOwnById, isOwnOnly, requireAccess } from './target-rows.js';

const NEVER_ABORTED = new AbortController().signal;

/** The result of a handler whose work continues after the commit. */
class AfterCommit {
  readonly work: () => Promise<unknown>;
  constructor(work: () => Promise<unknown>) {
    this.work = work;
  }
}

const dataOf = ({ plan: { services } }: Running, { model }: RecordTarget): ModelData => services.models(model);
const clientIn = ({ plan }: Running) => plan.services.client;

/** True if the operation names a row of its own, and not one that a new row is added to. */
const isRecord = ({ route: { target } }: OperationPlan): boolean => target.kind === 'record';
const isLate = ({ route: { target } }: OperationPlan): boolean => target.kind === 'record' && target.late === true;
const removes = ({ route: { target } }: OperationPlan): boolean => target.kind === 'record' && target.removes === true;

/** Returns the row whose owner decides. */
const ownedRow = (plan: OperationPlan): RecordTarget | undefined =>
  plan.parent ?? (isRecord(plan) ? plan.row : undefined);

/** Loads a row that the operation does not lock. @throws Failure NOT_FOUND, GONE */
const present = async (one: Running, target: RecordTarget): Promise<AnyRow> =>
  (await findRow(one, clientIn(one), target)) ??
  (await throwNotFoundOrGone(clientIn(one), dataOf(one, target).model, idIn(one, target)));

/** The stages of the core around an operation. */
export const operationStages = {
  access:
    ({ action }) =>
    (one) =>
      put.caller(one, authoriseRole(one.given.call, action)),

  'own-id': (plan) => {
    const owned = ownedRow(plan);
    return owned && needs(['caller'], (one) => refuseUnless(isOwnById(one, owned) !== false, one, owned));
  },

  // The answer of an earlier request is about this row.
  'kept-row': (plan) => {
    const owned = ownedRow(plan);
    if (!owned || !plan.isKeyed) return undefined;
    return needs(['caller'], async (one) => {
      if (one.given.call.idempotency === undefined || isOwnById(one, owned) !== undefined) return;
      const row = await findRow(one, clientIn(one), owned);
      if (row) await requireAccess(one, clientIn(one), owned, row, plan.action);
    });
  },

  parent: ({ parent }) => parent && (async (one) => put.parent(one, await present(one, parent))),

  'parent-access': ({ parent, action }) =>
    parent && needs(['caller', 'parent'], (one) => requireAccess(one, clientIn(one), parent, one.parent, action)),

  lock: (plan) => {
    const target = isRecord(plan) ? plan.row : plan.parent;
    return needs(['caller'], async (one) => {
      const [tx, { id: callerId }] = [one.tx as Tx, one.caller];
      const id = target && idIn(one, target);
      if (!target || id === undefined || !isStorableId(id))
        return put.accounts(one, await lockAccounts(tx, [callerId]));
      const data = dataOf(one, target);
      const isAccount = data.model.name === 'User' && isRecord(plan);
      return put.accounts(
        one,
        await (isAccount
          ? lockAccounts(tx, [callerId, id], id)
          : lockAccountsOf(tx, callerId, data, id, isRecord(plan))),
      );
    });
  },

  // The access token may be older than the role.
  'current-role': ({ action }) =>
    needs(['caller', 'accounts'], (one) => {
      const account = one.accounts.find(({ id }) => id === one.caller.id);
      if (!account) throw new Failure('UNAUTHENTICATED', 'The account was deleted.', { challenge: 'invalid_token' });
      one.actor = Object.assign({}, one.caller, { role: account.role });
      if (reachOf(one.given.call.policy, action, one.actor) === 'none') throw forbidden(one.actor, action);
    }),

  existence: (plan) => {
    const { row: target, parent, writes, route } = plan;
    if (!target) return undefined;
    if (!isRecord(plan)) return async (one) => put.row(one, await present(one, target));
    return async (one) => {
      const on = await readerOf(one, target);
      const found = await findRow(one, on, target, route.handler ? undefined : one.given.select?.(dataOf(one, target)));
      if (writes && !isLate(plan)) await one.transaction.waitForLocks();
      if (!found && (removes(plan) || parent)) throw notFound(target.model);
      if (!found) return throwNotFoundOrGone(on, dataOf(one, target).model, idIn(one, target));
      if (parent && found[dataOf(one, target).referenceTo(dataOf(one, parent))] !== one.parent?.id)
        throw notFound(target.model);
      return put.row(one, found);
    };
  },

  'row-access': (plan) => {
    const { row: target, parent, rowAction } = plan;
    if (!target || (isRecord(plan) && parent)) return undefined;
    return needs(['caller', 'row'], async (one) =>
      requireAccess(one, await readerOf(one, target), target, one.row, rowAction),
    );
  },

  state: (plan) => {
    const { row: target, services } = plan;
    if (!target || !isRecord(plan) || !services.models(target.model).hasVersion) return undefined;
    const mayWait = !removes(plan) && services.models(target.model).model.protect !== undefined;
    return needs(['row'], (one) => {
      const { ifMatch } = one.given;
      if (ifMatch !== undefined) one.stale ??= preconditionFailure(ifMatch, one.row as never, services.generation());
      if (one.stale && !mayWait) throw one.stale;
    });
  },
} satisfies Partial<StagesOf<'core'>>;

function refuseUnless(isPermitted: boolean, one: Running, target: RecordTarget): void {
  if (!isPermitted) throw deniedAccess(one, target, one.plan.action);
}

/** Returns the open transaction of a writing operation, and begins it; or else the client of the caller. */
async function readerOf(one: Running, target: RecordTarget): Promise<Tx> {
  const { plan } = one;
  if (!plan.writes || !isRecord(plan) || !isStorableId(idIn(one, target))) return clientIn(one);
  return isLate(plan) ? (one.tx ?? clientIn(one)) : one.transaction.open();
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
    const keyed = plan.isKeyed ? given.call.idempotency : undefined;
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
  const keyed = plan.isKeyed ? given.call.idempotency : undefined;
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
  const keyed = plan.isKeyed ? given.call.idempotency : undefined;
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
    if (route.target.kind === 'create') for (const target of [row ?? parent]) if (target) await present(one, target);
    throw await missingReference(clientIn(one), services.models, log, given.sent(given.request as never), error);
  }
  const keyed = plan.isKeyed ? given.call.idempotency : undefined;
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
  const { call } = given;
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
        enforce: call.enforce,
        trace: traceHeaders(call),
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
