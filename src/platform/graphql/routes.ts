/** Builds the resolvers of root fields from routes. A resolver passes its arguments to `operate`. @module */

import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import { authoriseRole } from '../calls/access.js';
import { Failure, type Issue, notWritten } from '../calls/errors.js';
import type { Connection, Cursors, Page, PageRequest, Window, WindowPage } from '../calls/rows.js';
import type { AnyRow } from '../operations/model.js';
import { operate } from '../operations/operate.js';
import { isRoute, type Route } from '../operations/route.js';
import type { GraphQLContext } from './context.js';
import type { SchemaRelations } from './relations.js';
import { DEFAULT_LIMIT, markRows, page, type SelectionPlan } from './selection.js';

type Resolve = GraphQLFieldResolver<unknown, GraphQLContext, Record<string, unknown>>;

interface RootFieldOptions {
  readonly action: string;
  readonly isMutation: boolean;
  readonly route: Route<never, unknown>;
  readonly relations: () => SchemaRelations;
}

const requestOf = (
  action: string,
  args: Record<string, unknown>,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
) => ({
  call: context.call,
  name: `${info.parentType.name}.${info.fieldName}`,
  action,
  request: args,
  idOf: (key: string) => Number(args[key]),
  page: page(args) as PageRequest,
  services: context.services,
  prefix: '',
});

/** Returns the resolver of a query or mutation with a route. */
function rootResolver({ action, isMutation, route, relations }: RootFieldOptions): Resolve {
  const { target, handler } = route;
  const isConnection = target.kind === 'list' && target.isConnection === true;
  return async (_parent, args, context, info) => {
    const { operations } = context;
    const { cursors } = context.services as { cursors: Cursors };
    let plan: SelectionPlan | undefined;
    const result = await operate(operations, route, {
      ...requestOf(action, args, context, info),
      writes: isMutation,
      // Handlers and writes need whole rows.
      select:
        handler || isMutation
          ? undefined
          : (data) => {
              plan ??= relations().planFor(context, info, data, isConnection ? ['edges', 'node'] : []);
              return { select: plan.select, ...(plan.relations.size > 0 && { relationLoadStrategy: 'join' }) };
            },
      window: isConnection ? windowOf(info.fieldName, args as ConnectionArgs, cursors) : undefined,
      reply: (result) => (route.reply ? route.reply(result as never, {} as never) : result),
    });
    const isPage = target.kind === 'list' && !handler && !route.reply;
    const rows = isPage ? (result as Page<AnyRow>).items : result;
    if (plan) markRows(rows, plan);
    return isConnection && isPage ? connectionOf(info.fieldName, result as WindowPage<AnyRow>, cursors) : rows;
  };
}

/** Returns `subscribe` of a subscription with a route. */
function sourceResolver({ action, route, relations }: Omit<RootFieldOptions, 'isMutation'>): Resolve {
  const { target, handler } = route;
  return async (_parent, args, context, info) => {
    const { call, operations, signal } = context;
    if (handler) {
      const request = requestOf(action, args, context, info);
      return operate(operations, route, { ...request, writes: false, signal, reply: (made) => made });
    }
    const stream = operations.streams.get(target.model.name);
    if (!stream) throw new Error(`The model ${target.model.name} declares no \`stream\`.`);
    authoriseRole(call, action);
    await call.enforce();
    const since = args['since'] == null ? undefined : Number(args['since']);
    const perCaller = target.model.stream?.perCaller || relations().dependsOnCaller(context, info);
    return stream.from(stream.keyOf(args), since, perCaller);
  };
}

interface RootFields {
  readonly actionOf: (type: string, field: string) => string;
  /** Returns the relations of the schema, which exists only after its resolvers. */
  readonly relations: () => SchemaRelations;
}

/** Replaces the routes among the resolvers of an application by functions for graphql-js. */
export function routeResolvers(resolvers: object, { actionOf, relations }: RootFields): object {
  const fieldsOf = (type: string, fields: object) =>
    Object.fromEntries(
      Object.entries(fields).map(([field, resolver]) => {
        // graphql-js runs `subscribe` of a subscription instead of its resolver.
        if (resolver === notWritten) return [field, type === 'Subscription' ? { subscribe: resolver } : resolver];
        if (!isRoute(resolver)) return [field, resolver];
        const action = actionOf(type, field);
        if (type === 'Subscription')
          return [
            field,
            { subscribe: sourceResolver({ action, route: resolver, relations }), resolve: (event: unknown) => event },
          ];
        const isMutation = type === 'Mutation';
        return [field, rootResolver({ action, route: resolver, relations, isMutation })];
      }),
    );
  return Object.fromEntries(Object.entries(resolvers).map(([type, fields]) => [type, fieldsOf(type, fields)]));
}

/** The arguments of a connection. Null counts as omitted. */
interface ConnectionArgs {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

/**
 * Reads the arguments of a connection (Relay's "GraphQL Cursor Connections Specification").
 * @param list names the list in its cursors
 * @throws Failure BAD_REQUEST for `first` with `last`, and for a cursor of another list
 */
function windowOf(list: string, args: ConnectionArgs, cursors: Cursors): Window {
  const { first, last } = args;
  if (first != null && last != null)
    throw badArguments('`first` and `last` exclude each other. Send one of them.', ['first', 'last']);
  const position = (name: 'after' | 'before') => {
    const cursor = args[name];
    if (cursor == null) return undefined;
    const id = cursors.read(list, cursor);
    if (id === undefined) throw badArguments('The cursor must come from this list.', [name]);
    return id;
  };
  return {
    limit: first ?? last ?? DEFAULT_LIMIT,
    fromEnd: last != null,
    after: position('after'),
    before: position('before'),
  };
}

const badArguments = (message: string, names: string[]) =>
  new Failure('BAD_REQUEST', message, {
    issues: names.map((name): Issue => ({ pointer: `/${name}`, detail: message })),
  });

function connectionOf<Row extends { id: number }>(
  list: string,
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
}
