import { type ConstDirectiveNode, Kind, type TypeNode, valueFromASTUntyped } from 'graphql';

/** The types whose fields are operations. */
export const ROOTS = ['Query', 'Mutation', 'Subscription'];

/** The arguments of a directive, as values; those of an enum as text. */
export const argumentsOf = ({ arguments: given = [] }: ConstDirectiveNode): Record<string, unknown> =>
  Object.fromEntries(given.map(({ name, value }) => [name.value, valueFromASTUntyped(value)]));

/** What `@constraint` asks of an argument or input field; nothing where it has none. */
export function constraintOf(directives: readonly ConstDirectiveNode[] = []): Record<string, unknown> {
  const found = directives.find(({ name }) => name.value === 'constraint');
  return found === undefined ? {} : argumentsOf(found);
}

/** The name of the type inside lists and `!`. */
export const namedType = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);

export const isNonNull = (type: TypeNode): boolean => type.kind === Kind.NON_NULL_TYPE;

/** Whether it is a list, nullable or not. */
export const isList = (type: TypeNode): boolean =>
  type.kind === Kind.NON_NULL_TYPE ? isList(type.type) : type.kind === Kind.LIST_TYPE;
