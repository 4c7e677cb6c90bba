import { type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';

/**
 * Whether a field of the objects that are being resolved is asked for, under whatever alias: in the selection itself or in
 * fragments, `@include` and `@skip` decided by the variables.
 */
export function selects(
  { schema, fragments, variableValues, returnType, fieldNodes }: GraphQLResolveInfo,
  field: string,
): boolean {
  const type = getNamedType(returnType);
  if (!isObjectType(type)) return true;
  const asked = collectSubfields(schema, fragments, variableValues, type, fieldNodes);
  return [...asked.values()].some(([node]) => node?.name.value === field);
}
