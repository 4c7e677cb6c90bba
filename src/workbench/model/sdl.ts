import {
  type ASTNode,
  type ConstArgumentNode,
  type ConstDirectiveNode,
  Kind,
  type TypeNode,
  valueFromASTUntyped,
} from 'graphql';
import type { Place } from './problems.js';

/** The types whose fields are operations. */
export const ROOTS = ['Query', 'Mutation', 'Subscription'];

/** Where a node stands. One that was not read from a text, or that is not there, has the place of the first character. */
export function placeOf(node: Pick<ASTNode, 'loc'> | null | undefined): Required<Place> {
  const { loc } = node ?? {};
  if (loc === undefined) return { line: 1, column: 1, length: 1 };
  const { line, column } = loc.startToken;
  return { line, column, length: loc.end - loc.start };
}

/** Where the first word of a node stands. */
export function firstWordOf(node: Pick<ASTNode, 'loc'> | null | undefined): Required<Place> {
  const { start = 0, end = 1 } = node?.loc?.startToken ?? {};
  return { ...placeOf(node), length: end - start };
}

/** The arguments of a directive, as values; those of an enum as text. */
export const argumentsOf = ({ arguments: given = [] }: ConstDirectiveNode): Record<string, unknown> =>
  Object.fromEntries(given.map(({ name, value }) => [name.value, valueFromASTUntyped(value)]));

const constraintIn = (directives: readonly ConstDirectiveNode[]) =>
  directives.find(({ name }) => name.value === 'constraint');

/** What `@constraint` asks of an argument or input field; nothing where it has none. */
export function constraintOf(directives: readonly ConstDirectiveNode[] = []): Record<string, unknown> {
  const found = constraintIn(directives);
  return found === undefined ? {} : argumentsOf(found);
}

/** The same as it is written, for the place of each. */
export const constraintArguments = (directives: readonly ConstDirectiveNode[] = []): readonly ConstArgumentNode[] =>
  constraintIn(directives)?.arguments ?? [];

/** The name of the type inside lists and `!`. */
export const namedType = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);

export const isNonNull = (type: TypeNode): boolean => type.kind === Kind.NON_NULL_TYPE;

/** Whether it is a list, nullable or not. */
export const isList = (type: TypeNode): boolean =>
  type.kind === Kind.NON_NULL_TYPE ? isList(type.type) : type.kind === Kind.LIST_TYPE;
