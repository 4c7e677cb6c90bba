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
import { type DeclaredModels, delegateOf, includedRow, type ModelData } from '../operations/model-data.js';
import { readableRows } from '../operations/read-scope.js';
import type { GraphQLContext } from './context.js';
import {
  markRows,
  nodesOf,
  pageArguments,
  type Relation,
  readWithParent,
  type SelectionOptions,
  type SelectionPlan,
  selectionPlan,
} from './selection.js';

const JOIN = { relationLoadStrategy: 'join' } as const;

export type SchemaRelations = ReturnType<typeof schemaRelations>;

/**
 * Installs resolvers for relations: fields that a type shares with the model of its name, and that have no resolver.
 * @throws Error for a field that is neither a member nor a relation of its model, and has no resolver
 */
export function schemaRelations(schema: GraphQLSchema, models: DeclaredModels) {
  const relations = new Map<string, ReadonlyMap<string, Relation>>();
  const resolvedFields = new Set<string>();
  const problems: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const fields = Object.values(type.getFields());
    for (const { name, resolve } of fields) if (resolve) resolvedFields.add(`${type.name}.${name}`);
    const data = models.byName(type.name);
    if (!data) continue;
    const found = new Map<string, Relation>();
    for (const field of fields) {
      if (field.resolve) continue;
      if (Object.hasOwn(data.hidden, field.name))
        problems.push(`${type.name}.${field.name} is hidden from operations. Remove the field from schema.graphql.`);
      const relation = data.relations.get(field.name);
      const target = getNamedType(field.type);
      if (relation && isObjectType(target) && relation.to.model.name === target.name) found.set(field.name, relation);
      else if (data.stored.fields[field.name] === undefined || isObjectType(target))
        problems.push(
          `${type.name}.${field.name}: model ${type.name} has no such member. Write a resolver for the field.`,
        );
      if (relation && relation.isList !== isListType(isNonNullType(field.type) ? field.type.ofType : field.type))
        problems.push(
          `${type.name}.${field.name} is ${relation.isList ? 'a' : 'no'} list in prisma/schema.prisma. Write a resolver for the field.`,
        );
    }
    relations.set(type.name, found);
  }
  if (problems.length > 0)
    throw new Error(`schema.graphql and prisma/schema.prisma disagree:\n  ${problems.join('\n  ')}`);

  for (const [name, fields] of relations)
    for (const [field, relation] of fields)
      install(models({ name }), schema.getType(name) as GraphQLObjectType, field, relation);

  const optionsFor = (context: GraphQLContext, info: SelectionOptions['info']): SelectionOptions => {
    const caller = authenticated(context.call);
    return {
      info,
      relationOf: (type, field) => relations.get(type)?.get(field),
      hasResolver: (type, field) => resolvedFields.has(`${type}.${field}`),
      readRelation: (data, isList) => {
        const reach = reachOf(context.call.policy, data.model.read, caller);
        if (reach === 'any') return { filter: undefined };
        return reach === 'own' && isList ? { filter: data.ownedBy(caller) } : 'resolver';
      },
    };
  };

  return {
    /** Returns the plan for the rows of a field. @param path from the field to its rows: `edges`, `node` */
    planFor(
      context: GraphQLContext,
      info: GraphQLResolveInfo,
      data: ModelData,
      path: readonly string[] = [],
    ): SelectionPlan {
      const options = optionsFor(context, info);
      let type = getNamedType(info.returnType) as GraphQLObjectType;
      let nodes: readonly FieldNode[] = info.fieldNodes;
      for (const step of path) {
        nodes = nodesOf(info, type, nodes, step);
        type = getNamedType(type.getFields()[step]?.type) as GraphQLObjectType;
      }
      return selectionPlan(data, type, nodes, options);
    },

    /**
     * Returns true if an entry of a stream has the same result for all callers of one role: the role may read all rows,
     * and only members and relations are selected. Functions of the application may use the caller.
     */
    isShared({ call }: GraphQLContext, info: GraphQLResolveInfo, stream: ModelData): boolean {
      const caller = authenticated(call);
      const readsAll = (data: ModelData | undefined) =>
        data === undefined || reachOf(call.policy, data.model.read, caller) === 'any';
      const isShared = (type: GraphQLNamedType, nodes: readonly FieldNode[]): boolean => {
        if (isLeafType(type)) return true;
        if (!isObjectType(type) || type.isTypeOf || !readsAll(models.byName(type.name))) return false;
        const selected = collectSubfields(schema, info.fragments, info.variableValues, type, nodes);
        return [...selected.values()].every((same) => {
          const { value: name } = (same[0] as FieldNode).name;
          const field = type.getFields()[name];
          if (!field) return true; // `__typename`
          return !resolvedFields.has(`${type.name}.${name}`) && isShared(getNamedType(field.type), same);
        });
      };
      return readsAll(stream) && isShared(getNamedType(info.returnType), info.fieldNodes);
    },
  };

  function install(data: ModelData, type: GraphQLObjectType, field: string, relation: Relation): void {
    const definition = type.getFields()[field] as GraphQLField<unknown, GraphQLContext>;
    definition.resolve = (parent, args, context, info) => {
      const rows = readWithParent(parent, field, info.fieldNodes);
      if (rows !== undefined) return rows;
      const reading = { data, field, relation, context, info, args, parent: parent as AnyRow };
      return relation.isList ? readList(reading) : readOne(reading);
    };
  }

  interface RelationRead {
    data: ModelData;
    field: string;
    relation: Relation;
    parent: AnyRow;
    args: object;
    context: GraphQLContext;
    info: GraphQLResolveInfo;
  }

  function planOf({ context, info, relation }: RelationRead): SelectionPlan {
    return selectionPlan(
      relation.to,
      getNamedType(info.returnType) as GraphQLObjectType,
      info.fieldNodes,
      optionsFor(context, info),
    );
  }

  /** Reads a page of a relation, in one batch for all parents. @throws Failure FORBIDDEN */
  async function readList(reading: RelationRead): Promise<unknown> {
    const { context, data, field, parent, relation, args, info } = reading;
    const { call, batch, operations } = context;
    const filter = readableRows(call, authenticated(call), relation.to);
    const rows = pageArguments(args);
    // graphql-js passes the same nodes for all parents of one field.
    const rowsOf = await batch(call, info.fieldNodes, parent.id, async (_call, ids) => {
      const plan = planOf(reading);
      const nested = { select: plan.select, ...rows, ...(filter && { where: filter }) };
      const parents = (await delegateOf(operations.client, data).findMany({
        where: { id: { in: [...ids] } },
        select: { id: true, [field]: nested },
        ...JOIN,
      })) as AnyRow[];
      for (const one of parents) markRows(one[field], plan);
      return new Map(parents.map((one) => [one.id, one[field]]));
    });
    return rowsOf ?? [];
  }

  /** Reads the row of a relation. @throws Failure FORBIDDEN; GONE for a row deleted since its parent was read */
  async function readOne(reading: RelationRead): Promise<unknown> {
    const { context, data, field, parent, relation, info } = reading;
    const { call, batch, operations } = context;
    const { to } = relation;
    const caller = authenticated(call);
    const filter = readableRows(call, caller, to);
    const included = filter ? undefined : includedRow(parent, field);
    if (included !== undefined) return included;
    const [member] = data.stored.fields[field]?.relation?.fields ?? [];
    const id = parent[member as string] as number | null;
    if (id === null) return null;
    const row = await batch(call, info.fieldNodes, id, async (_call, ids) => {
      const plan = planOf(reading);
      const client = operations.client;
      const own =
        filter &&
        (await delegateOf(client, to).findMany({
          where: { AND: [{ id: { in: [...ids] } }, filter] },
          select: { id: true },
        }));
      const permitted = own ? new Set((own as AnyRow[]).map((one) => one.id)) : undefined;
      const rows = (await delegateOf(client, to).findMany({
        where: { id: { in: [...ids] } },
        select: plan.select,
        ...JOIN,
      })) as AnyRow[];
      markRows(rows, plan);
      return new Map(rows.map((one) => [one.id, { row: one, isPermitted: permitted?.has(one.id) ?? true }]));
    });
    if (!row) return throwNotFoundOrGone(operations.client, to.model, id);
    if (!row.isPermitted) throw forbidden(caller, to.model.read);
    return row.row;
  }
}
