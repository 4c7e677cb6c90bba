import {
  type DocumentNode,
  type FragmentSpreadNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { pageSize } from './page-size.js';
import { isIncluded, type Values, valuesOf } from './values.js';

export interface Measured {
  /** Levels of fields. */
  depth: number;
  /** Each field 1, and what is selected under a list as often as the list is long. */
  cost: number;
}

/** A list whose length nothing tells is taken to be as long as a list without a limit. */
const UNTOLD = 20;

interface Measurement {
  result: Measured | { cycle: FragmentSpreadNode };
  /** The values of variables on which it depends. */
  looked: ReadonlyMap<string, unknown>;
}

const last = new WeakMap<OperationDefinitionNode, Measurement>();

/**
 * Measures what an operation asks for, once for as long as the variables say the same of lists and conditions.
 * @returns the measure, or the spread that closes a circle of fragments
 */
export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Measurement['result'] {
  const values = valuesOf(operation, variables);
  const before = last.get(operation);
  if (before && [...before.looked].every(([name, value]) => Object.is(values.get(name), value))) return before.result;
  const looked = new Map<string, unknown>();
  const get = (name: string) => {
    const value = values.get(name);
    looked.set(name, value);
    return value;
  };
  const result = walk(schema, document, operation, { get });
  if ([...looked.values()].every(isSmall)) last.set(operation, { result, looked });
  return result;
}

/** What a list or a condition goes by is; anything else is refused, and not worth its memory. */
const isSmall = (value: unknown): boolean => value == null || typeof value === 'number' || typeof value === 'boolean';

/**
 * Measures what an operation asks for. Introspection fields count for nothing. Each fragment is measured once for each
 * length that a connection hands to it (100 at most), whatever the number of its uses: a bomb of fragments is as quick as any other document.
 */
function walk(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Values,
): Measurement['result'] {
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );
  const known = new Map<string, Measured | 'under way'>();
  let cycle: FragmentSpreadNode | undefined;

  /** @param handed the length that the field above gives to the lists in it, as a connection does to its edges */
  function ofSelection(set: SelectionSetNode, typeName: string | undefined, handed: number | undefined): Measured {
    const total: Measured = { depth: 0, cost: 0 };
    for (const node of set.selections) {
      if (!isIncluded(node, values)) continue;
      const { depth, cost } = ofNode(node, typeName, handed);
      total.depth = Math.max(total.depth, depth);
      total.cost += cost;
    }
    return total;
  }

  function ofNode(
    node: SelectionSetNode['selections'][number],
    typeName: string | undefined,
    handed: number | undefined,
  ): Measured {
    if (node.kind === Kind.FRAGMENT_SPREAD) return ofFragment(node, handed);
    if (node.kind === Kind.INLINE_FRAGMENT) {
      return ofSelection(node.selectionSet, node.typeCondition?.name.value ?? typeName, handed);
    }
    if (node.name.value.startsWith('__')) return { depth: 0, cost: 0 };
    if (!node.selectionSet) return { depth: 1, cost: 1 };
    const field = fieldOf(schema, typeName, node.name.value);
    const told = field && pageSize(schema, field, node, values);
    const isList = field !== undefined && isListType(getNullableType(field.type));
    const below = ofSelection(node.selectionSet, field && getNamedType(field.type).name, isList ? undefined : told);
    return { depth: 1 + below.depth, cost: 1 + (isList ? (told ?? handed ?? UNTOLD) : 1) * below.cost };
  }

  function ofFragment(node: FragmentSpreadNode, handed: number | undefined): Measured {
    const nothing = { depth: 0, cost: 0 };
    const fragment = fragments.get(node.name.value);
    if (!fragment) return nothing;
    const key = `${node.name.value} ${handed}`;
    const before = known.get(key);
    if (before === 'under way') cycle ??= node;
    if (before !== undefined) return before === 'under way' ? nothing : before;
    known.set(key, 'under way');
    const found = ofSelection(fragment.selectionSet, fragment.typeCondition.name.value, handed);
    known.set(key, found);
    return found;
  }

  const measured = ofSelection(operation.selectionSet, schema.getRootType(operation.operation)?.name, undefined);
  return cycle ? { cycle } : measured;
}

function fieldOf(
  schema: GraphQLSchema,
  typeName: string | undefined,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  const type = typeName === undefined ? undefined : schema.getType(typeName);
  return isObjectType(type) ? type.getFields()[name] : undefined;
}
