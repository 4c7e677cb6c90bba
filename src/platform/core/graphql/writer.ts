/** Compiles a selection to a function that writes its value from rows. Nothing is generated or evaluated. @module */

import {
  type FieldNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isObjectType,
  specifiedScalarTypes,
  visit,
} from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';

export type Write = (value: unknown) => unknown;

/** Fields that no function of the application makes: members, relations, and root fields with plain routes. */
export const readFields = new WeakSet<GraphQLField<unknown, never>>();

interface Selected extends Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'> {
  /** Receives the variables in arguments. */
  readonly variables: Set<string>;
  /** The number of fields that may still be added. */
  readonly room: { fields: number };
}

const NOT_WRITTEN = new Error('graphql-js must complete these rows, and make the errors.');

function refuse(): never {
  throw NOT_WRITTEN;
}

/**
 * Returns a function that makes what graphql-js makes of a value. The function throws if graphql-js would report an
 * error, or if a resolver would read.
 * @throws for a selection with values that only graphql-js can make
 */
export function writerOf(type: GraphQLOutputType, nodes: readonly FieldNode[], selected: Selected): Write {
  const inner = getNullableType(type);
  const write = isLeafType(inner) ? scalarWriter(inner) : parentWriter(inner, nodes, selected);
  const isNullable = inner === type;
  return (value) => {
    if (value !== null && value !== undefined) return write(value);
    // Undefined was not read with the row.
    return isNullable && value === null ? null : refuse();
  };
}

function parentWriter(type: GraphQLOutputType, nodes: readonly FieldNode[], selected: Selected): Write {
  if (isObjectType(type) && !type.isTypeOf) return objectWriter(type, nodes, selected);
  // Resolvers do not convert the times in a list.
  if (!isListType(type) || isLeafType(getNamedType(type))) return refuse();
  const write = writerOf(type.ofType, nodes, selected);
  return (value) => (Array.isArray(value) ? value.map((item) => write(item)) : refuse());
}

function objectWriter(type: GraphQLObjectType, nodes: readonly FieldNode[], selected: Selected): Write {
  const { schema, fragments, variableValues, variables, room } = selected;
  const members: { key: string; name: string; write: Write }[] = [];
  const names = new Set<string>();
  for (const [key, own] of collectSubfields(schema, fragments, variableValues, type, nodes)) {
    const node = own[0] as FieldNode;
    const name = node.name.value;
    const field = type.getFields()[name];
    room.fields -= 1;
    if (room.fields < 0 || key === '__proto__') refuse();
    if (name !== '__typename' && !(field && readFields.has(field))) refuse();
    // One `select` cannot hold two pages of a relation.
    if (node.selectionSet && names.has(name)) refuse();
    names.add(name);
    for (const argument of node.arguments ?? [])
      visit(argument, { Variable: ({ name }) => void variables.add(name.value) });
    members.push({ key, name, write: field ? writerOf(field.type, own, selected) : () => type.name });
  }
  return (row) => {
    const made: Record<string, unknown> = {};
    for (const { key, name, write } of members) made[key] = write((row as Record<string, unknown>)[name]);
    return made;
  };
}

/** A scalar without code leaves values as they are. */
const { serialize: unchanged } = new GraphQLScalarType({ name: 'Unchanged' });

function scalarWriter(type: GraphQLLeafType): Write {
  if (!isEnumType(type) && !specifiedScalarTypes.includes(type) && type.serialize !== unchanged) refuse();
  return (value) => type.serialize(value instanceof Date ? value.toISOString() : value) ?? refuse();
}
