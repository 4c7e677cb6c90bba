import type { CodegenConfig } from '@graphql-codegen/cli';
import { type DocumentNode, Kind, parse, print, visit } from 'graphql';
import { ROOTS } from '../model/sdl.js';

const HEADER = '// Generated from schema.graphql by `npm run codegen`. Do not edit.\n\n';

/**
 * graphql-codegen asks for a resolver of each field or of none. What must be written is neither: a field that the model
 * has under its name and in its type is read by itself, any other one needs a resolver.
 */
const REQUIRED = `type ResultOf<Each> = Each extends ResolverFn<infer Result, any, any, any> ? Result : never;

/** The fields of a type that its model already has, under their name and in their type. */
type Given<Type extends keyof EveryField> = Type extends ${ROOTS.map((root) => `'${root}'`).join(' | ')}
  ? never
  : {
      [Field in keyof EveryField[Type]]: Field extends keyof ResolversParentTypes[Type]
        ? ResolversParentTypes[Type][Field] extends ResultOf<EveryField[Type][Field]>
          ? Field
          : never
        : never;
    }[keyof EveryField[Type]];

/** The resolvers of one type: those of its given fields may be left out, any other may not. */
type ResolversOf<Type extends keyof EveryField> = Omit<EveryField[Type], Given<Type>> &
  Partial<Pick<EveryField[Type], Given<Type>>>;

/** The types whose fields are all given. */
type GivenTypes = {
  [Type in keyof EveryField]: Exclude<keyof EveryField[Type], Given<Type>> extends never ? Type : never;
}[keyof EveryField];
`;

/** Interfaces, for the compiler calls them by their name where it would spell out any other type. */
function named(document: DocumentNode): string {
  const types = document.definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION ? [definition.name.value] : [],
  );
  const each = types.map((type) => `export interface ${type}Resolvers extends ResolversOf<'${type}'> {}\n`);
  const members = types.map((type) => `  ${type}: ${type}Resolvers;\n`);
  return `${each.join('\n')}
interface ResolversByType {
${members.join('')}}

/** All resolvers, by type. A forgotten, misnamed or mistyped one does not compile. */
export interface Resolvers extends Omit<ResolversByType, GivenTypes>, Partial<Pick<ResolversByType, GivenTypes>> {}
`;
}

/** Without the directives, which describe the contract and resolve nothing, and the types that only they use. */
function withoutDirectives(document: DocumentNode): DocumentNode {
  const remove = () => null;
  const bare = visit(document, {
    [Kind.DIRECTIVE_DEFINITION]: remove,
    [Kind.DIRECTIVE]: { enter: (node) => (node.name.value === 'deprecated' ? undefined : null) },
  });
  const used = new Set<string>();
  visit(bare, { [Kind.NAMED_TYPE]: { enter: (node) => void used.add(node.name.value) } });
  return visit(bare, {
    [Kind.ENUM_TYPE_DEFINITION]: { enter: (node) => (used.has(node.name.value) ? undefined : null) },
  });
}

/**
 * The source of `generated/graphql.ts`: what graphql-codegen makes of the schema by the configuration in `codegen.ts`,
 * and the types that say which resolvers must be there. The same schema always gives the same text.
 */
export async function generateResolvers(schema: string, config: CodegenConfig): Promise<string> {
  const { executeCodegen } = await import('@graphql-codegen/cli');
  const document = withoutDirectives(parse(schema));
  const { result, error } = await executeCodegen({ ...config, schema: print(document), silent: true });
  if (error) throw error;
  const [file] = result;
  if (file === undefined || result.length > 1) throw new Error('codegen.ts names one file to generate.');
  return `${HEADER}${file.content.replaceAll(/\n{3,}/g, '\n\n').trimEnd()}\n\n${REQUIRED}\n${named(document)}`;
}
