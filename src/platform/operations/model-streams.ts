import type { Tx } from './model.js';

interface Added {
  readonly id: number;
  readonly key: string;
}

/** The live stream of a model. */
export interface ModelStream {
  /** Returns the value of the model's `stream.key`. */
  readonly keyOf: (data: Readonly<Record<string, unknown>>) => string;
  /** Names the lock under which entries get their ids. */
  readonly lockName: (key: string) => string;
  /** Signals an entry when the transaction commits. */
  readonly announce: (tx: Tx, added: Added) => Promise<void>;
  /** Called after the commit, so that this instance need not wait for its own signal. */
  readonly committed: (added: Added) => void;
  /** @param perCaller true if the representation of an entry depends on the caller */
  readonly from: (key: string, since?: number, perCaller?: boolean) => AsyncIterable<never>;
}

/** By the name of the model. */
export type ModelStreams = ReadonlyMap<string, ModelStream>;

const INCLUDED = Symbol('relations that the stream includes');

type Row = Record<string | symbol, unknown>;

/** Marks entries, so that resolvers of included relations find the rows that came with them. */
export function markIncluded(entries: readonly object[], include: Readonly<Record<string, true>>): void {
  for (const entry of entries as Row[]) entry[INCLUDED] = include;
}

/** Returns the row of a relation that a stream includes, or undefined. */
export const includedRow = (parent: unknown, field: string): unknown =>
  Object.hasOwn(((parent as Row)[INCLUDED] as object | undefined) ?? {}, field) ? (parent as Row)[field] : undefined;
