import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  isInputObjectType,
} from 'graphql';

type Input = GraphQLArgument | GraphQLInputField;

/** From the arguments of `@constraint` to the keywords of JSON Schema. */
const keywords = {
  minLength: 'minLength',
  maxLength: 'maxLength',
  pattern: 'pattern',
  format: 'format',
  min: 'minimum',
  max: 'maximum',
  uncommon: 'x-uncommon',
} as const;

/** The arguments of `@constraint` on an input; undefined where it has none. */
export function constraintOf(schema: GraphQLSchema, { astNode }: Input): Record<string, unknown> | undefined {
  const directive = schema.getDirective('constraint');
  return directive && astNode ? getDirectiveValues(directive, astNode) : undefined;
}

/** The constraints of a field's arguments as a JSON Schema. Types are graphql's matter, and `null` is never checked. */
export function argumentsSchema(schema: GraphQLSchema, inputs: readonly Input[]): object {
  return { properties: Object.fromEntries(inputs.map((input) => [input.name, inputSchema(schema, input)])) };
}

function inputSchema(schema: GraphQLSchema, input: Input): object {
  const stated = Object.entries(constraintOf(schema, input) ?? {}).map(([name, value]) => [
    keywords[name as keyof typeof keywords],
    value,
  ]);
  const type = getNamedType(input.type);
  const nested = isInputObjectType(type) ? argumentsSchema(schema, Object.values(type.getFields())) : {};
  return { ...Object.fromEntries(stated), ...nested };
}

/**
 * From which number on an argument's ids count: 1, or the `min` of its constraint. Undefined for what is no id, and for an
 * ID that is a name, such as a channel's: its constraint is one of text.
 */
export function leastId(schema: GraphQLSchema, arg: GraphQLArgument): number | undefined {
  if (getNamedType(arg.type).name !== 'ID') return undefined;
  const constraint = constraintOf(schema, arg);
  return constraint === undefined ? 1 : (constraint['min'] as number | undefined);
}
