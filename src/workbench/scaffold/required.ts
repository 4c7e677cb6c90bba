import { join } from 'node:path';
import { Project } from 'ts-morph';
import type { Types } from './object-types.js';

/** The fields of each type that need a resolver, since its model does not have them under their name and in their type. */
export type Required = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Asks the compiler which fields the generated types demand a resolver for.
 * @param generated the source of `generated/graphql.ts`, which need not be on disk
 */
export function requiredFields(root: string, generated: string, types: Types): Required {
  const project = new Project({
    tsConfigFilePath: join(root, 'tsconfig.json'),
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
  });
  // The context leads to all of the service, and says nothing of the fields.
  const text = generated.replace(/^import type \{ GraphQLContext \} from .*;$/m, 'type GraphQLContext = unknown;');
  const file = project.createSourceFile(join(root, 'generated', 'graphql.ts'), text, { overwrite: true });
  const demanded = (type: string) =>
    (
      (file.getTypeAlias(`${type}Routes`) ?? file.getInterface(`${type}Resolvers`))?.getType().getProperties() ?? []
    ).filter((one) => !one.isOptional());
  return new Map([...types.keys()].map((type) => [type, new Set(demanded(type).map((one) => one.getName()))]));
}
