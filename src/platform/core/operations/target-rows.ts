/** Finds the rows that a request addresses, and checks their owners. @module */

import { forbidden, reachOf } from '../calls/access.js';
import type { Failure } from '../calls/errors.js';
import { isStorableId, notFound } from '../calls/rows.js';
import { andThen, type MaybePromise } from '../calls/schedulers.js';
import type { AnyRow, Tx } from './model.js';
import { delegateOf, matchesLocally, rowSatisfies } from './model-data.js';
import type { RecordTarget } from './route.js';
import type { Running } from './running.js';

/** Returns the id of the row: of a parameter, or of the caller's account. */
export const idIn = ({ given, actor }: Running, { key }: RecordTarget): number =>
  key === undefined ? actor.id : given.idOf(key);

export const isOwnOnly = ({ plan, given, actor }: Running): boolean =>
  reachOf(given.call.policy, plan.action, actor) === 'own';

export function deniedAccess({ plan, actor }: Running, target: RecordTarget, action: string): Failure {
  const { model } = plan.services.models(target.model);
  return model.conceal ? notFound(model) : forbidden(actor, action);
}

/** Decides by the id alone. Undefined if the id does not decide, or if the caller may access all rows. */
export function isOwnById(running: Running, target: RecordTarget): boolean | undefined {
  const where = isOwnOnly(running) ? running.plan.services.models(target.model).ownedBy(running.actor) : undefined;
  return where && matchesLocally(where as Record<string, unknown>, { id: idIn(running, target) });
}

/** @throws Failure FORBIDDEN, or NOT_FOUND of a concealed model, for a row that the caller may not access */
export function requireAccess(
  running: Running,
  tx: Tx,
  target: RecordTarget,
  row: AnyRow,
  action: string,
): MaybePromise<void> {
  const data = running.plan.services.models(target.model);
  const reach = reachOf(running.given.call.policy, action, running.actor);
  const where = reach === 'own' ? data.ownedBy(running.actor) : undefined;
  const refuseUnless = (isAllowed: boolean): void => {
    if (!isAllowed) throw deniedAccess(running, target, action);
  };
  return andThen(where ? rowSatisfies(tx, data, where, row) : reach !== 'none', refuseUnless);
}

/** @param selection Prisma's `select`; all visible members by default */
export function findRow(
  running: Running,
  tx: Tx,
  target: RecordTarget,
  selection?: object,
): MaybePromise<AnyRow | null> {
  const id = idIn(running, target);
  const data = running.plan.services.models(target.model);
  if (data.hasNumericId && !isStorableId(id)) return null;
  const args = Object.assign({ where: { id } }, selection ?? data.visible);
  return delegateOf(tx, data).findUnique(args) as Promise<AnyRow | null>;
}
