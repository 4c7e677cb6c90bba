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

/** The GraphQL contract. Each part is computed when it is first read. */
export interface SdlSource {
  readonly file: string;
  /** The texts of all files as one document. */
  readonly text: string;
  readonly texts: ReadonlyMap<string, string>;
  /** True for a project without a GraphQL contract, which is no error. */
  readonly absent: boolean;
  /** Throws GraphQLError for a syntax error. */
  readonly document: DocumentNode;
  /** The reasons why the definitions make no schema. Throws as `document` does. */
  readonly errors: readonly GraphQLError[];
  /** Throws the first of `errors`, and as `document` does. */
  readonly schema: GraphQLSchema;
}

/**
 * Creates the model of a GraphQL contract from its text, or from the texts of its files; undefined if there is none.
 * @param file the name of a single text in problems
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

export const sdlIn = (directory: string): SdlSource => sdlOf(sdlParts(filesIn(directory)));

/** The types whose fields are operations. */
export const ROOTS = ['Query', 'Mutation', 'Subscription'];

type Located = Pick<ASTNode, 'loc'>;

/** Returns the place of a node; the first character for a node without a location. */
export function placeOf(node: Located | null | undefined): Required<FilePlace> {
  const { loc } = node ?? {};
  if (loc === undefined) return { file: FILES.schema, line: 1, column: 1, length: 1 };
  const { line, column } = loc.startToken;
  return { file: loc.source.name, line, column, length: loc.end - loc.start };
}

export function firstWordOf(node: Located | null | undefined): Required<FilePlace> {
  const { start = 0, end = 1 } = node?.loc?.startToken ?? {};
  return { ...placeOf(node), length: end - start };
}

/** Creates a problem at the first word of a node, or at another place in its file. */
export const problemIn = (node: Located, rule: string, message: string, place = firstWordOf(node)): Problem =>
  problemAt(place.file, node.loc?.source.body ?? '', place, rule, message);

/** Returns the arguments of a directive as values. Values of enums are texts. */
export const argumentsOf = ({ arguments: given = [] }: ConstDirectiveNode): Record<string, unknown> =>
  Object.fromEntries(given.map(({ name, value }) => [name.value, valueFromASTUntyped(value)]));

export function constraintOf(directives: readonly ConstDirectiveNode[] = []): Record<string, unknown> {
  const found = directives.find(({ name }) => name.value === 'constraint');
  return found === undefined ? {} : argumentsOf(found);
}

/** Returns the name of the type inside lists and `!`. */
export const namedType = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);

export const isNonNull = (type: TypeNode): boolean => type.kind === Kind.NON_NULL_TYPE;

/** Returns true for a list, nullable or not. */
export const isList = (type: TypeNode): boolean =>
  type.kind === Kind.NON_NULL_TYPE ? isList(type.type) : type.kind === Kind.LIST_TYPE;
