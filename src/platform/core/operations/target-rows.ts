/** Finds the rows that a request addresses, and checks their owners. @module */

import { forbidden, reachOf } from '../calls/access.js';
import type { Failure } from '../calls/errors.js';
import { isStorableId, notFound } from '../calls/rows.js';
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
export function isOwnById(one: Running, target: RecordTarget): boolean | undefined {
  const where = isOwnOnly(one) ? one.plan.services.models(target.model).ownedBy(one.actor) : undefined;
  return where && matchesLocally(where as Record<string, unknown>, { id: idIn(one, target) });
}

/** @throws Failure FORBIDDEN, or NOT_FOUND of a concealed model, for a row that the caller may not access */
export async function requireAccess(
  one: Running,
  tx: Tx,
  target: RecordTarget,
  row: AnyRow,
  action: string,
): Promise<void> {
  const data = one.plan.services.models(target.model);
  const reach = reachOf(one.given.call.policy, action, one.actor);
  const where = reach === 'own' ? data.ownedBy(one.actor) : undefined;
  if (reach === 'none' || (where && !(await rowSatisfies(tx, data, where, row))))
    throw deniedAccess(one, target, action);
}

/** @param selection Prisma's `select`; all visible members by default */
export async function findRow(one: Running, tx: Tx, target: RecordTarget, selection?: object): Promise<AnyRow | null> {
  const id = idIn(one, target);
  const data = one.plan.services.models(target.model);
  if (data.hasNumericId && !isStorableId(id)) return null;
  return delegateOf(tx, data).findUnique({ where: { id }, ...(selection ?? data.visible) }) as Promise<AnyRow | null>;
}
