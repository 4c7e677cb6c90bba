/** Loads the row that a request addresses (its target), and checks its owner. @module */

import { type Actor, type Call, forbidden, reachOf } from '../calls/access.js';
import type { Failure } from '../calls/errors.js';
import { isStorableId, notFound } from '../calls/rows.js';
import type { AnyRow, Tx } from './model.js';
import { type DeclaredModels, delegateOf, matchesLocally, rowSatisfies } from './model-data.js';
import type { RecordTarget } from './route.js';

interface TargetRowsOptions {
  readonly client: Tx;
  readonly models: DeclaredModels;
  readonly call: Call;
  readonly action: string;
  /** The caller with its current role. */
  readonly actor: () => Actor;
  readonly idOf: (target: RecordTarget) => number;
}

/** Loads the rows of targets, and checks their owners. */
export function targetRows({ client, models, call, action, actor, idOf }: TargetRowsOptions) {
  const isOwnOnly = (): boolean => reachOf(call.policy, action, actor()) === 'own';

  const denied = ({ model: { name } }: RecordTarget, by = action): Failure => {
    const { model } = models({ name });
    return model.conceal ? notFound(model) : forbidden(actor(), by);
  };

  return {
    isOwnOnly,
    denied,

    /** Decides by the id alone. Undefined if the id does not decide, or if the caller may access all rows. */
    isOwnById(target: RecordTarget): boolean | undefined {
      const where = isOwnOnly() ? models(target.model).ownedBy(actor()) : undefined;
      return where && matchesLocally(where as Record<string, unknown>, { id: idOf(target) });
    },

    /** @throws Failure FORBIDDEN for a row that the caller does not own, if its role reaches no others */
    async requireOwner(tx: Tx, target: RecordTarget, row: AnyRow): Promise<void> {
      const data = models(target.model);
      const where = isOwnOnly() ? data.ownedBy(actor()) : undefined;
      if (where && !(await rowSatisfies(tx, data, where, row))) throw denied(target);
    },

    /** @throws Failure FORBIDDEN for a row that the caller may not read */
    async requireReadable(target: RecordTarget, row: AnyRow): Promise<void> {
      const data = models(target.model);
      const { read } = data.model;
      const reach = reachOf(call.policy, read, actor());
      const where = reach === 'own' ? data.ownedBy(actor()) : undefined;
      if (reach === 'none' || (where && !(await rowSatisfies(client, data, where, row)))) throw denied(target, read);
    },

    /** @param selection Prisma's `select`; all visible members by default */
    find(tx: Tx, target: RecordTarget, selection?: object): Promise<AnyRow | null> {
      const id = idOf(target);
      const data = models(target.model);
      if (data.hasNumericId && !isStorableId(id)) return Promise.resolve(null);
      return delegateOf(tx, data).findUnique({
        where: { id },
        ...(selection ?? data.visible),
      }) as Promise<AnyRow | null>;
    },
  };
}
