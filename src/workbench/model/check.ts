import { type DocumentNode, type FieldDefinitionNode, GraphQLError, Kind, validateSchema } from 'graphql';
import type { Contracts } from './contracts.js';
import { policyProblems } from './permissions.js';
import { type Problem, problemAt } from './problems.js';
import { firstWordOf, ROOTS, type SdlSource } from './sdl-source.js';

/** Returns a message if a field of a root type has no `@permission`: such a field would be open to everybody. */
export function missingPermission(type: string, { name, directives = [] }: FieldDefinitionNode): string | undefined {
  if (!ROOTS.includes(type) || directives.some((one) => one.name.value === 'permission')) return undefined;
  return `"${type}.${name.value}" does not say who may use it: add @permission.`;
}

function withoutPermission(document: DocumentNode): GraphQLError[] {
  return document.definitions.flatMap((definition) => {
    const isObject = definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION;
    if (!isObject) return [];
    return (definition.fields ?? []).flatMap((field) => {
      const message = missingPermission(definition.name.value, field);
      return message === undefined
        ? []
        : [new GraphQLError(message, { nodes: field.name, extensions: { rule: 'permission' } })];
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

/**
 * The problems of both contracts, of all that are broken at once; and of two sound ones where they contradict each other.
 * Empty when code can be generated from them.
 */
export async function check(contracts: Contracts): Promise<Problem[]> {
  // Its linter takes most of a second to load, which who only reads the contracts need not wait for.
  const { checkOpenApi } = await import('./check-openapi.js');
  const found = [...(await checkOpenApi(contracts.openapi)), ...checkSchema(contracts.schema)];
  return found.length > 0 ? found : contradictions(contracts);
}

/** Who states no permission anywhere serves the contracts otherwise, and need not know what the generator asks for. */
export const isGeneratedFrom = ({ openapi, schema }: Contracts): boolean =>
  [...openapi.texts.values()].some((text) => /\bx-permission:/.test(text)) || /@permission\b/.test(schema.text);

/** Where documents that can be parsed contradict themselves, or each other. */
export const contradictions = ({ openapi, schema, permissions }: Contracts): Problem[] =>
  policyProblems(openapi, schema, permissions);
