/** The stages of the core around an operation, each a decision of its own. @module */

import { authoriseRole, forbidden, reachOf } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { isStorableId, notFound, preconditionFailure, throwNotFoundOrGone } from '../calls/rows.js';
import { andThen } from '../calls/schedulers.js';
import { needs, type StagesOf } from '../stages.js';
import type { AnyRow, Tx } from './model.js';
import type { ModelData } from './model-data.js';
import type { RecordTarget } from './route.js';
import { type LockedAccount, lockAccounts, lockAccountsOf } from './row-locks.js';
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
export const present = async (running: Running, target: RecordTarget): Promise<AnyRow> =>
  (await findRow(running, clientIn(running), target)) ??
  (await throwNotFoundOrGone(clientIn(running), dataOf(running, target).model, idIn(running, target)));

/** The stages of the core around an operation. */
export const operationStages = {
  access:
    ({ action }) =>
    (running) =>
      put.caller(running, authoriseRole(running.given.call, action)),

  'own-id': (plan) => {
    const owned = ownedRow(plan);
    if (!owned) return undefined;
    return needs(['caller'], (running) => {
      if (isOwnById(running, owned) === false) throw deniedAccess(running, owned, plan.action);
    });
  },

  // The answer of an earlier request is about this row.
  'kept-row': (plan) => {
    const owned = ownedRow(plan);
    if (!owned || !plan.isKeyed) return undefined;
    return needs(['caller'], async (running) => {
      if (running.given.call.idempotency === undefined || isOwnById(running, owned) !== undefined) return;
      const row = await findRow(running, clientIn(running), owned);
      if (row) await requireAccess(running, clientIn(running), owned, row, plan.action);
    });
  },

  parent: ({ parent }) => parent && (async (running) => put.parent(running, await present(running, parent))),

  'parent-access': ({ parent, action }) =>
    parent &&
    needs(['caller', 'parent'], (running) => requireAccess(running, clientIn(running), parent, running.parent, action)),

  lock: (plan) => {
    const target = isRecord(plan) ? plan.row : plan.parent;
    return needs(['caller'], (running) => {
      const [tx, { id: callerId }] = [running.tx as Tx, running.caller];
      const id = target && idIn(running, target);
      const locking = (locks: Promise<readonly LockedAccount[]>) =>
        locks.then((accounts) => put.accounts(running, accounts));
      if (!target || id === undefined || !isStorableId(id)) return locking(lockAccounts(tx, [callerId]));
      const data = dataOf(running, target);
      const isAccount = data.model.name === 'User' && isRecord(plan);
      if (isAccount) return locking(lockAccounts(tx, [callerId, id], id));
      return locking(lockAccountsOf(tx, callerId, data, id, isRecord(plan)));
    });
  },

  // The access token may be older than the role.
  'current-role': ({ action }) =>
    needs(['caller', 'accounts'], (running) => {
      const account = running.accounts.find(({ id }) => id === running.caller.id);
      if (!account) throw new Failure('UNAUTHENTICATED', 'The account was deleted.', { challenge: 'invalid_token' });
      running.actor = Object.assign({}, running.caller, { role: account.role });
      if (reachOf(running.given.call.policy, action, running.actor) === 'none') throw forbidden(running.actor, action);
    }),

  existence: (plan) => {
    const { row: target, parent, writes, route } = plan;
    if (!target) return undefined;
    if (!isRecord(plan)) return async (running) => put.row(running, await present(running, target));
    const find = (running: Running, on: Tx) =>
      findRow(running, on, target, route.handler ? undefined : running.given.select?.(dataOf(running, target)));
    const putFound = (running: Running, on: Tx, found: AnyRow | null): 'row' | Promise<never> => {
      if (!found && (removes(plan) || parent)) throw notFound(target.model);
      const data = dataOf(running, target);
      if (!found) return throwNotFoundOrGone(on, data.model, idIn(running, target));
      if (parent && found[data.referenceTo(dataOf(running, parent))] !== running.parent?.id)
        throw notFound(target.model);
      return put.row(running, found);
    };
    if (!writes)
      return (running) => {
        const on = clientIn(running);
        return andThen(find(running, on), (row) => putFound(running, on, row));
      };
    return (running) => {
      const on = readerOf(running, target);
      return andThen(find(running, on), (row) => {
        const put = () => putFound(running, on, row);
        return isLate(plan) ? put() : running.transaction.whenLocked(put);
      });
    };
  },

  'row-access': (plan) => {
    const { row: target, parent, rowAction } = plan;
    if (!target || (isRecord(plan) && parent)) return undefined;
    return needs(['caller', 'row'], (running) =>
      requireAccess(running, readerOf(running, target), target, running.row, rowAction),
    );
  },

  state: (plan) => {
    const { row: target, services } = plan;
    if (!target || !isRecord(plan) || !services.models(target.model).hasVersion) return undefined;
    const mayWait = !removes(plan) && services.models(target.model).model.protect !== undefined;
    return needs(['row'], (running) => {
      const { ifMatch } = running.given;
      if (ifMatch !== undefined)
        running.stale ??= preconditionFailure(ifMatch, running.row as never, services.generation());
      if (running.stale && !mayWait) throw running.stale;
    });
  },
} satisfies Partial<StagesOf<'core'>>;

/** Returns the open transaction of a writing operation, and begins it; or else the client of the caller. */
function readerOf(running: Running, target: RecordTarget): Tx {
  const { plan } = running;
  if (!plan.writes || !isRecord(plan) || !isStorableId(idIn(running, target))) return clientIn(running);
  return isLate(plan) ? (running.tx ?? clientIn(running)) : running.transaction.open();
}
