import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Schema } from '../contract/document.js';

/** What takes a value: an argument, or a field of an input. */
export type InputValue = GraphQLArgument | GraphQLInputField;

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
export function constraintOf(schema: GraphQLSchema, { astNode }: InputValue): Record<string, unknown> | undefined {
  const directive = schema.getDirective('constraint');
  return directive && astNode ? getDirectiveValues(directive, astNode) : undefined;
}

/** Returns the `@constraint` of an input in the keywords of JSON Schema. */
export const constraintSchema = (schema: GraphQLSchema, input: InputValue): Schema =>
  Object.fromEntries(
    Object.entries(constraintOf(schema, input) ?? {}).map(([name, value]) => [
      keywords[name as keyof typeof keywords],
      value,
    ]),
  );

/** What `@constraint` calls a keyword of JSON Schema. */
export const constraintName = (keyword: string): string =>
  Object.entries(keywords).find(([, one]) => one === keyword)?.[0] ?? keyword;

/**
 * The constraints of a field's arguments as a JSON Schema. Types are graphql's matter, and `null` is never checked. What a
 * constraint of a list says, it says of each item. An input that holds itself is one of `$defs`.
 */
export function argumentsSchema(schema: GraphQLSchema, inputs: readonly InputValue[]): Schema {
  const $defs: Record<string, Schema> = {};
  /** The inputs that are being written out. */
  const within: string[] = [];
  const recursive = new Set<string>();

  const membersOf = (all: readonly InputValue[]): Schema => ({
    properties: Object.fromEntries(all.map((input) => [input.name, inputSchema(input)])),
  });
  const inputSchema = (input: InputValue): Schema => {
    const type = getNamedType(input.type);
    const own = {
      description: input.description ?? '',
      ...constraintSchema(schema, input),
      ...(isInputObjectType(type) ? nested(type) : {}),
    };
    return inLists(input.type, own);
  };
  const nested = (type: GraphQLInputObjectType): Schema => {
    const { name } = type;
    const reference = { $ref: `#/$defs/${name}` };
    if (within.includes(name)) recursive.add(name);
    if (recursive.has(name)) return reference;
    within.push(name);
    const members = membersOf(Object.values(type.getFields()));
    within.pop();
    if (!recursive.has(name)) return members;
    $defs[name] = members;
    return reference;
  };
  const members = membersOf(inputs);
  return recursive.size === 0 ? members : { ...members, $defs };
}

/** What holds for a value of a type, where the type may be a list of such. */
function inLists(type: GraphQLInputType, own: Schema): Schema {
  if (isNonNullType(type)) return inLists(type.ofType, own);
  return isListType(type) ? { items: inLists(type.ofType, own) } : own;
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
