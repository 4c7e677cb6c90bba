import type { GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { Call } from '../calls/access.js';
import type { PrismaClient } from '../database/client.js';
import type { Reads, Run } from '../database/statement.js';
import { statementNames } from '../database/statement-names.js';
import { rowTypes } from './row-types.js';
import { areSame, selectedTrees, type Trees } from './selected-trees.js';
import type { Tables } from './tables.js';
import { BELOW, type Below, decodeBelow } from './tree-statement.js';

/** A row that others may have been read along with. */
type Row = { [BELOW]?: Below | readonly unknown[] };

/** Of a resolver's context what it is read with. */
interface Asking {
  call: Call;
  services: { statements: Reads };
}

/** Branches of all statements that have names: of each a connection to PostgreSQL keeps a plan, which takes about 20 kB for one. */
const NAMED = 1000;

const readings = new WeakMap<GraphQLSchema, { trees: Trees; nameOf: ReturnType<typeof statementNames> }>();

/**
 * Has fields find what `below` has read along: their resolvers are asked for the rest.
 * @throws Error when the tables are not as they are said to be
 */
export function findBelow(schema: GraphQLSchema, tables: Tables, client: PrismaClient): void {
  const types = rowTypes(schema, tables, client);
  readings.set(schema, { trees: selectedTrees(types), nameOf: statementNames(NAMED) });
  for (const [name, { relations }] of types) {
    for (const field of Object.values((schema.getType(name) as GraphQLObjectType).getFields())) {
      const { resolve } = field;
      if (!resolve || !relations.has(field.name)) continue;
      field.resolve = (row: Row, args, context, info) => foundBelow(row, info) ?? resolve(row, args, context, info);
    }
  }
}

/** @returns undefined, or null, where the field's own resolver is to look */
function foundBelow(row: Row, { path, fieldNodes }: GraphQLResolveInfo) {
  const found = (row[BELOW] as Below | undefined)?.get(path.key as string);
  // A row may be shown in two places, and one of them ask for other rows by the same name.
  return found && areSame(found.nodes, fieldNodes) ? found.rows : undefined;
}

/**
 * What a service reads rows by: what is selected below them is read by the same statement, as far as the application's `tables`
 * say where it is, and the caller may read it. For the rest there are resolvers.
 * @param path the fields that lead from the field's own to the rows: `edges`, `node` of a connection
 */
export function below({ call, services: { statements } }: Asking, info: GraphQLResolveInfo, ...path: string[]): Reads {
  const reading = readings.get(info.schema);
  const tree = reading && call.actor && reading.trees(call, info, path);
  const values = tree?.valuesOf(info.variableValues);
  if (!tree || !values) return statements;

  const along =
    (send: Run): Run =>
    async (statement, ...given) => {
      // Who is about to be refused has nothing more read than the refusal takes.
      if (!(await passes(call))) return send(statement, ...given);
      const text = tree.textOf(statement, given.length);
      const rows: Row[] = await send({ name: reading.nameOf({ sql: text }, tree.size), text }, ...given, ...values);
      for (const row of rows) row[BELOW] = decodeBelow(tree.branches, row[BELOW] as readonly unknown[]);
      return rows as never[];
    };
  return { read: along(statements.read), run: along(statements.run) };
}

const passes = (call: Call): Promise<boolean> =>
  call.checkpoint().then(
    () => true,
    () => false,
  );
