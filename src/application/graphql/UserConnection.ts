import { type Cursors, DEFAULT_LIMIT, type Issue, type Window } from 'accord';
import type { QueryUsersConnectionArgs, UserConnectionResolvers } from '../../../generated/graphql.js';
import { Failure } from '../calls.js';

/** Names the list in its cursors: one of another list is refused. */
const LIST = 'usersConnection';

export const UserConnection: UserConnectionResolvers = {
  edges: ({ items }, _args, { services: { cursors } }) =>
    items.map((node) => ({ cursor: cursors.encode(LIST, node.id), node })),
  pageInfo: ({ items, hasMore, hasPrevious }, _args, { services: { cursors } }) => {
    const [first, last] = [items.at(0), items.at(-1)];
    return {
      hasNextPage: hasMore,
      hasPreviousPage: hasPrevious,
      startCursor: first ? cursors.encode(LIST, first.id) : null,
      endCursor: last ? cursors.encode(LIST, last.id) : null,
    };
  },
};

/**
 * Which users the arguments ask for (Relay cursor connections, "Arguments"). `null` counts as left out.
 * @throws Failure BAD_REQUEST for `first` together with `last`, and for a cursor that the list did not give
 */
export function userWindow(args: Partial<QueryUsersConnectionArgs>, cursors: Cursors): Window {
  const { first, last } = args;
  if (first != null && last != null) throw refused('first and last exclude each other.', ['first', 'last']);
  const position = (name: 'after' | 'before') => {
    const cursor = args[name];
    if (cursor == null) return undefined;
    const id = cursors.read(LIST, cursor);
    if (id === undefined) throw refused('The cursor is not one that this list gave.', [name]);
    return id;
  };
  return {
    limit: first ?? last ?? DEFAULT_LIMIT,
    fromEnd: last != null,
    after: position('after'),
    before: position('before'),
  };
}

const refused = (message: string, names: string[]) =>
  new Failure('BAD_REQUEST', message, {
    issues: names.map((name): Issue => ({ pointer: `/${name}`, detail: message })),
  });
