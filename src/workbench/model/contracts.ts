import { join } from 'node:path';
import { FILES, textOf } from './files.js';
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

/**
 * The model of these texts; one that is left out promises nothing. Nothing of them is read yet, so they may be broken.
 * @param file what the contract is called in places, where it is one alone and has not its usual name
 */
export function contractsOf(texts: { readonly [Key in keyof Texts]?: string | undefined }, file?: string): Contracts {
  const openapi = openApiOf(texts.openapi, file);
  const schema = sdlOf(texts.schema, file);
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

/** What a tool asks of a project is not there; the message is a sentence for whoever asked for it. */
export class NoContracts extends Error {
  override readonly name = 'NoContracts';
}

const BOTH_CONTRACTS = ['openapi', 'schema'] as const;

const textIn = (root: string, key: keyof Texts): Promise<string | undefined> =>
  textOf(join(root, FILES[key])).catch(({ message }: Error) => {
    throw new NoContracts(`${FILES[key]} cannot be read: ${message}`);
  });

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
  const all = [...new Set([...wanted, 'prisma' as const])];
  const texts = Object.fromEntries(await Promise.all(all.map(async (key) => [key, await textIn(root, key)] as const)));
  const absent = wanted.filter((key) => texts[key] === undefined);
  if (absent.length === wanted.length || (least === 'all' && absent.length > 0)) {
    const named = `There is no ${absent.map((key) => FILES[key]).join(' and no ')} in ${root}.`;
    throw new NoContracts(`${named} Run this in the project, or name it with --root.`);
  }
  return contractsOf(texts);
}
