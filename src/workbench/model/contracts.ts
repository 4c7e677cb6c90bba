import { Unable } from '@accord-api/platform/cli/output';
import { filesIn, NO_FILES, type ProjectFiles } from '@accord-api/platform/contract/project-files';
import { lazy } from './lazy.js';
import { type OpenApiSource, openApiOf, partsOf } from './openapi-source.js';
import { sdlOfParts } from './part-documents.js';
import { definedRoles, readPermissions, type StatedPolicy } from './permissions.js';
import { type PrismaSource, prismaOf } from './prisma-schema.js';
import { FILES } from './problems.js';
import { type SdlSource, sdlOf, sdlOfProject } from './sdl-source.js';

type Key = keyof typeof FILES;
export type Texts = Record<Key, string>;

/** The model of a project's contracts and database schema, which all tools use. Each part is computed when it is first read. */
export interface Contracts {
  readonly openapi: OpenApiSource;
  readonly schema: SdlSource;
  readonly prisma: PrismaSource;
  /** The permissions of both contracts. Throws if a contract has syntax errors. */
  readonly permissions: StatedPolicy;
}

const modelOf = (openapi: OpenApiSource, schema: SdlSource, prisma = ''): Contracts =>
  lazy<Contracts>({
    openapi: () => openapi,
    schema: () => schema,
    prisma: () => prismaOf(prisma),
    permissions: () => readPermissions(openapi, schema),
  });

/**
 * Creates the model of texts, which may have errors.
 * @param file the name of a single contract in problems
 * @param files the other files of the REST contract
 */
export const contractsOf = (
  texts: { readonly [Name in Key]?: string | undefined },
  file?: string,
  files: ProjectFiles = NO_FILES,
): Contracts => {
  const openapi = openApiOf(texts.openapi, file, files, () => definedRoles(schema));
  const parts = () => (texts.openapi === undefined ? partsOf(files) : openapi.parts);
  const schema = sdlOf(texts.schema, file, () => sdlOfParts(files, parts()));
  return modelOf(openapi, schema, texts.prisma);
};

/** Returns a model with another GraphQL contract. */
export const withSchema = ({ openapi, prisma }: Contracts, schema: SdlSource): Contracts =>
  modelOf(openapi, schema, prisma.text);

/** Returns the model of one contract without the others. */
export const withOnly = ({ openapi, schema }: Contracts, only: 'openapi' | 'schema'): Contracts =>
  only === 'openapi' ? modelOf(openapi, sdlOf(undefined)) : modelOf(openApiOf(undefined), schema);

/** Creates the model of a project with these files. @param wanted the parts to read @param file of the REST contract */
export function contractsIn(
  files: ProjectFiles,
  wanted: readonly Key[] = Object.keys(FILES) as Key[],
  file: string = FILES.openapi,
): Contracts {
  const textOf = (key: Key) => (wanted.includes(key) ? files.read(key === 'openapi' ? file : FILES[key]) : undefined);
  let read: SdlSource | undefined;
  const schemaIn = () => (read ??= sdlOfProject(files, () => openapi.parts));
  const openapi = openApiOf(textOf('openapi'), file, files, () => definedRoles(schemaIn()));
  return modelOf(openapi, wanted.includes('schema') ? schemaIn() : sdlOf([]), textOf('prisma'));
}

/**
 * Reads the contracts and the database schema in a directory.
 * @param needed the parts that the command needs
 * @param least if all of them must exist, or one
 * @throws Unable if the project lacks them
 */
export async function readContracts(
  root: string,
  needed: readonly Key[] = ['openapi', 'schema'],
  least: 'all' | 'one' = 'all',
): Promise<Contracts> {
  let contracts: Contracts;
  try {
    contracts = contractsIn(filesIn(root), [...needed, 'prisma']);
  } catch (error) {
    throw new Unable(`The contracts cannot be read: ${(error as Error).message}`);
  }
  // Parts in codegen.ts stand for openapi.yaml.
  const isAbsent = (key: Key) => {
    if (key === 'prisma') return contracts.prisma.text === '';
    const { openapi } = contracts;
    return contracts[key].absent && (key === 'schema' || openapi.parts.length + openapi.errors.length === 0);
  };
  const absent = needed.filter(isAbsent);
  if (absent.length === needed.length || (least === 'all' && absent.length > 0)) {
    const names = absent.map((key) => FILES[key]).join(' and no ');
    throw new Unable(`There is no ${names} in ${root}. Run this in the project, or name it with --root.`);
  }
  return contracts;
}
