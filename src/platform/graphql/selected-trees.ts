import {
  type DirectiveNode,
  type FieldNode,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { authorise, type Call } from '../calls/access.js';
import type { OffsetPage } from '../calls/pages.js';
import { areSound, isConstant } from './arguments.js';
import type { RowTypes } from './row-types.js';
import { type Branch, branchesBelow, type Selecting, selectedFields, sizeOf } from './tree.js';
import { pagedBranches, pageValues, withBelow } from './tree-statement.js';

/** What is selected below the rows of a field, and how it is read. */
type Tree = ReturnType<typeof treeOf>;

/** Bytes of all trees that are remembered; the least recently used ones go first. */
const REMEMBERED = 16 * 1024 * 1024;
/** Bytes that a branch takes, with its part of the statement. */
const BYTES_PER_BRANCH = 2048;

/** @param path see `below` */
export type Trees = (call: Call, info: GraphQLResolveInfo, path: readonly string[]) => Tree;

/** Finds what is selected below the rows of a field: once for each operation, role, place, and what its conditions come to. */
export function selectedTrees(types: RowTypes): Trees {
  const operations = new WeakMap<OperationDefinitionNode, { id: number; trees: Map<string, Tree> }>();
  let last = 0;
  // Trees hold their document, and nothing here holds a document.
  const remembered = new LRUCache<string, { of: WeakRef<Map<string, Tree>>; size: number }>({
    maxSize: REMEMBERED,
    sizeCalculation: ({ size }) => (1 + size) * BYTES_PER_BRANCH,
    dispose: ({ of }, key, reason) => {
      if (reason === 'evict') of.deref()?.delete(key);
    },
  });

  return (call, info, path) => {
    const { operation, variableValues } = info;
    const { id, trees } = operations.get(operation) ?? { id: ++last, trees: new Map<string, Tree>() };
    operations.set(operation, { id, trees });
    const conditions = decidingVariables(info).map((name) => variableValues[name]);
    const key = [id, call.actor?.role, info.path.key, path.join('.'), ...conditions].join(' ');
    const known = trees.get(key);
    remembered.get(key);
    if (known && areSame(known.nodes, info.fieldNodes)) return known;
    const branches = selectedBelow({ ...info, types, may: (action) => isAllowed(call, action) }, info, path);
    const tree = treeOf(info.fieldNodes, branches);
    trees.set(key, tree);
    remembered.set(key, { of: new WeakRef(trees), size: tree.size });
    return tree;
  };
}

/** Whether two places of documents are one. */
export const areSame = (one: readonly FieldNode[], other: readonly FieldNode[]): boolean =>
  one.length === other.length && one.every((node, n) => node === other[n]);

function selectedBelow(
  selecting: Selecting,
  { returnType, fieldNodes }: GraphQLResolveInfo,
  path: readonly string[],
): Branch[] {
  let type = getNamedType(returnType);
  let nodes = fieldNodes;
  for (const name of path) {
    if (!isObjectType(type)) return [];
    const step = [...selectedFields(type, nodes, selecting)].find(({ field }) => field.name === name);
    if (!step) return [];
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

function treeOf(nodes: readonly FieldNode[], branches: readonly Branch[]) {
  const pages = pagedBranches(branches).map(pageOf);
  const texts = new Map<object, string>();
  return {
    nodes,
    branches,
    size: sizeOf(branches),
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
function pageOf({ field, nodes, page }: Branch): (variables: Variables) => OffsetPage | undefined {
  const [node] = nodes as [FieldNode];
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

const deciding = new WeakMap<OperationDefinitionNode, readonly string[]>();

/** The variables that decide what is selected. */
function decidingVariables({ operation, fragments }: GraphQLResolveInfo): readonly string[] {
  const known = deciding.get(operation);
  if (known) return known;
  const names = new Set<string>();
  const ofDirective = (directive: DirectiveNode) => {
    visit(directive, { Variable: ({ name }) => void names.add(name.value) });
  };
  for (const node of [operation, ...Object.values(fragments)]) visit(node, { Directive: ofDirective });
  const found = [...names];
  deciding.set(operation, found);
  return found;
}
