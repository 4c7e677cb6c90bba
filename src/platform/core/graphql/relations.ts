import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';
import { authenticated, forbidden, reachOf } from '../calls/access.js';
import { throwNotFoundOrGone } from '../calls/rows.js';
import type { AnyRow } from '../operations/model.js';
import { type DeclaredModels, delegateOf, type ModelData } from '../operations/model-data.js';
import { readableRows } from '../operations/read-scope.js';
import type { GraphQLContext } from './context.js';
import { MAX_VARIANTS, runningQuery } from './leaves.js';
import {
  includedRow,
  markRows,
  nodesOf,
  pageArguments,
  type Relation,
  readWithParent,
  type SelectionPlan,
  selectionPlan,
} from './selection.js';

/** Characters of the values for which a plan is kept. */
const MAX_KEY_LENGTH = 100;

const JOIN = { relationLoadStrategy: 'join' } as const;

/** The relations of a schema that have no resolver of the application. */
export interface SchemaRelations {
  readonly models: DeclaredModels;
  /** By the names of the type and of the field. */
  readonly byType: ReadonlyMap<string, ReadonlyMap<string, Relation>>;
  /** `Type.field` of each field with a resolver of the application. */
  readonly resolvedFields: ReadonlySet<string>;
}

/** A field of a request that reads rows of a model. */
interface FieldRead {
  readonly relations: SchemaRelations;
  readonly context: GraphQLContext;
  readonly info: GraphQLResolveInfo;
  /** The model of the rows. */
  readonly data: ModelData;
}

interface RelationRead extends FieldRead {
  readonly field: string;
  readonly parent: AnyRow;
  readonly parentData: ModelData;
  readonly args: object;
}

/**
 * Finds relations: fields that a type shares with the model of its name, and that have no resolver.
 * @throws Error for a field that is neither a member nor a relation of its model, and has no resolver
 */
export function findRelations(schema: GraphQLSchema, models: DeclaredModels): SchemaRelations {
  const byType = new Map<string, ReadonlyMap<string, Relation>>();
  const resolvedFields = new Set<string>();
  const problems: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const data = models.byName(type.name);
    const found = new Map<string, Relation>();
    if (data) byType.set(type.name, found);
    for (const field of Object.values(type.getFields())) {
      const name = `${type.name}.${field.name}`;
      if (field.resolve) resolvedFields.add(name);
      if (field.resolve || !data) continue;
      if (Object.hasOwn(data.hidden, field.name))
        problems.push(`${name} is hidden from operations. Remove the field from schema.graphql.`);
      const relation = data.relations.get(field.name);
      const target = getNamedType(field.type);
      if (relation && isObjectType(target) && relation.to.model.name === target.name) found.set(field.name, relation);
      else if (data.stored.fields[field.name] === undefined || isObjectType(target))
        problems.push(`${name}: model ${type.name} has no such member. Write a resolver for the field.`);
      if (relation && relation.isList !== isListType(isNonNullType(field.type) ? field.type.ofType : field.type))
        problems.push(
          `${name} is ${relation.isList ? 'a' : 'no'} list in prisma/schema.prisma. Write a resolver for the field.`,
        );
    }
  }
  if (problems.length > 0)
    throw new Error(`schema.graphql and prisma/schema.prisma disagree:\n  ${problems.join('\n  ')}`);
  return { models, byType, resolvedFields };
}

export function installRelations(schema: GraphQLSchema, relations: SchemaRelations): void {
  for (const [name, fields] of relations.byType) {
    const parentData = relations.models({ name });
    const definitions = (schema.getType(name) as GraphQLObjectType).getFields();
    for (const [field, { to: data, isList }] of fields) {
      const definition = definitions[field] as GraphQLField<unknown, GraphQLContext>;
      definition.resolve = (parent, args, context, info) => {
        const rows = readWithParent(parent, field, info.fieldNodes);
        if (rows !== undefined) return rows;
        const read = { relations, context, info, data, field, parent: parent as AnyRow, parentData, args };
        return isList ? readList(read) : readOne(read);
      };
    }
  }
}

/** Returns the plan for the rows of a root field. The leaf keeps it, if all callers of the role have the same. */
export function rootPlan(read: FieldRead, path: readonly string[]): SelectionPlan {
  const { context, info } = read;
  const { leaves, prepared } = runningQuery(context);
  const leaf = leaves?.get(info.path.key as string);
  if (!leaf || !prepared) return planFor(read, path);
  const { variableValues: sent } = prepared;
  const values = [...leaf.variables].map((name) => [Object.hasOwn(sent, name), sent[name]]);
  // Values that a client sent are JSON: equal texts are equal values.
  const key = JSON.stringify([authenticated(context.call).role, values]);
  if (!leaf.plans.has(key) && leaf.plans.size < MAX_VARIANTS && key.length < MAX_KEY_LENGTH)
    leaf.plans.set(key, isShared(read) ? planFor(read, path) : undefined);
  return leaf.plans.get(key) ?? planFor(read, path);
}

