import type { InputValue } from '@accord-api/platform/internals/graphql/constraints';
import { getNullableType, isEnumType, isInputObjectType, isListType, isRequiredInputField, Kind } from 'graphql';
import type { Json } from './people.js';

/** What a constraint says of a value, by its name. */
function constraintOf({ astNode }: Taking): Record<string, number> {
  const constraint = astNode?.directives?.find(({ name }) => name.value === 'constraint');
  const said = constraint?.arguments?.map(({ name, value }) => [
    name.value,
    value.kind === Kind.INT ? Number(value.value) : 0,
  ]);
  return Object.fromEntries(said ?? []);
}

type Taking = Pick<InputValue, 'type' | 'astNode'>;

/**
 * A value that an argument, or a field of an input type, takes by its type and its constraint.
 * @param whole with what of an input type may be left out
 */
export function sampleOf(taking: Taking, whole = false): Json {
  const nullable = getNullableType(taking.type);
  const { min = 1, minLength = 1 } = constraintOf(taking);
  if (isListType(nullable)) return [];
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name;
  if (isInputObjectType(nullable)) {
    const given = Object.values(nullable.getFields()).filter((field) => whole || isRequiredInputField(field));
    return Object.fromEntries(given.map((field) => [field.name, sampleOf(field, whole)]));
  }
  if (nullable.name === 'Int' || nullable.name === 'Float') return Math.max(1, min);
  return nullable.name === 'Boolean' ? true : '1'.repeat(minLength);
}
