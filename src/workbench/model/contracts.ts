import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from './files.js';
import { lazily } from './lazily.js';
import { type OpenApiSource, openApiOf } from './openapi-source.js';
import { readPermissions, type StatedPolicy } from './permissions.js';
import { type PrismaSource, prismaOf } from './prisma-schema.js';
import { type SdlSource, sdlOf } from './sdl-source.js';

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

/** The model of these texts; one that is left out is empty. Nothing of them is read yet, so they may be broken. */
export function contractsOf(texts: Partial<Texts>): Contracts {
  const openapi = openApiOf(texts.openapi ?? '');
  const schema = sdlOf(texts.schema ?? '');
  const permissions = lazily(() => readPermissions(openapi, schema));
  return {
    openapi,
    schema,
    prisma: prismaOf(texts.prisma ?? ''),
    get permissions() {
      return permissions();
    },
  };
}

const BOTH_CONTRACTS = ['openapi', 'schema'] as const;

/** The model of the project in a directory, of the texts that are asked for. Rejects when one of these is missing. */
export async function readContracts(
  root: string,
  wanted: readonly (keyof Texts)[] = BOTH_CONTRACTS,
): Promise<Contracts> {
  const texts = wanted.map(async (key) => [key, await readFile(join(root, FILES[key]), 'utf8')] as const);
  return contractsOf(Object.fromEntries(await Promise.all(texts)));
}
