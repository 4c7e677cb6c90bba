import { type ASTNode, type ConstDirectiveNode, Kind, type TypeNode, valueFromASTUntyped } from 'graphql';
import { FILES } from './files.js';
import { type FilePlace, type Problem, problemAt } from './problems.js';

/** The types whose fields are operations. */
export const ROOTS = ['Query', 'Mutation', 'Subscription'];

/** Where a node stands. One that was not read from a text, or that is not there, has the place of the first character. */
export function placeOf(node: Pick<ASTNode, 'loc'> | null | undefined): Required<FilePlace> {
  const { loc } = node ?? {};
  if (loc === undefined) return { file: FILES.schema, line: 1, column: 1, length: 1 };
  const { line, column } = loc.startToken;
  return { file: loc.source.name, line, column, length: loc.end - loc.start };
}

/** Where the first word of a node stands. */
export function firstWordOf(node: Pick<ASTNode, 'loc'> | null | undefined): Required<FilePlace> {
  const { start = 0, end = 1 } = node?.loc?.startToken ?? {};
  return { ...placeOf(node), length: end - start };
}

/** What is wrong with a node, told at its first word, or at another place in its file. */
export function problemIn(
  node: Pick<ASTNode, 'loc'>,
  rule: string,
  message: string,
  place = firstWordOf(node),
): Problem {
  return problemAt(place.file, node.loc?.source.body ?? '', place, rule, message);
}

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
