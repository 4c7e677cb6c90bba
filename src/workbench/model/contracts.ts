import { filesIn, type ProjectFiles, sdlParts } from '@accord-api/platform/contract/project-files';
import { lazy } from './lazy.js';
import { type OpenApiSource, openApiOf } from './openapi-source.js';
import { readPermissions, type StatedPolicy } from './permissions.js';
import { type PrismaSource, prismaOf } from './prisma-schema.js';
import { FILES } from './problems.js';
import { type SdlSource, sdlOf } from './sdl-source.js';

const WHOLE = Object.keys(FILES) as (keyof Texts)[];

/** What is served, checked and generated from is these texts and no rendition of them. */
export type Texts = Record<keyof typeof FILES, string>;

/**
 * The one model of a project's contracts and of the schema of its database, of which all tools are functions. Each text is
 * parsed once, when something of it is first asked for.
 */
export interface Contracts {
  readonly openapi: OpenApiSource;
  readonly schema: SdlSource;
  readonly prisma: PrismaSource;
  /** What both contracts say of who may do what. Throws when one of them does not parse. */
  readonly permissions: StatedPolicy;
}

interface Sources {
  openapi: OpenApiSource;
  schema: SdlSource;
  prisma: string | undefined;
}

function modelOf({ openapi, schema, prisma }: Sources): Contracts {
  return lazy<Contracts>({
    openapi: () => openapi,
    schema: () => schema,
    prisma: () => prismaOf(prisma ?? ''),
    permissions: () => readPermissions(openapi, schema),
  });
}

/**
 * The model of these texts; one that is left out promises nothing. Nothing of them is read yet, so they may be broken.
 * @param file what the contract is called in places, where it is one alone and has not its usual name
 * @param files where the other files of the REST contract are
 */
export const contractsOf = (
  texts: { readonly [Key in keyof Texts]?: string | undefined },
  file?: string,
  files?: ProjectFiles,
): Contracts =>
  modelOf({ openapi: openApiOf(texts.openapi, file, files), schema: sdlOf(texts.schema, file), prisma: texts.prisma });

/** The same, with one of the contracts alone. */
export const alone = (contracts: Contracts, only: 'openapi' | 'schema'): Contracts =>
  modelOf({ openapi: openApiOf(undefined), schema: sdlOf(undefined), prisma: undefined, [only]: contracts[only] });

/**
 * The model of the project that has these files.
 * @param wanted what of it
 */
export const contractsIn = (files: ProjectFiles, wanted: readonly (keyof Texts)[] = WHOLE): Contracts => {
  const text = (key: keyof Texts) => (wanted.includes(key) ? files.read(FILES[key]) : undefined);
  const parts = wanted.includes('schema') ? sdlParts(files) : [];
  return modelOf({
    openapi: openApiOf(text('openapi'), undefined, files),
    schema: sdlOf(parts),
    prisma: text('prisma'),
  });
};

/** What a tool asks of a project is not there; the message is a sentence for whoever asked for it. */
class NoContracts extends Error {
  override readonly name = 'NoContracts';
}

const BOTH_CONTRACTS = ['openapi', 'schema'] as const;

function modelIn(root: string, wanted: readonly (keyof Texts)[]): Contracts {
  try {
    return contractsIn(filesIn(root), wanted);
  } catch (error) {
    throw new NoContracts(`The contracts cannot be read: ${(error as Error).message}`);
  }
}

/**
 * The model of the project in a directory, with the schema of its database, where it has one. Rejects with NoContracts.
 * @param wanted what must be there
 * @param least whether all of that, or one of it is enough
 */
export async function readContracts(
  root: string,
  wanted: readonly (keyof Texts)[] = BOTH_CONTRACTS,
  least: 'all' | 'one' = 'all',
): Promise<Contracts> {
  const contracts = modelIn(root, [...new Set([...wanted, 'prisma' as const])]);
  const isAbsent = (key: keyof Texts) => (key === 'prisma' ? contracts.prisma.text === '' : contracts[key].absent);
  const absent = wanted.filter(isAbsent);
  if (absent.length === wanted.length || (least === 'all' && absent.length > 0)) {
    const named = `There is no ${absent.map((key) => FILES[key]).join(' and no ')} in ${root}.`;
    throw new NoContracts(`${named} Run this in the project, or name it with --root.`);
  }
  return contracts;
}
