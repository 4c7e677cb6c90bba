import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative, resolve } from 'node:path';
import { filesIn, NO_FILES, type ProjectFiles } from '@accord-api/platform/contract/project-files';
import { Kind, parse } from 'graphql';
import { type Contracts, contractsIn, contractsOf, type Texts, withOnly } from './contracts.js';
import { commitAt, filesAt, git, NoSuchCommit } from './git.js';
import { FILES } from './problems.js';

/** Which of the two contracts a text is. */
type ContractKind = 'openapi' | 'schema';

/** What people call them. */
const KIND_NAMES: Record<ContractKind, string> = { openapi: 'an OpenAPI document', schema: 'GraphQL SDL' };

const OPENAPI = /^[ \t{]*["']?openapi["']?[ \t]*:/m;

/** What is taken for a contract and is none, and what to do. */
const OTHERS: readonly (readonly [looks: RegExp, why: string])[] = [
  [/^\s*$/, 'it is empty'],
  [/^\s*<(?:!doctype|html|\?xml)/i, 'it is a page for a browser'],
  [/^[ \t{]*["']?swagger["']?[ \t]*:/m, 'it is in Swagger 2.0, and OpenAPI 3.0 and 3.1 are read: convert it first'],
  [/^(?:datasource|generator)[ \t]+\w+[ \t]*\{/m, 'it is a Prisma schema, which is compared with its whole project'],
  [
    /^\s*\{\s*"(?:data|__schema)"/,
    'it is the answer to an introspection query, which leaves out what directives say: take the SDL',
  ],
];

/** SDL that does not parse has its place told; so it has to be known for what was meant. */
const MEANT = /^(?:extend[ \t]+)?(?:type|interface|input|enum)[ \t]+\w[^:\n]*\{/m;

function isSdl(text: string): boolean {
  try {
    const kinds = parse(text, { noLocation: true }).definitions.map(({ kind }) => kind);
    return kinds.every((kind) => kind !== Kind.OPERATION_DEFINITION && kind !== Kind.FRAGMENT_DEFINITION);
  } catch {
    return MEANT.test(text);
  }
}

/**
 * Which contract a text is: an OpenAPI document says so, SDL by its name or by what it holds.
 * @returns why it is none, as half a sentence
 */
function contractKind(text: string, name: string): ContractKind | { refused: string } {
  if (OPENAPI.test(text)) return 'openapi';
  const other = OTHERS.find(([looks]) => looks.test(text));
  if (other !== undefined) return { refused: other[1] };
  if (/\.(?:graphqls?|gql)$/.test(name) || isSdl(text)) return 'schema';
  return { refused: 'it is neither an OpenAPI document, which begins with `openapi: 3.…`, nor GraphQL SDL' };
}

/** One version of a project. A file that is not there is empty. */
export interface ProjectVersion {
  /** What people call it: `origin/main`, `the working tree`. */
  label: string;
  contracts: Contracts;
  /** The names of the folders in prisma/migrations. */
  migrations: string[];
  /** Which contract it is, where it is one alone: only that is compared. */
  only?: ContractKind;
}

/** A version that cannot be read; the message is a sentence for whoever asked for it. */
export class NoSuchVersion extends Error {
  override readonly name = 'NoSuchVersion';
}

const MIGRATIONS = 'prisma/migrations';

/** One contract is enough. */
function modelOf(files: ProjectFiles, place: string, wanted?: readonly (keyof Texts)[]): Contracts {
  const contracts = contractsIn(files, wanted);
  if (contracts.openapi.absent && contracts.schema.absent)
    throw new NoSuchVersion(`There is no ${FILES.openapi} and no ${FILES.schema} ${place}.`);
  return contracts;
}

/**
 * The version in a directory. Throws NoSuchVersion when it has no contract.
 * @param wanted what of it is read; without it all
 */
export function versionInDirectory(
  directory: string,
  label = directory,
  wanted?: readonly (keyof Texts)[],
): ProjectVersion {
  const folder = join(directory, MIGRATIONS);
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  return {
    label,
    contracts: modelOf(filesIn(directory), `in ${directory}`, wanted),
    migrations: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
  };
}

/**
 * The version that a git ref names; without one, where the branch left origin/main, or HEAD. Paths are the project's, which
 * may be a folder of its repository. Throws NoSuchVersion.
 * @param wanted what of it is read; without it all
 */
export async function versionAtRef(
  root: string,
  name?: string,
  wanted?: readonly (keyof Texts)[],
): Promise<ProjectVersion> {
  const { id, label } = await commitAt(root, name).catch((error: Error) => {
    const elsewhere = name === undefined ? ' Compare with a directory: accord diff --from <directory>.' : '';
    throw error instanceof NoSuchCommit ? new NoSuchVersion(`${error.message}${elsewhere}`) : error;
  });
  const tree = await git(root, 'ls-tree', '-d', '--name-only', `${id}:./${MIGRATIONS}`).catch(() => '');
  const migrations = tree.split('\n').filter((line) => line !== '');
  return { label, contracts: modelOf(filesAt(root, id), `at ${label}`, wanted), migrations };
}

/** Milliseconds that a served contract may take. */
const PATIENCE = 10_000;

async function served(address: string): Promise<string> {
  const refuse = (reason: string) => new NoSuchVersion(`${address} cannot be read: ${reason}.`);
  const failed = (error: Error & { cause?: { code?: string; message?: string } }): never => {
    if (error.name === 'TimeoutError') throw refuse(`it did not answer within ${PATIENCE / 1000} seconds`);
    const { message = '', code = '' } = error.cause ?? {};
    throw refuse(message || code || error.message);
  };
  const response = await fetch(address, { signal: AbortSignal.timeout(PATIENCE) }).catch(failed);
  if (!response.ok) throw refuse(`it answers ${response.status}`);
  return response.text().catch(failed);
}

/** The folder that a file may refer to others in: the project's, or that of a file which is none of it. */
const folderOf = (root: string, name: string): string =>
  relative(root, resolve(name)).startsWith('..') ? dirname(resolve(name)) : root;

/**
 * The version that a name stands for: a served contract (`https://…/openapi.json`), a file, a directory, or else a git ref of
 * the project. Rejects with NoSuchVersion.
 */
export async function versionNamed(root: string, name?: string): Promise<ProjectVersion> {
  if (name === undefined) return versionAtRef(root);
  const isServed = /^https?:\/\//.test(name);
  if (!isServed && !existsSync(name)) {
    if (/\.(?:ya?ml|json|graphqls?|gql)$/.test(name)) throw new NoSuchVersion(`There is no file ${name}.`);
    return versionAtRef(root, name);
  }
  if (!isServed && statSync(name).isDirectory()) return versionInDirectory(name);
  const text = isServed ? await served(name) : readFileSync(name, 'utf8');
  const only = contractKind(text, name);
  if (typeof only !== 'string') throw new NoSuchVersion(`${name} is no contract: ${only.refused}.`);
  // What is served is one document.
  const files = isServed ? NO_FILES : filesIn(folderOf(root, name), '.');
  const file = isServed ? name : normalize(name);
  return { label: file, contracts: contractsOf({ [only]: text }, file, files), migrations: [], only };
}

/** Two versions of which one is a contract alone, without what the other has besides. */
export function comparable(before: ProjectVersion, after: ProjectVersion): [ProjectVersion, ProjectVersion] {
  const only = before.only ?? after.only;
  if (only === undefined) return [before, after];
  const [given, other] = before.only === undefined ? [after, before] : [before, after];
  const differ = other.only !== undefined && other.only !== only;
  if (differ)
    throw new NoSuchVersion(
      `Two contracts of one kind are compared, and ${given.label} is ${KIND_NAMES[only]}, ${other.label} is ${KIND_NAMES[other.only as ContractKind]}.`,
    );
  if (other.contracts[only].absent)
    throw new NoSuchVersion(`There is no ${FILES[only]} in ${other.label} to compare with ${given.label}.`);
  const withoutOther = (one: ProjectVersion) => ({ ...one, contracts: withOnly(one.contracts, only), migrations: [] });
  return [withoutOther(before), withoutOther(after)];
}
