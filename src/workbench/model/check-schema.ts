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

function errorsOf(sdl: SdlSource): readonly GraphQLError[] {
  try {
    // A schema is built only from a sound document, and checked as a whole only then.
    if (sdl.errors.length > 0) return sdl.errors;
    return [...validateSchema(sdl.schema), ...withoutPermission(sdl.document)];
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** The problems of a GraphQL schema: syntax first, then the definitions, then the schema as a whole. */
export function checkSchema(sdl: SdlSource): Problem[] {
  return errorsOf(sdl).map((error) => {
    const { line, column } = error.locations?.[0] ?? { line: 1, column: 1 };
    const { length } = firstWordOf(error.nodes?.[0]);
    const rule = String(error.extensions['rule'] ?? (error.nodes === undefined ? 'syntax' : 'schema'));
    return problemAt(sdl.file, sdl.text, { line, column, length }, rule, error.message);
  });
}
