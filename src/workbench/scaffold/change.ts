/** What `accord scaffold` did, or would do. */
export interface Change {
  /**
   * `added`: a stub. `restored`: a parked body. `renamed`: a body under its new name. `moved`: a body under
   * its new tag. `parked`: a
   * body that the contract no longer has. `dropped`: such a stub. `registered`, `unregistered`: a file where all are named.
   */
  kind: 'added' | 'restored' | 'renamed' | 'moved' | 'parked' | 'dropped' | 'registered' | 'unregistered';
  /** Relative to the project. */
  file: string;
  /** The operationId, `Type.field`, type or tag. */
  name: string;
  /** For people. */
  detail: string;
}

/** Something at a place of the code, both counted from 1. */
export type Placed<Thing> = Thing & { line: number; column: number };

/** What the contracts promise and nobody has written yet. */
export interface Pending {
  file: string;
  /** The operationId, or `Type.field`. */
  name: string;
  /** `GET /api/v1/users`; none for a field. */
  request?: string;
}

/** Why nothing can be scaffolded, in a sentence for who edited the contract. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
