import { buildASTSchema, type DocumentNode, type GraphQLError, type GraphQLSchema, Kind, parse, Source } from 'graphql';
import { validateSDL } from 'graphql/validation/validate.js';
import { FILES } from './files.js';
import { lazily } from './lazily.js';

/** What a project without schema.graphql promises over GraphQL. */
const NOTHING: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

/** The text of schema.graphql and what it says, each part made when it is first asked for, and once. */
export interface SdlSource {
  readonly file: string;
  readonly text: string;
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
 * The model of the text of schema.graphql; undefined where there is none. Nothing of it is read yet.
 * @param file what it is called in places
 */
export function sdlOf(text: string | undefined, file: string = FILES.schema): SdlSource {
  const document = lazily(() => (text === undefined ? NOTHING : parse(new Source(text, file))));
  const errors = lazily(() => validateSDL(document()));
  const schema = lazily(() => {
    const [first] = errors();
    if (first !== undefined) throw first;
    return buildASTSchema(document(), { assumeValidSDL: true });
  });
  return {
    file,
    text: text ?? '',
    absent: text === undefined,
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
