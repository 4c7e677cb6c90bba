import { type DocumentNode, GraphQLError, Kind, validateSchema } from 'graphql';
import { type Problem, problemAt } from './problems.js';
import { firstWordOf, ROOTS } from './sdl.js';
import type { SdlSource } from './sdl-source.js';

/** A field that does not say who may use it would be everybody's. */
function withoutPermission(document: DocumentNode): GraphQLError[] {
  return document.definitions.flatMap((definition) => {
    const isObject = definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION;
    if (!isObject || !ROOTS.includes(definition.name.value)) return [];
    const bare = (definition.fields ?? []).filter(
      ({ directives = [] }) => !directives.some(({ name }) => name.value === 'permission'),
    );
    return bare.map(({ name }) => {
      const message = `"${definition.name.value}.${name.value}" does not say who may use it: add @permission.`;
      return new GraphQLError(message, { nodes: name, extensions: { rule: 'permission' } });
    });
  });
}

function errorsOf(sdl: SdlSource, further: (document: DocumentNode) => GraphQLError[]): readonly GraphQLError[] {
  if (sdl.absent) return [];
  try {
    // A schema is built only from a sound document, and checked as a whole only then.
    if (sdl.errors.length > 0) return sdl.errors;
    return [...validateSchema(sdl.schema), ...further(sdl.document)];
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

const problemsOf = (sdl: SdlSource, errors: readonly GraphQLError[]): Problem[] =>
  errors.map((error) => {
    const { line, column } = error.locations?.[0] ?? { line: 1, column: 1 };
    const { length } = firstWordOf(error.nodes?.[0]);
    const { name = sdl.file, body = sdl.text } = error.source ?? {};
    const rule = String(error.extensions['rule'] ?? (error.nodes === undefined ? 'syntax' : 'schema'));
    return problemAt(name, body, { line, column, length }, rule, error.message);
  });

/** What makes a text no GraphQL schema, whoever wrote it: syntax first, then the definitions, then the schema as a whole. */
export const checkSchemaItself = (sdl: SdlSource): Problem[] =>
  problemsOf(
    sdl,
    errorsOf(sdl, () => []),
  );

/** What keeps code from being generated from a GraphQL schema: also a root field that does not say who may use it. */
export const checkSchema = (sdl: SdlSource): Problem[] => problemsOf(sdl, errorsOf(sdl, withoutPermission));
