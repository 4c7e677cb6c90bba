import {
  coerceInputValue,
  GraphQLError,
  type GraphQLSchema,
  isInputType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';

/** Thrown to stop looking. */
const ENOUGH = Symbol('enough');

/**
 * What is wrong with the values of the variables that were sent, by their places. graphql itself says so by quoting the
 * whole value for each fault, which may be a secret and takes long for a large one. What was not sent it tells as well as we.
 * @param most faults that are looked for; one more says that there are more
 */
export function variableFaults(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  most: number,
): GraphQLError[] {
  const faults: GraphQLError[] = [];
  try {
    for (const definition of variableDefinitions) {
      const name = definition.variable.name.value;
      const type = typeFromAST(schema, definition.type as never);
      if (!isInputType(type) || !Object.hasOwn(variables, name)) continue;
      coerceInputValue(variables[name], type, (path, _value, { message }) => {
        const place = [`$${name}`, ...path].join('.');
        faults.push(new GraphQLError(`The value of ${place} is not right: ${message}`, { nodes: [definition] }));
        if (faults.length > most) throw ENOUGH;
      });
    }
  } catch (stopped) {
    if (stopped !== ENOUGH) throw stopped;
  }
  return faults;
}
