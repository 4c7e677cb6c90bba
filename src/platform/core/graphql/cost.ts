import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { constraintOf } from './arguments.js';
import { DEFAULT_LIMIT } from './selection.js';

interface Cost {
  depth: number;
  /** Each field counts 1, a long text or response name more, and a list multiplies its selection by its length. */
  cost: number;
}

interface Measurement {
  result: Cost;
  usedVariables: ReadonlyMap<string, unknown>;
}

/** Characters of a text that cost 1, and of a response name that cost 1 more (docs/decisions.md, "Limits"). */
const TEXT_LENGTH = 500;

const LENGTH_ARGUMENTS = ['limit', 'first', 'last'];

const measurements = new WeakMap<OperationDefinitionNode, Measurement>();

/**
 * Returns depth and cost of a valid operation. The last result is reused while its variables are equal.
 * @param variables the values that the client sent
 */
export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Cost {
  const variable = (name: string): unknown => {
    if (Object.hasOwn(variables, name)) return variables[name];
    const definition = operation.variableDefinitions?.find((definition) => definition.variable.name.value === name);
    return definition?.defaultValue && valueFromASTUntyped(definition.defaultValue);
  };
  const last = measurements.get(operation);
  if (last && [...last.usedVariables].every(([name, value]) => Object.is(variable(name), value))) return last.result;
  const used = new Map<string, unknown>();
  const result = walk(schema, document, operation, (name) => {
    const value = variable(name);
    used.set(name, value);
    return value;
  });
  // Values of other types are invalid, and may be too large to keep.
  const isSmall = (value: unknown) => value == null || typeof value === 'number' || typeof value === 'boolean';
  if ([...used.values()].every(isSmall)) measurements.set(operation, { result, usedVariables: used });
  return result;
}

/**
 * Introspection fields cost nothing. A fragment is measured once for each list length (100 at most), so that the time
 * does not grow exponentially.
 */
function walk(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variable: (name: string) => unknown,
): Cost {
  const fragments = fragmentsOf(document);
  const measured = new Map<string, Cost>();

  function scalarOf(node: ValueNode | undefined): unknown {
    if (node?.kind === Kind.VARIABLE) return variable(node.name.value);
    if (node?.kind === Kind.INT) return Number(node.value);
    return node?.kind === Kind.BOOLEAN ? node.value : undefined;
  }

  const isIncluded = ({ directives = [] }: SelectionNode): boolean =>
    !directives.some(
      ({ name, arguments: [condition] = [] }) =>
        ['skip', 'include'].includes(name.value) && scalarOf(condition?.value) === (name.value === 'skip'),
    );

  /**
   * Returns the length that the arguments set. A length beyond the maximum is rejected later, and costs the maximum
   * here.
   */
  function lengthOf(field: GraphQLField<unknown, unknown>, node: FieldNode): number | undefined {
    for (const arg of field.args) {
      if (!LENGTH_ARGUMENTS.includes(arg.name)) continue;
      const given = node.arguments?.find(({ name }) => name.value === arg.name);
      const value = scalarOf(given?.value) ?? arg.defaultValue;
      if (typeof value !== 'number') continue;
      return Math.min(Math.max(value, 1), Number(constraintOf(schema, arg)?.['max'] ?? Number.POSITIVE_INFINITY));
    }
    return undefined;
  }

  function costOfSelection(set: SelectionSetNode, typeName: string | undefined, length: number | undefined): Cost {
    const total: Cost = { depth: 0, cost: 0 };
    for (const node of set.selections) {
      if (!isIncluded(node)) continue;
      const { depth, cost } = costOfNode(node, typeName, length);
      total.depth = Math.max(total.depth, depth);
      total.cost += cost;
    }
    return total;
  }

  function costOfNode(node: SelectionNode, typeName: string | undefined, length: number | undefined): Cost {
    if (node.kind === Kind.FRAGMENT_SPREAD) return costOfFragment(node, length);
    if (node.kind === Kind.INLINE_FRAGMENT)
      return costOfSelection(node.selectionSet, node.typeCondition?.name.value ?? typeName, length);
    const excess = Math.floor((node.alias ?? node.name).value.length / TEXT_LENGTH);
    if (node.name.value.startsWith('__')) return { depth: 0, cost: excess };
    const type = typeName === undefined ? undefined : schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[node.name.value] : undefined;
    const cost = excess + (field ? costOfText(schema, field) : 1);
    if (!node.selectionSet) return { depth: 1, cost };
    const own = field && lengthOf(field, node);
    const isList = field !== undefined && isListType(getNullableType(field.type));
    const nested = costOfSelection(node.selectionSet, field && getNamedType(field.type).name, isList ? undefined : own);
    return { depth: 1 + nested.depth, cost: cost + (isList ? (own ?? length ?? DEFAULT_LIMIT) : 1) * nested.cost };
  }

  function costOfFragment(node: FragmentSpreadNode, length: number | undefined): Cost {
    const fragment = fragments.get(node.name.value);
    const key = `${node.name.value} ${length}`;
    const known = measured.get(key);
    if (known) return known;
    if (!fragment) return { depth: 0, cost: 0 };
    const found = costOfSelection(fragment.selectionSet, fragment.typeCondition.name.value, length);
    measured.set(key, found);
    return found;
  }

  return costOfSelection(operation.selectionSet, schema.getRootType(operation.operation)?.name, undefined);
}

const textCosts = new WeakMap<GraphQLField<unknown, unknown>, number>();

/** Returns the cost of a field by the greatest length of its text, as far as its constraint states it. */
function costOfText(schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): number {
  const maxLength = () => Number(constraintOf(schema, field)?.['maxLength'] ?? 0);
  const cost = textCosts.get(field) ?? Math.max(1, Math.ceil(maxLength() / TEXT_LENGTH));
  textCosts.set(field, cost);
  return cost;
}

export const fragmentsOf = ({ definitions }: DocumentNode) =>
  new Map(definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])));

/** Yields the nodes of selections, and those of each fragment once. @param seen the names of these fragments */
export function* nodesWithin(
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  roots: readonly SelectionSetNode[],
  seen = new Set<string>(),
): Generator<SelectionNode> {
  const sets = [...roots];
  for (const { selections } of sets)
    for (const node of selections) {
      yield node;
      if (node.kind === Kind.INLINE_FRAGMENT) sets.push(node.selectionSet);
      if (node.kind !== Kind.FRAGMENT_SPREAD || seen.has(node.name.value)) continue;
      seen.add(node.name.value);
      const fragment = fragments.get(node.name.value);
      if (fragment) sets.push(fragment.selectionSet);
    }
}
