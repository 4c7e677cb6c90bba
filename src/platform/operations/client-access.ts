/** Stores what a call may do with its `db`. `operate` stores it with each new `db`, and the guarded client reads it before each access. @module */

import type { Actor, Call } from '../calls/access.js';
import type { AnyRow, Db, Tx } from './model.js';
import type { ModelData } from './model-data.js';

/** The access decisions of a call, for its guarded client. */
export interface ClientAccess {
  readonly call: Call;
  /** The action of the operation. Undefined for the system, which may do everything. */
  readonly action: string | undefined;
  /** The caller with its current role. */
  readonly actor: () => Actor;
  /** Returns the open transaction of a writing call, or else the shared client. */
  readonly reader: () => Promise<Tx>;
  /** Returns the transaction before content and rate are checked, because conflicts come first. */
  readonly transaction: () => Promise<Tx>;
  readonly onCommit: (work: () => void) => void;
  /** Returns the filter of a model without an owner whose parent row decides. */
  readonly parentFilter?: (data: ModelData) => object | undefined;
  /** The target row, which the caller may write and the transaction has locked. */
  readonly lockedTarget?: () => { readonly model: string; readonly row: AnyRow } | undefined;
  /** @throws Failure PRECONDITION_FAILED for a stale `If-Match` of the target */
  readonly checkPrecondition?: () => void;
}

const accesses = new WeakMap<object, ClientAccess>();

export const storeAccess = (db: Db, access: ClientAccess): void => void accesses.set(db, access);

/** Returns the decisions behind a `db`. @throws TypeError for another object */
export function accessOf(db: Db): ClientAccess {
  const access = accesses.get(db);
  if (!access) throw new TypeError('This is not the `db` of an operation.');
  return access;
}
