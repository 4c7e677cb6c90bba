import { filesIn, type SdlPart, sdlParts, sdlText } from '@accord-api/platform/contract/project-files';
import {
  type ASTNode,
  buildASTSchema,
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  Source,
  type TypeNode,
  valueFromASTUntyped,
} from 'graphql';
import { validateSDL } from 'graphql/validation/validate.js';
import { lazy } from './lazy.js';
import { FILES, type FilePlace, type Problem, problemAt } from './problems.js';

/** The texts of the GraphQL contract and what they say, each part made when it is first asked for, and once. */
export interface SdlSource {
  /** What it is called, or its first file is. */
  readonly file: string;
  /** Of all its files, as one document. */
  readonly text: string;
  /** The texts of its files, by their paths. */
  readonly texts: ReadonlyMap<string, string>;
  /** Whether the project has none; then it promises nothing, and there is nothing wrong with that. */
  readonly absent: boolean;
  /** Its definitions, each node with its place. Throws GraphQLError on a text that does not parse. */
  readonly document: DocumentNode;
  /** Why no schema can be built from its definitions; empty when one can. Throws as `document` does. */
  readonly errors: readonly GraphQLError[];
  /** The schema that the definitions make. Throws the first of `errors`, and as `document` does. */
  readonly schema: GraphQLSchema;
}

/**
 * The model of a GraphQL contract: of its text, or of those of its files; undefined where there is none. Nothing of it is read yet.
 * @param file what it is called in places, where it is one text
 */
export function sdlOf(given: string | readonly SdlPart[] | undefined, file: string = FILES.schema): SdlSource {
  const parts = typeof given === 'string' ? [{ file, text: given }] : (given ?? []);
  const sdl: SdlSource = lazy<SdlSource>({
    file: () => parts[0]?.file ?? file,
    text: () => (parts.length === 0 ? '' : sdlText(parts)),
    texts: () => new Map(parts.map((part) => [part.file, part.text])),
    absent: () => parts.length === 0,
    document: () => {
      const definitions = parts.flatMap((part) => parse(new Source(part.text, part.file)).definitions);
      return { kind: Kind.DOCUMENT, definitions };
    },
    errors: () => validateSDL(sdl.document),
    schema: () => {
      const [first] = sdl.errors;
      if (first !== undefined) throw first;
      return buildASTSchema(sdl.document, { assumeValidSDL: true });
    },
  });
  return sdl;
}

/** The GraphQL contract of the project in a directory. */
export const sdlIn = (directory: string): SdlSource => sdlOf(sdlParts(filesIn(directory)));

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
