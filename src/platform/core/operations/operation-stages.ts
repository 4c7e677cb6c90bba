/** The stages of the core around an operation, each a decision of its own. @module */

import { authoriseRole, forbidden, reachOf } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { isStorableId, notFound, preconditionFailure, throwNotFoundOrGone } from '../calls/rows.js';
import { needs, type StagesOf } from '../stages.js';
import type { AnyRow, Tx } from './model.js';
import type { ModelData } from './model-data.js';
import type { RecordTarget } from './route.js';
import { lockAccounts, lockAccountsOf } from './row-locks.js';
import { type OperationPlan, put, type Running } from './running.js';
import { deniedAccess, findRow, idIn, isOwnById, requireAccess } from './target-rows.js';

export const dataOf = ({ plan: { services } }: Running, { model }: RecordTarget): ModelData => services.models(model);
export const clientIn = ({ plan }: Running) => plan.services.client;

/** True if the operation names a row of its own, and not one that a new row is added to. */
export const isRecord = ({ route: { target } }: OperationPlan): boolean => target.kind === 'record';
export const isLate = ({ route: { target } }: OperationPlan): boolean =>
  target.kind === 'record' && target.late === true;
export const removes = ({ route: { target } }: OperationPlan): boolean =>
  target.kind === 'record' && target.removes === true;

/** Returns the row whose owner decides. */
const ownedRow = (plan: OperationPlan): RecordTarget | undefined =>
  plan.parent ?? (isRecord(plan) ? plan.row : undefined);

/** Loads a row that the operation does not lock. @throws Failure NOT_FOUND, GONE */
export const present = async (one: Running, target: RecordTarget): Promise<AnyRow> =>
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
    if (!owned) return undefined;
    return needs(['caller'], (one) => {
      if (isOwnById(one, owned) === false) throw deniedAccess(one, owned, plan.action);
    });
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

/** Returns the open transaction of a writing operation, and begins it; or else the client of the caller. */
async function readerOf(one: Running, target: RecordTarget): Promise<Tx> {
  const { plan } = one;
  if (!plan.writes || !isRecord(plan) || !isStorableId(idIn(one, target))) return clientIn(one);
  return isLate(plan) ? (one.tx ?? clientIn(one)) : one.transaction.open();
}
