/** Keeps operations of a socket apart that have one id, one after the other. graphql-ws knows an operation by its id only. @module */

import type { ExecutionResult } from 'graphql';
import type { Context } from 'graphql-ws';

/** The operations of a socket by their ids, as graphql-ws keeps them. */
export type Operations = Context['subscriptions'];
export type Results = AsyncIterableIterator<ExecutionResult, void>;

/** Marks an operation when it arrives. @param onReplaced called if it ends after another operation has its id */
export function markOperation(open: Operations, id: string, onReplaced: () => void) {
  const mark = {} as Results;
  let results: Results | undefined;
  open[id] = mark;
  const isOpen = () => open[id] === mark || (results !== undefined && open[id] === results);

  /** Never settles after another operation has the id: graphql-ws would send that one the result, and end it. */
  const settle = <T>(work: Promise<T>): Promise<T> =>
    work.finally(() => {
      if (isOpen() || !(id in open)) return undefined;
      onReplaced();
      void results?.return?.();
      return new Promise<never>(() => {});
    });

  return {
    isOpen,
    settle,
    results: () => results,
    /** Takes the results that graphql-ws will read. */
    keep(own: Results): void {
      const { next } = own;
      own.next = () => settle(next());
      results = own;
    },
  };
}
