import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  isObjectType,
} from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';
import { Failure, type Issue } from '../calls/errors.js';
import type { ConnectionPage, Cursors, OffsetPage, Window, WindowPage } from '../calls/rows.js';
import type { ModelData } from '../operations/model-data.js';
import { hasValidArguments } from './arguments.js';

/** Relations in one statement. Other statements read the rest. */
const MAX_RELATIONS = 25;

const PLAN = Symbol('relations read with this row');

/** Prisma's `select` for the rows of a type, and the plans of their relations. */
export interface SelectionPlan {
  readonly select: Record<string, unknown>;
  readonly relations: ReadonlyMap<string, { readonly nodes: readonly FieldNode[]; readonly plan: SelectionPlan }>;
}

/** Returns the filter of a relation, or `resolver` if the resolver of the relation must decide. */
type ReadRelation = (data: ModelData, isList: boolean) => { readonly filter: object | undefined } | 'resolver';

export type Relation = { readonly to: ModelData; readonly isList: boolean };

export interface SelectionOptions {
  readonly info: Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;
  readonly relationOf: (type: string, field: string) => Relation | undefined;
  readonly readRelation: ReadRelation;
  readonly hasResolver: (type: string, field: string) => boolean;
}

export function pageArguments(args: { limit?: number | null; offset?: number | null }) {
  const { limit, offset } = page(args);
  return { orderBy: { id: 'asc' }, take: limit, ...(offset > 0 && { skip: offset }) };
}

/**
 * Turns a GraphQL selection into one `select` of Prisma. Resolvers read the rest: fields with a resolver, relations
 * with invalid arguments or access decided by a resolver, and a second page of one relation, which `select` cannot
 * express.
 */
export function selectionPlan(
  data: ModelData,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  options: SelectionOptions,
  budget = { relations: MAX_RELATIONS },
): SelectionPlan {
  const { info, relationOf, readRelation, hasResolver } = options;
  const select: Record<string, unknown> = { id: true };
  const relations = new Map<string, { nodes: readonly FieldNode[]; plan: SelectionPlan }>();
  const { fields } = data.stored;
  let needsAllMembers = false;
  for (const selected of collectSubfields(info.schema, info.fragments, info.variableValues, type, nodes).values()) {
    const [node] = selected as readonly [FieldNode, ...FieldNode[]];
    const name = node.name.value;
    const field = type.getFields()[name];
    if (!field) continue;
    const relation = relationOf(type.name, name);
    if (!relation) {
      // A resolver may use any member of its parent.
      if (hasResolver(type.name, name) || fields[name] === undefined || fields[name].kind === 'object')
        needsAllMembers = true;
      else select[name] = true;
      continue;
    }
    for (const member of fields[name]?.relation?.fields ?? []) select[member] = true;
    const read = readRelation(relation.to, relation.isList);
    const target = getNamedType(field.type);
    if (read === 'resolver' || relations.has(name) || budget.relations === 0 || !isObjectType(target)) continue;
    const args = getArgumentValues(field, node, info.variableValues);
    if (!hasValidArguments(field, args, node)) continue;
    budget.relations--;
    const plan = selectionPlan(relation.to, target, selected, options, budget);
    const rows = relation.isList ? pageArguments(args) : {};
    const where = relation.isList && read.filter ? { where: read.filter } : {};
    relations.set(name, { nodes: selected, plan });
    select[name] = { select: plan.select, ...rows, ...where };
  }
  if (needsAllMembers)
    for (const [member, { kind }] of Object.entries(fields))
      if (kind !== 'object' && !(member in data.hidden)) select[member] = true;
  return { select, relations };
}

/** Marks rows with their plan, so that relations find the rows that were read with them. */
export function markRows(rows: unknown, plan: SelectionPlan): void {
  if (plan.relations.size === 0) return;
  for (const row of (Array.isArray(rows) ? rows : [rows]) as (MarkedRow | null)[])
    if (row !== null && typeof row === 'object') row[PLAN] = plan;
}

/** Returns the rows of a relation that were read with their parent for the same selection; undefined otherwise. */
export function readWithParent(parent: unknown, field: string, nodes: readonly FieldNode[]): unknown {
  const relation = ((parent as MarkedRow)[PLAN] as SelectionPlan | undefined)?.relations.get(field);
  if (!relation || relation.nodes.length !== nodes.length) return undefined;
  if (!relation.nodes.every((node, index) => node === nodes[index])) return undefined;
  const rows = (parent as MarkedRow)[field];
  markRows(rows, relation.plan);
  return rows;
}

export function nodesOf(
  { schema, fragments, variableValues }: SelectionOptions['info'],
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  name: string,
): FieldNode[] {
  const selected = collectSubfields(schema, fragments, variableValues, type, nodes);
  return [...selected.values()].flat().filter((node) => node.name.value === name);
}

/** The limit of a list by default, as in the contract. */
export const DEFAULT_LIMIT = 20;

/** Null counts as omitted. Lists have no total, so nothing is counted. */
export const page = ({ limit, offset }: { limit?: number | null; offset?: number | null }): OffsetPage => ({
  limit: limit ?? DEFAULT_LIMIT,
  offset: offset ?? 0,
  counted: false,
});

/** The arguments of a connection. Null counts as omitted. */
export interface ConnectionArgs {
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
export function windowOf(list: string, args: ConnectionArgs, cursors: Cursors): Window {
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

export function connectionOf<Row extends { id: number }>(
  list: string,
  { items, hasMore, hasPrevious }: WindowPage<Row>,
  cursors: Cursors,
): ConnectionPage<Row> {
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

const INCLUDED = Symbol('relations that the stream includes');

export type MarkedRow = Record<string, unknown> & Record<symbol, object | undefined>;

/** Marks entries, so that resolvers of included relations find the rows that came with them. */
export function markIncluded(entries: readonly object[], include: Readonly<Record<string, true>>): void {
  for (const entry of entries as MarkedRow[]) entry[INCLUDED] = include;
}

/** Returns the row of a relation that a stream includes, or undefined. */
export const includedRow = (parent: unknown, field: string): unknown =>
  Object.hasOwn((parent as MarkedRow)[INCLUDED] ?? {}, field) ? (parent as MarkedRow)[field] : undefined;
