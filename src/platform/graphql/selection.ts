import { type FieldNode, type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';

/** The names of the fields that are selected below; graphql hands the same nodes to all parents of one execution. */
const known = new WeakMap<readonly FieldNode[], ReadonlySet<string>>();

/**
 * Whether a field of the objects that are being resolved is asked for, under whatever alias: in the selection itself or in
 * fragments, `@include` and `@skip` decided by the variables.
 */
export function selects(
  { schema, fragments, variableValues, returnType, fieldNodes }: GraphQLResolveInfo,
  field: string,
): boolean {
  const before = known.get(fieldNodes);
  if (before) return before.has(field);
  const type = getNamedType(returnType);
  if (!isObjectType(type)) return true;
  const asked = collectSubfields(schema, fragments, variableValues, type, fieldNodes);
  const names = new Set([...asked.values()].flatMap(([node]) => node?.name.value ?? []));
  known.set(fieldNodes, names);
  return names.has(field);
}
