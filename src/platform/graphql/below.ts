import {
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { authorise, type Call } from '../calls/access.js';
import type { OffsetPage } from '../calls/pages.js';
import type { PrismaClient } from '../database/client.js';
import type { Statements } from '../database/statement.js';
import { statementNames } from '../database/statement-names.js';
import { areSound, isConstant } from './arguments.js';
import { type RowTypes, rowTypes } from './row-types.js';
import type { Tables } from './tables.js';
import { type Branch, branchesBelow, type Selecting, selectedFields } from './tree.js';
import { BELOW, type Below, decodeBelow, pagedBranches, pageValues, withBelow } from './tree-statement.js';

/** A row that others may have been read along with. */
type Row = { [BELOW]?: Below | readonly unknown[] };

/** Of a resolver's context what it is read with. */
interface Asking {
  call: Call;
  services: { statements: Statements };
}

/** What is selected below the rows of one field. */
type Tree = ReturnType<typeof treeOf>;

interface Reading {
  types: RowTypes;
  nameOf: ReturnType<typeof statementNames>;
  /** The trees of an operation: by role, place, and what its conditions come to. */
  trees: WeakMap<OperationDefinitionNode, Map<string, Tree>>;
}

const readings = new WeakMap<GraphQLSchema, Reading>();

/** Trees of one operation that are remembered; each takes no more memory than its document. */
const REMEMBERED = 16;

/**
 * Has fields find what `below` has read along: their resolvers are asked for the rest.
 * @throws Error when the tables are not as they are said to be
 */
export function findBelow(schema: GraphQLSchema, tables: Tables, client: PrismaClient): void {
  const types = rowTypes(schema, tables, client);
  readings.set(schema, { types, nameOf: statementNames(), trees: new WeakMap() });
  for (const [name, { relations }] of types) {
    for (const field of Object.values((schema.getType(name) as GraphQLObjectType).getFields())) {
      const { resolve } = field;
      if (!resolve || !relations.has(field.name)) continue;
      field.resolve = (row: Row, args, context, info) =>
        (row[BELOW] as Below | undefined)?.get(String(info.path.key)) ?? resolve(row, args, context, info);
    }
  }
}

/**
 * What a service reads rows by: what is selected below them is read by the same statement, as far as the application's `tables`
 * say where it is, and the caller may read it. For the rest there are resolvers.
 * @param path the fields that lead from the field's own to the rows: `edges`, `node` of a connection
 */
export function below(
  { call, services: { statements } }: Asking,
  info: GraphQLResolveInfo,
  ...path: string[]
): Statements {
  const reading = readings.get(info.schema);
  const tree = reading && call.actor && knownTree(reading, call, info, path);
  const values = tree?.valuesOf(info.variableValues);
  if (!tree || !values) return statements;

  const along =
    (send: Statements['read']): Statements['read'] =>
    async (statement, ...given) => {
      // Who is about to be refused has nothing more read than the refusal takes.
      if (!(await passes(call))) return send(statement, ...given);
      const text = tree.textOf(statement, given.length);
      const rows: Row[] = await send({ name: reading.nameOf({ sql: text }), text }, ...given, ...values);
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

function knownTree({ types, trees }: Reading, call: Call, info: GraphQLResolveInfo, path: readonly string[]): Tree {
  const { operation, variableValues } = info;
  const ofOperation = trees.get(operation) ?? new Map<string, Tree>();
  trees.set(operation, ofOperation);
  const conditions = conditionsOf(info).map((name) => variableValues[name]);
  const key = [call.actor?.role, info.path.key, ...conditions].join(' ');
  const known = ofOperation.get(key);
  if (known) return known;
  if (ofOperation.size >= REMEMBERED) ofOperation.clear();
  const tree = treeOf(selectedBelow({ ...info, types, may: (action) => isAllowed(call, action) }, info, path));
  ofOperation.set(key, tree);
  return tree;
}

/** @returns nothing where one row would be shown in two ways */
function selectedBelow(
  selecting: Selecting,
  { returnType, fieldNodes }: GraphQLResolveInfo,
  path: readonly string[],
): Branch[] {
  let type = getNamedType(returnType);
  let nodes = fieldNodes;
  for (const name of path) {
    if (!isObjectType(type)) return [];
    const [step, another] = [...selectedFields(type, nodes, selecting)].filter(({ field }) => field.name === name);
    if (!step || another) return [];
    type = getNamedType(step.field.type);
    nodes = step.nodes;
  }
  return isObjectType(type) ? branchesBelow(type, nodes, selecting) : [];
}

function isAllowed(call: Call, action: string): boolean {
  try {
    return authorise(call, action) !== undefined;
  } catch {
    return false;
  }
}

function treeOf(branches: readonly Branch[]) {
  const pages = pagedBranches(branches).map(pageOf);
  const texts = new Map<object, string>();
  return {
    branches,
    /** @returns undefined where there is nothing to read along, or arguments of which a resolver has to say what is wrong */
    valuesOf(variables: Variables): number[] | undefined {
      const asked = pages.map((page) => page(variables));
      return branches.length > 0 && asked.every((page) => page !== undefined) ? pageValues(asked) : undefined;
    },
    textOf(statement: { text: string }, given: number): string {
      const text = texts.get(statement) ?? withBelow(statement.text, given, branches);
      texts.set(statement, text);
      return text;
    },
  };
}

type Variables = Readonly<Record<string, unknown>>;

/** Which page the arguments of a field ask for, once where no variables are among them. */
function pageOf({ field, node, page }: Branch): (variables: Variables) => OffsetPage | undefined {
  const asked = (variables: Variables): OffsetPage | undefined => {
    try {
      const args = getArgumentValues(field, node, variables);
      return areSound(field, args) ? page?.(args) : undefined;
    } catch {
      return undefined;
    }
  };
  if (!isConstant(node)) return asked;
  const always = asked({});
  return () => always;
}

const conditions = new WeakMap<OperationDefinitionNode, readonly string[]>();

/** The variables that decide what is selected. */
function conditionsOf({ operation, fragments }: GraphQLResolveInfo): readonly string[] {
  const known = conditions.get(operation);
  if (known) return known;
  const names = new Set<string>();
  for (const node of [operation, ...Object.values(fragments)]) {
    visit(node, {
      VariableDefinition: () => false,
      Directive: (directive) => visit(directive, { Variable: ({ name }) => void names.add(name.value) }) && false,
    });
  }
  const found = [...names].sort();
  conditions.set(operation, found);
  return found;
}
