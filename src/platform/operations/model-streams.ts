import type { Tx } from './model.js';

/** A row that was added to a stream, for all who follow its key. */
interface Added {
  readonly id: number;
  readonly key: string;
}

/** The live stream of a model. */
export interface ModelStream {
  /** Names the stream of an entry: the value of the model's `stream.key`. */
  readonly keyOf: (data: Readonly<Record<string, unknown>>) => string;
  /** Names the lock under which entries get their ids. */
  readonly lockName: (key: string) => string;
  /** Signals an entry when the transaction that adds it commits. */
  readonly announce: (tx: Tx, added: Added) => Promise<void>;
  /** Is called after the commit: this instance need not wait for its own signal. */
  readonly committed: (added: Added) => void;
  /**
   * Returns the entries under a key after an id, the stored ones first; without an id, those that are added from now on.
   * @param perCaller whether what is shown of an entry depends on the caller
   */
  readonly from: (key: string, since?: number, perCaller?: boolean) => AsyncIterable<never>;
}

/** The streams of models, by the name of the model. */
export type ModelStreams = ReadonlyMap<string, ModelStream>;

/** Marks an entry with the relations that its stream includes. */
const INCLUDED = Symbol('relations that the stream includes');

type Row = Record<string | symbol, unknown>;

/** Marks entries of a stream, so that the fields of included relations find the rows that came with them. */
export function markIncluded(entries: readonly object[], include: Readonly<Record<string, true>>): void {
  for (const entry of entries as Row[]) entry[INCLUDED] = include;
}

/** Returns the row of a relation that a stream includes; undefined for any other row. */
export const includedRow = (parent: unknown, field: string): unknown =>
  Object.hasOwn(((parent as Row)[INCLUDED] as object | undefined) ?? {}, field) ? (parent as Row)[field] : undefined;
