import { filesIn } from '@accord-api/platform/contract/project-files';
import { type SdlPart, sdlParts, sdlText } from '@accord-api/platform/contract/sdl-parts';
import { buildASTSchema, type DocumentNode, type GraphQLError, type GraphQLSchema, Kind, parse, Source } from 'graphql';
import { validateSDL } from 'graphql/validation/validate.js';
import { FILES } from './files.js';
import { lazily } from './lazily.js';

/** What a project without schema.graphql promises over GraphQL. */
const NOTHING: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

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
  const document = lazily(() => {
    const definitions = parts.flatMap((part) => parse(new Source(part.text, part.file)).definitions);
    return parts.length === 0 ? NOTHING : { kind: Kind.DOCUMENT as const, definitions };
  });
  const errors = lazily(() => validateSDL(document()));
  const schema = lazily(() => {
    const [first] = errors();
    if (first !== undefined) throw first;
    return buildASTSchema(document(), { assumeValidSDL: true });
  });
  return {
    file: parts[0]?.file ?? file,
    text: parts.length === 0 ? '' : sdlText(parts),
    texts: new Map(parts.map((part) => [part.file, part.text])),
    absent: parts.length === 0,
    get document() {
      return document();
    },
    get errors() {
      return errors();
    },
    get schema() {
      return schema();
    },
  };
}

/** The GraphQL contract of the project in a directory. */
export const sdlIn = (directory: string): SdlSource => sdlOf(sdlParts(filesIn(directory)));
