import {
  type GraphQLArgument,
  type GraphQLField,
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

export type InputValue = GraphQLArgument | GraphQLInputField;

const keywords = {
  minLength: 'minLength',
  maxLength: 'maxLength',
  pattern: 'pattern',
  format: 'format',
  min: 'minimum',
  max: 'maximum',
  uncommon: 'x-uncommon',
} as const;

export function constraintOf(
  schema: GraphQLSchema,
  { astNode }: InputValue | GraphQLField<unknown, unknown>,
): Record<string, unknown> | undefined {
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

export const constraintName = (keyword: string): string =>
  Object.entries(keywords).find(([, one]) => one === keyword)?.[0] ?? keyword;

/**
 * Returns the constraints of arguments as a JSON Schema. graphql-js checks types and nulls. The constraint of a list
 * applies to its items. Recursive inputs become `$defs`.
 */
export function argumentsSchema(schema: GraphQLSchema, inputs: readonly InputValue[]): Schema {
  const $defs: Record<string, Schema> = {};
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

function inLists(type: GraphQLInputType, own: Schema): Schema {
  if (isNonNullType(type)) return inLists(type.ofType, own);
  return isListType(type) ? { items: inLists(type.ofType, own) } : own;
}

/**
 * Returns the minimum of an ID: 1, or the `min` of its constraint. Returns undefined for other types, and for an ID
 * with a text constraint, such as a channel's name.
 */
export function leastId(schema: GraphQLSchema, arg: GraphQLArgument): number | undefined {
  if (getNamedType(arg.type).name !== 'ID') return undefined;
  const constraint = constraintOf(schema, arg);
  return constraint === undefined ? 1 : (constraint['min'] as number | undefined);
}
