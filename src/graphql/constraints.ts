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

/** An ID without a constraint is a number; one with a constraint is a name, such as a channel's. */
export const isNumericId = (schema: GraphQLSchema, arg: GraphQLArgument): boolean =>
  getNamedType(arg.type).name === 'ID' && constraintOf(schema, arg) === undefined;
