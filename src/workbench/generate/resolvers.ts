import type { CodegenConfig } from '@graphql-codegen/cli';
import { Kind, print, visit } from 'graphql';
import type { SdlSource } from '../model/sdl-source.js';

/**
 * Prints a schema without its directives, which concern no resolver, and without the types that only directives use.
 */
export function withoutDirectives({ document }: Pick<SdlSource, 'document'>): string {
  const remove = () => null;
  const bare = visit(document, {
    [Kind.DIRECTIVE_DEFINITION]: remove,
    [Kind.DIRECTIVE]: { enter: (node) => (node.name.value === 'deprecated' ? undefined : null) },
  });
  const used = new Set<string>();
  visit(bare, { [Kind.NAMED_TYPE]: { enter: (node) => void used.add(node.name.value) } });
  return print(
    visit(bare, {
      [Kind.ENUM_TYPE_DEFINITION]: { enter: (node) => (used.has(node.name.value) ? undefined : null) },
    }),
  );
}

/**
 * Returns the source of `generated/graphql.ts`, which graphql-codegen makes by the configuration in `codegen.ts`. The same schema
 * always gives the same text.
 */
export async function generateResolvers(sdl: SdlSource, config: CodegenConfig): Promise<string> {
  const { executeCodegen } = await import('@graphql-codegen/cli');
  // Leaves the getter `schema` unread, because the contract is parsed already.
  const { schema: _, ...others } = Object.getOwnPropertyDescriptors(config);
  const settings = Object.defineProperties({}, others) as Omit<CodegenConfig, 'schema'>;
  const { result, error } = await executeCodegen({ ...settings, schema: withoutDirectives(sdl), silent: true });
  if (error) throw error;
  const [file] = result;
  if (file === undefined || result.length > 1) throw new Error('codegen.ts names one file to generate.');
  return file.content;
}
