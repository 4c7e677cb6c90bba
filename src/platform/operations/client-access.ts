import type { Actor, Call } from '../calls/access.js';
import type { AnyRow, Db, Tx } from './model.js';
import type { ModelData } from './model-data.js';

/** The decisions of a call that its guarded client needs. */
export interface ClientAccess {
  readonly call: Call;
  /** The action of the operation; undefined for the system, which may do everything. */
  readonly action: string | undefined;
  /** The caller with its present role. */
  readonly actor: () => Actor;
  /** Returns the client that reads: the open transaction of a writing call, else the shared client. */
  readonly reader: () => Promise<Tx>;
  /** Returns the client of the transaction, before content and rate are checked: conflicts come first. */
  readonly transaction: () => Promise<Tx>;
  /** Registers work for after the commit. */
  readonly onCommit: (work: () => void) => void;
  /** Limits the rows of a model without an owner, where another row decides for them; undefined where none does. */
  readonly belonging: (data: ModelData) => object | undefined;
  /** The row of the target. The caller may write it, and the transaction has locked it. */
  readonly permitted: () => { readonly model: string; readonly row: AnyRow } | undefined;
  /** @throws Failure PRECONDITION_FAILED for a stale `If-Match` of the target */
  readonly checkPrecondition: () => void;
}

const accesses = new WeakMap<object, ClientAccess>();

/** Keeps the call behind a `db`. */
export const keepAccess = (db: Db, access: ClientAccess): void => void accesses.set(db, access);

/** Returns the call behind a `db`, for services of the platform. @throws TypeError for another object */
export function accessOf(db: Db): ClientAccess {
  const access = accesses.get(db);
  if (!access) throw new TypeError('This is not the `db` of an operation.');
  return access;
}
