import { type DefinitionNode, Kind, print } from 'graphql';
import type { SdlSource } from '../model/sdl-source.js';

/** The fields of each object type in the SDL's order, by name: their arguments and type as text. Of an interface or union what tells its types apart. */
export type Types = Map<string, Map<string, string>>;

/** Without what is said of it, and so on one line. */
const bare = <Node extends { description?: unknown; directives?: unknown }>({
  description: _,
  directives: __,
  ...rest
}: Node) => rest;

/** The types that a value of an interface or union may have; undefined for any other definition. */
function typesOf(definition: DefinitionNode, all: readonly DefinitionNode[]): string[] | undefined {
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) return (definition.types ?? []).map(({ name }) => name.value);
  if (definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) return undefined;
  return all.flatMap((one) => {
    if (one.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
    return one.interfaces?.some(({ name }) => name.value === definition.name.value) ? [one.name.value] : [];
  });
}

/** The types of a sound SDL that have resolvers, extensions left out as the generator does. */
export function objectTypes({ document: { definitions } }: SdlSource): Types {
  return new Map(
    definitions.flatMap((definition): [string, Map<string, string>][] => {
      const types = typesOf(definition, definitions);
      if (types !== undefined && 'name' in definition && definition.name !== undefined) {
        return [[definition.name.value, new Map([['__resolveType', `: ${types.join(' | ')}`]])]];
      }
      if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
      const signatures = (definition.fields ?? []).map((field): [string, string] => {
        const { arguments: args = [], ...rest } = bare(field);
        return [field.name.value, print({ ...rest, name: { kind: Kind.NAME, value: '' }, arguments: args.map(bare) })];
      });
      return [[definition.name.value, new Map(signatures)]];
    }),
  );
}