/** Returns the plan for the rows of a field. @param path from the field to its rows: `edges`, `node` */
function planFor({ relations, context, info, data }: FieldRead, path: readonly string[] = []): SelectionPlan {
  const { policy } = context.call;
  const caller = authenticated(context.call);
  let type = getNamedType(info.returnType) as GraphQLObjectType;
  let nodes: readonly FieldNode[] = info.fieldNodes;
  for (const step of path) {
    nodes = nodesOf(info, type, nodes, step);
    type = getNamedType(type.getFields()[step]?.type) as GraphQLObjectType;
  }
  return selectionPlan(data, type, nodes, {
    info,
    relationOf: (of, field) => relations.byType.get(of)?.get(field),
    hasResolver: (of, field) => relations.resolvedFields.has(`${of}.${field}`),
    readRelation: (to, isList) => {
      const reach = reachOf(policy, to.model.read, caller);
      if (reach === 'any') return { filter: undefined };
      return reach === 'own' && isList ? { filter: to.ownedBy(caller) } : 'resolver';
    },
  });
}

const readsAll = ({ call }: GraphQLContext, { model }: ModelData): boolean =>
  reachOf(call.policy, model.read, authenticated(call)) === 'any';

/**
 * Returns true if rows have the same result for all callers of one role: the role may read all rows,
 * and only members and relations are selected. Functions of the application may use the caller.
 */
export const isShared = (read: FieldRead): boolean =>
  readsAll(read.context, read.data) && selectsShared(read, getNamedType(read.info.returnType), read.info.fieldNodes);

function selectsShared(read: FieldRead, type: GraphQLNamedType, nodes: readonly FieldNode[]): boolean {
  const { relations, context, info } = read;
  if (isLeafType(type)) return true;
  if (!isObjectType(type) || type.isTypeOf) return false;
  const data = relations.models.byName(type.name);
  if (data && !readsAll(context, data)) return false;
  const selected = collectSubfields(info.schema, info.fragments, info.variableValues, type, nodes);
  return [...selected.values()].every((same) => {
    const { value: name } = (same[0] as FieldNode).name;
    const field = type.getFields()[name];
    if (!field) return true; // `__typename`
    return !relations.resolvedFields.has(`${type.name}.${name}`) && selectsShared(read, getNamedType(field.type), same);
  });
}

/** Reads a page of a relation, in one batch for all parents. @throws Failure FORBIDDEN */
async function readList(read: RelationRead): Promise<unknown> {
  const { context, info, data, field, parent, parentData, args } = read;
  const { call, batch, operations } = context;
  const filter = readableRows(call, authenticated(call), data);
  const rows = pageArguments(args);
  // graphql-js passes the same nodes for all parents of one field.
  const rowsOf = await batch(call, info.fieldNodes, parent.id, async (_call, ids) => {
    const plan = planFor(read);
    const nested = { select: plan.select, ...rows, ...(filter && { where: filter }) };
    const wanted = { where: { id: { in: [...ids] } }, select: { id: true, [field]: nested }, ...JOIN };
    const parents = (await delegateOf(operations.client, parentData).findMany(wanted)) as AnyRow[];
    for (const row of parents) markRows(row[field], plan);
    return new Map(parents.map((row) => [row.id, row[field]]));
  });
  return rowsOf ?? [];
}

/** Reads the row of a relation. @throws Failure FORBIDDEN; GONE for a row deleted since its parent was read */
async function readOne(read: RelationRead): Promise<unknown> {
  const { context, info, data, field, parent, parentData } = read;
  const { call, batch, operations } = context;
  const caller = authenticated(call);
  const filter = readableRows(call, caller, data);
  const included = filter ? undefined : includedRow(parent, field);
  if (included !== undefined) return included;
  const [member] = parentData.stored.fields[field]?.relation?.fields ?? [];
  const id = parent[member as string] as number | null;
  if (id === null) return null;
  const row = await batch(call, info.fieldNodes, id, async (_call, ids) => {
    const plan = planFor(read);
    const delegate = delegateOf(operations.client, data);
    const where = { id: { in: [...ids] } };
    const own = filter && (await delegate.findMany({ where: { AND: [where, filter] }, select: { id: true } }));
    const permitted = own ? new Set((own as AnyRow[]).map((row) => row.id)) : undefined;
    const rows = (await delegate.findMany({ where, select: plan.select, ...JOIN })) as AnyRow[];
    markRows(rows, plan);
    return new Map(rows.map((row) => [row.id, { row: row, isPermitted: permitted?.has(row.id) ?? true }]));
  });
  if (!row) return throwNotFoundOrGone(operations.client, data.model, id);
  if (!row.isPermitted) throw forbidden(caller, data.model.read);
  return row.row;
}
