import type { FieldNode, GraphQLField, GraphQLSchema } from 'graphql';
import { constraintOf } from './constraints.js';
import { scalarOf, type Values } from './values.js';

/** The arguments that say how long a list may get. */
const SIZES = new Set(['limit', 'first', 'last']);

interface Size {
  name: string;
  /** Of the argument in the contract. */
  standard: unknown;
  /** What is beyond is answered with VALIDATION_FAILED and no list, so it costs no more than the greatest list. */
  max: number;
}

const known = new WeakMap<object, Size[]>();

function sizesOf(schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): Size[] {
  const sizes =
    known.get(field) ??
    field.args
      .filter(({ name }) => SIZES.has(name))
      .map((arg) => ({
        name: arg.name,
        standard: arg.defaultValue,
        max: Number(constraintOf(schema, arg)?.['max'] ?? Number.POSITIVE_INFINITY),
      }));
  known.set(field, sizes);
  return sizes;
}

/** How many items a field asks for by its arguments; undefined where they do not say. */
export function pageSize(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  values: Values,
): number | undefined {
  for (const { name, standard, max } of sizesOf(schema, field)) {
    const given = node.arguments?.find((one) => one.name.value === name);
    const value = scalarOf(given?.value, values) ?? standard;
    if (typeof value === 'number') return Math.min(Math.max(value, 1), max);
  }
  return undefined;
}
