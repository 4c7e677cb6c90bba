import { join } from 'node:path';
import { type FieldDefinitionNode, Kind, print } from 'graphql';
import { Project } from 'ts-morph';
import type { SdlSource } from '../model/sdl-source.js';
import { MANIPULATION_SETTINGS } from './source-edits.js';

/** The fields of each object type, in the order of the SDL. An interface or a union has `__resolveType`. */
export type Types = ReadonlyMap<string, ReadonlyMap<string, { about: string; field?: FieldDefinitionNode }>>;

/** Returns the types with resolvers. Code generation ignores extensions as well. */
export function typesOf({ document: { definitions } }: SdlSource): Types {
  const objects = definitions.filter((one) => one.kind === Kind.OBJECT_TYPE_DEFINITION);
  const abstract = (names: readonly string[]) => new Map([['__resolveType', { about: names.join(' | ') }]]);
  return new Map(
    definitions.flatMap((one): [string, ReturnType<Types['get']> & {}][] => {
      if (one.kind === Kind.UNION_TYPE_DEFINITION)
        return [[one.name.value, abstract((one.types ?? []).map(({ name }) => name.value))]];
      if (one.kind === Kind.INTERFACE_TYPE_DEFINITION) {
        const typed = objects.filter(({ interfaces = [] }) =>
          interfaces.some(({ name }) => name.value === one.name.value),
        );
        return [[one.name.value, abstract(typed.map(({ name }) => name.value))]];
      }
      if (one.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
      const fields = (one.fields ?? []).map(
        (field) => [field.name.value, { about: print(field.type), field }] as const,
      );
      return [[one.name.value, new Map(fields)]];
    }),
  );
}

export type RequiredFields = ReadonlyMap<string, ReadonlySet<string>>;

export const emptyProject = (root: string) =>
  new Project({
    tsConfigFilePath: join(root, 'tsconfig.json'),
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    manipulationSettings: MANIPULATION_SETTINGS,
  });

/** Returns the resolvers that the types in `generated/graphql.ts` require. */
export function requiredFields(root: string, generated: string, types: Types): RequiredFields {
  // The context imports the whole service, and does not affect the fields.
  const text = generated.replace(/^import type \{ GraphQLContext \} from .*;$/m, 'type GraphQLContext = unknown;');
  const file = emptyProject(root).createSourceFile(join(root, 'generated', 'graphql.ts'), text, { overwrite: true });
  const required = (type: string) => {
    const resolvers = file.getTypeAlias(`${type}Routes`) ?? file.getInterface(`${type}Resolvers`);
    return (resolvers?.getType().getProperties() ?? []).filter((one) => !one.isOptional());
  };
  return new Map([...types.keys()].map((type) => [type, new Set(required(type).map((one) => one.getName()))]));
}
