/**
 * Gives graphql-js the root fields that the platform reads wholly as leaves, and writes their values from the rows.
 * Where that does not succeed, graphql-js completes the same rows.
 * @module
 */

import {
  execute,
  type FieldNode,
  type GraphQLError,
  type GraphQLFieldConfig,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  type GraphQLSchema,
  isNonNullType,
  Kind,
} from 'graphql';
import { collectFields } from 'graphql/execution/collectFields.js';
import { type GraphQLContext, RUNNING } from './context.js';
import { fragmentsOf } from './cost.js';
import type { PreparedOperation } from './operation-check.js';
import type { SelectionPlan } from './selection.js';
import { readFields, type Write, writerOf } from './writer.js';

/** Values of variables for which an operation keeps leaves, and each leaf its plans. */
export const MAX_VARIANTS = 8;
/** Fields of an operation with leaves. Fragments multiply them. */
const MAX_FIELDS = 500;
/** Fields of all kept leaves, up to 600 bytes each with their selects. */
const MAX_KEPT_FIELDS = 30_000;

export interface Leaf {
  readonly write: Write;
  /** The variables in arguments below the root field. */
  readonly variables: ReadonlySet<string>;
  /** By role and values of the variables. Undefined if callers of the role have different plans. */
  readonly plans: Map<string, SelectionPlan | undefined>;
}

/** By response name. */
type Leaves = ReadonlyMap<string, Leaf>;

export interface RunningQuery {
  prepared?: PreparedOperation;
  leaves?: Leaves | undefined;
}

export const runningQuery = (context: GraphQLContext): RunningQuery => context[RUNNING] ?? {};

type Config = GraphQLFieldConfig<unknown, GraphQLContext>;

/** Returns a function that replaces the schema for a query that runs often, if the platform reads all its fields. */
export function leavesOf(schema: GraphQLSchema) {
  const query = schema.getQueryType() as GraphQLObjectType;
  const ofRows = withRoots(schema, () => ({ resolve: (rows) => rows }));
  const replaced = { schema: withRoots(schema, (field) => asLeaf(field, ofRows)) };
  let kept = new WeakMap<object, Map<string, Leaves | undefined>>();
  let keptFields = 0;

  function compile({ document, operation }: PreparedOperation, variableValues: Record<string, unknown>) {
    const fragments = Object.fromEntries(fragmentsOf(document));
    const room = { fields: MAX_FIELDS };
    const leaves = new Map<string, Leaf>();
    try {
      for (const [key, nodes] of collectFields(schema, fragments, variableValues, query, operation.selectionSet)) {
        const { value: name } = (nodes[0] as FieldNode).name;
        if (name === '__typename') continue;
        const field = query.getFields()[name];
        if (!field || !readFields.has(field) || isNonNullType(field.type)) return undefined;
        const variables = new Set<string>();
        const write = writerOf(field.type, nodes, { schema, fragments, variableValues, variables, room });
        leaves.set(key, { write, variables, plans: new Map() });
      }
    } catch {
      return undefined;
    }
    keptFields += MAX_FIELDS - room.fields;
    return leaves;
  }

  function leavesFor(prepared: PreparedOperation): Leaves | undefined {
    if (prepared.operation.operation !== 'query') return undefined;
    const variants = kept.get(prepared.operation);
    // Most documents run once.
    if (!variants) return void kept.set(prepared.operation, new Map());
    const flags = flagsOf(prepared);
    const key = JSON.stringify(flags);
    if (!variants.has(key) && variants.size < MAX_VARIANTS) {
      if (keptFields > MAX_KEPT_FIELDS) [kept, keptFields] = [new WeakMap(), 0];
      variants.set(key, compile(prepared, flags));
    }
    return variants.get(key);
  }

  return (running: RunningQuery): { schema: GraphQLSchema } | undefined => {
    running.leaves = running.prepared && leavesFor(running.prepared);
    return running.leaves && replaced;
  };
}

/** Returns the values of all variables that `@skip` and `@include` may use. */
function flagsOf({ operation, variableValues }: PreparedOperation): Record<string, unknown> {
  const flags: Record<string, unknown> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const { value: name } = variable.name;
    const byDefault = defaultValue?.kind === Kind.BOOLEAN ? defaultValue.value : undefined;
    const value = Object.hasOwn(variableValues, name) ? variableValues[name] : byDefault;
    if (typeof value === 'boolean') flags[name] = value;
  }
  return flags;
}

/** Returns a schema with changed root fields of queries, which shares all other types. */
function withRoots(schema: GraphQLSchema, change: (field: Config) => Partial<Config>): GraphQLSchema {
  const { fields, ...config } = (schema.getQueryType() as GraphQLObjectType).toConfig();
  const changed = Object.entries(fields).map(([name, field]) => [name, Object.assign(field, change(field))]);
  const query = new GraphQLObjectType({ ...config, fields: Object.fromEntries(changed) });
  return Object.create(schema, { getQueryType: { value: () => query } }) as GraphQLSchema;
}

/** graphql-js neither checks nor changes its values. */
const WRITTEN = new GraphQLScalarType({ name: 'Written' });

function asLeaf({ type, resolve }: Config, ofRows: GraphQLSchema): Partial<Config> {
  return {
    type: WRITTEN,
    resolve(parent, args, context, info) {
      const read = resolve?.(parent, args, context, Object.assign(info, { returnType: type })) as Promise<unknown>;
      return read.then((rows) => {
        try {
          return runningQuery(context)
            .leaves?.get(info.path.key as string)
            ?.write(rows);
        } catch {
          return complete(ofRows, rows, context, info);
        }
      });
    },
  };
}

/** Lets graphql-js complete rows. mercurius adds the errors to the others. */
async function complete(
  schema: GraphQLSchema,
  rootValue: unknown,
  context: GraphQLContext & { errors?: readonly GraphQLError[] | null },
  { operation, fieldNodes: selections, fragments, path }: GraphQLResolveInfo,
): Promise<unknown> {
  const selectionSet = { kind: Kind.SELECTION_SET, selections } as const;
  const definitions = [Object.assign({}, operation, { selectionSet }), ...Object.values(fragments)];
  const document = { kind: Kind.DOCUMENT, definitions } as const;
  const variableValues = runningQuery(context).prepared?.variableValues ?? {};
  const { data, errors } = await execute({ schema, document, rootValue, contextValue: context, variableValues });
  if (errors) context.errors = [...(context.errors ?? []), ...errors];
  return data?.[path.key];
}
