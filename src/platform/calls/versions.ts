/** A row that counts the changes of what a representation shows. */
export interface Versioned {
  readonly id: number;
  readonly version: number;
}
