import { Failure } from '../calls/errors.js';
import type { Issue } from '../calls/issues.js';
import type { Connection, Cursors, Window, WindowPage } from '../calls/pages.js';
import { DEFAULT_LIMIT } from './page.js';

/** What a connection's field is asked with; `null` counts as left out. */
export interface ConnectionArgs {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

/**
 * A list of any model as a connection (Relay's "GraphQL Cursor Connections Specification").
 * @param list names it in its cursors: one of another list is refused
 */
export const connection = (list: string) => ({
  /**
   * Which rows the arguments ask for.
   * @throws Failure BAD_REQUEST for `first` together with `last`, and for a cursor that the list did not give
   */
  window(args: ConnectionArgs, cursors: Cursors): Window {
    const { first, last } = args;
    if (first != null && last != null) throw refused('first and last exclude each other.', ['first', 'last']);
    const position = (name: 'after' | 'before') => {
      const cursor = args[name];
      if (cursor == null) return undefined;
      const id = cursors.read(list, cursor);
      if (id === undefined) throw refused('The cursor is not one that this list gave.', [name]);
      return id;
    };
    return {
      limit: first ?? last ?? DEFAULT_LIMIT,
      fromEnd: last != null,
      after: position('after'),
      before: position('before'),
    };
  },

  /** The rows of a window as the specification shows them. */
  represent<Row extends { id: number }>(
    { items, hasMore, hasPrevious }: WindowPage<Row>,
    cursors: Cursors,
  ): Connection<Row> {
    const edges = items.map((node) => ({ cursor: cursors.encode(list, node.id), node }));
    return {
      edges,
      pageInfo: {
        hasNextPage: hasMore,
        hasPreviousPage: hasPrevious,
        startCursor: edges.at(0)?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
    };
  },
});

const refused = (message: string, names: string[]) =>
  new Failure('BAD_REQUEST', message, {
    issues: names.map((name): Issue => ({ pointer: `/${name}`, detail: message })),
  });
