/** Reads versions of the contracts: a commit, a folder, a file, or a served document. @module */

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, normalize, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Unable } from '@accord-api/platform/cli/output';
import { filesIn, NO_FILES, type ProjectFiles } from '@accord-api/platform/contract/project-files';
import { Kind, parse } from 'graphql';
import { parseDocument, stringify } from 'yaml';
import { type Contracts, contractsIn, contractsOf, withOnly, withSchema } from './contracts.js';
import { generatePublished, generateSdl } from './openapi-source.js';
import { FILES } from './problems.js';
import { type SdlSource, sdlOf } from './sdl-source.js';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Returns the output of git in a directory. Rejects if git fails, or is not installed. */
const git = async (root: string, ...args: string[]): Promise<string> =>
  (await run('git', ['-C', root, ...args], { maxBuffer: MAX_OUTPUT_BYTES })).stdout;

export interface Commit {
  label: string;
  id: string;
}

async function defaultRef(root: string): Promise<{ ref: string; label: string }> {
  const base = await git(root, 'merge-base', 'HEAD', 'origin/main').catch(() => undefined);
  if (base === undefined) return { ref: 'HEAD', label: 'HEAD' };
  return { ref: base.trim(), label: `${base.slice(0, 7)}, where this branch left origin/main` };
}

/** Returns the commit that a git ref names; by default the merge base with origin/main, or HEAD. Rejects with Unable. */
export async function commitAt(root: string, name?: string): Promise<Commit> {
  await git(root, 'rev-parse', '--git-dir').catch(() => {
    throw new Unable(`${root} is not a git repository.`);
  });
  const { ref, label } = name === undefined ? await defaultRef(root) : { ref: name, label: name };
  const id = await git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`).catch(() => {
    throw new Unable(`git knows no commit "${ref}" here.`);
  });
  return { label, id: id.trim() };
}

/** Returns the numbers, from 1, of the lines of a file in the working tree that a commit lacks. `file` is relative to `root`. */
export async function linesSince(root: string, commit: string, file: string): Promise<Set<number>> {
  const hunks = await git(root, 'diff', '--unified=0', '--no-color', '--no-ext-diff', commit, '--', file);
  const added = [...hunks.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].flatMap(([, first, count = '1']) =>
    Array.from({ length: Number(count) }, (_, index) => Number(first) + index),
  );
  return new Set(added);
}

/**
 * Returns the files of a project at a commit; none without a repository. Those of installed packages are of today. `root` may be a folder
 * of the repository.
 */
export function filesAt(root: string, commit: string): ProjectFiles {
  const today = filesIn(root);
  const output = (...args: string[]): string | undefined => {
    try {
      return execFileSync('git', ['-C', root, ...args], {
        encoding: 'utf8',
        maxBuffer: MAX_OUTPUT_BYTES,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch {
      return undefined;
    }
  };
  const contains = (path: string) => !/^(\.\.)?(\/|$)/.test(normalize(path));
  return {
    contains,
    read(path) {
      if (path.startsWith('node_modules/')) return today.read(path);
      return contains(path) ? output('cat-file', 'blob', `${commit}:./${path}`) : undefined;
    },
    list: (folder) =>
      (output('ls-tree', '-r', '-z', '--name-only', commit, '--', `./${folder}/`) ?? '')
        .split('\0')
        .filter(Boolean)
        .sort(),
  };
}

const EDITION = `generated/${FILES.openapi}`;
const SDL_EDITION = `generated/${FILES.schema}`;

/** What the published edition lacks of a contract, and a comparison needs. */
const UNPUBLISHED = ['x-accepted-breaks', 'x-severity'];

/** Returns the GraphQL contract of a commit, or its published edition if other documents of parts resulted in it than are installed. */
function schemaAt(files: ProjectFiles, { openapi, schema }: Contracts): SdlSource {
  const edition = files.read(SDL_EDITION);
  const isCurrent = edition === undefined || openapi.parts.length === 0 || generateSdl(schema) === edition;
  return isCurrent ? schema : sdlOf(edition, SDL_EDITION);
}

/**
 * Returns the contracts of a commit. If other documents of parts (`x-parts`) resulted in a published edition than are installed, the
 * edition stands for the contract.
 */
function contractsAt(files: ProjectFiles): Contracts {
  const authored = contractsIn(files);
  return withSchema(restAt(files, authored), schemaAt(files, authored));
}

function restAt(files: ProjectFiles, contracts: Contracts): Contracts {
  const edition = files.read(EDITION);
  const authored = parseDocument(files.read(FILES.openapi) ?? '');
  const isUnreadable = edition === undefined || authored.errors.length > 0;
  if (isUnreadable || !authored.has('x-parts')) return contracts;
  if (contracts.openapi.errors.length === 0 && generatePublished(contracts.openapi) === edition) return contracts;
  const kept = UNPUBLISHED.filter((name) => authored.has(name)).map((name) => [name, authored.toJS()[name]]);
  const text = kept.length === 0 ? edition : `${edition}\n${stringify(Object.fromEntries(kept))}`;
  const read = (path: string) => (path === EDITION ? text : files.read(path));
  return contractsIn({ ...files, read }, undefined, EDITION);
}

type ContractKind = 'openapi' | 'schema';

const KIND_NAMES: Record<ContractKind, string> = { openapi: 'an OpenAPI document', schema: 'GraphQL SDL' };

const OPENAPI = /^[ \t{]*["']?openapi["']?[ \t]*:/m;

/** Texts that are given in place of a contract by mistake, and the reason to reject them. */
const MISTAKEN: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^\s*$/, 'it is empty'],
  [/^\s*<(?:!doctype|html|\?xml)/i, 'it is an HTML or XML page'],
  [/^[ \t{]*["']?swagger["']?[ \t]*:/m, 'it is Swagger 2.0: convert it to OpenAPI 3.0 or 3.1'],
  [/^(?:datasource|generator)[ \t]+\w+[ \t]*\{/m, 'it is a Prisma schema: name the folder of its project'],
  [/^\s*\{\s*"(?:data|__schema)"/, 'it is the result of an introspection query, which lacks directives: use the SDL'],
];

/** SDL with a syntax error still counts as SDL, so that the error is reported. */
const SDL_DEFINITION = /^(?:extend[ \t]+)?(?:type|interface|input|enum)[ \t]+\w[^:\n]*\{/m;

function isSdl(text: string): boolean {
  try {
    const kinds = parse(text, { noLocation: true }).definitions.map(({ kind }) => kind);
    return kinds.every((kind) => kind !== Kind.OPERATION_DEFINITION && kind !== Kind.FRAGMENT_DEFINITION);
  } catch {
    return SDL_DEFINITION.test(text);
  }
}

/** Returns the kind of a contract. Throws Unable for any other text. */
function contractKind(text: string, name: string): ContractKind {
  if (OPENAPI.test(text)) return 'openapi';
  const reason = MISTAKEN.find(([pattern]) => pattern.test(text))?.[1];
  if (reason === undefined && (/\.(?:graphqls?|gql)$/.test(name) || isSdl(text))) return 'schema';
  const neither = 'it is neither an OpenAPI document, which starts with `openapi: 3.…`, nor GraphQL SDL';
  throw new Unable(`${name} is not a contract: ${reason ?? neither}.`);
}

/** One version of a project. A missing file is empty. */
export interface ProjectVersion {
  label: string;
  contracts: Contracts;
  /** The paths of the scripts. */
  migrations: string[];
  /** The kind of a single contract, which is then compared alone. */
  only?: ContractKind;
}

/** Reads the version in a folder or commit. Throws Unable if it has no contract. */
function versionIn(
  files: ProjectFiles,
  label: string,
  place: string,
  contracts: Contracts = contractsIn(files),
): ProjectVersion {
  if (contracts.openapi.absent && contracts.schema.absent)
    throw new Unable(`There is no ${FILES.openapi} and no ${FILES.schema} ${place}.`);
  return { label, contracts, migrations: files.list('prisma/migrations').filter((file) => file.endsWith('.sql')) };
}

/** Reads the version in a directory. Throws Unable if it has no contract. */
export const versionInDirectory = (directory: string, label = directory): ProjectVersion =>
  versionIn(filesIn(directory), label, `in ${directory}`);

/**
 * Reads the version at a git ref; by default at the merge base with origin/main, or at HEAD. Rejects with Unable.
 * @param root may be a folder of the repository
 */
export async function versionAtRef(root: string, name?: string): Promise<ProjectVersion> {
  const { id, label } = await commitAt(root, name).catch((error: Error) => {
    const elsewhere = name === undefined ? ' Compare with a directory: accord diff --from <directory>.' : '';
    throw error instanceof Unable ? new Unable(`${error.message}${elsewhere}`) : error;
  });
  const files = filesAt(root, id);
  return versionIn(files, label, `at ${label}`, contractsAt(files));
}

const DOWNLOAD_TIMEOUT_MS = 10_000;

async function download(address: string): Promise<string> {
  const unreadable = (reason: string) => new Unable(`${address} cannot be read: ${reason}.`);
  const fail = (error: Error & { cause?: { code?: string; message?: string } }): never => {
    if (error.name === 'TimeoutError')
      throw unreadable(`it did not answer within ${DOWNLOAD_TIMEOUT_MS / 1000} seconds`);
    const { message = '', code = '' } = error.cause ?? {};
    throw unreadable(message || code || error.message);
  };
  const response = await fetch(address, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) }).catch(fail);
  if (!response.ok) throw unreadable(`it answers ${response.status}`);
  return response.text().catch(fail);
}

/**
 * Reads the version with a name: a served contract (`https://…/openapi.json`), a file, a directory, or a git ref of the project.
 * Rejects with Unable.
 */
export async function versionNamed(root: string, name?: string): Promise<ProjectVersion> {
  if (name === undefined) return versionAtRef(root);
  const isAddress = /^https?:\/\//.test(name);
  if (!isAddress && !existsSync(name)) {
    if (/\.(?:ya?ml|json|graphqls?|gql)$/.test(name)) throw new Unable(`There is no file ${name}.`);
    return versionAtRef(root, name);
  }
  if (!isAddress && statSync(name).isDirectory()) return versionInDirectory(name);
  const text = isAddress ? await download(name) : readFileSync(name, 'utf8');
  const only = contractKind(text, name);
  // A file outside the project may refer to the files in its own folder.
  const folder = relative(root, resolve(name)).startsWith('..') ? dirname(resolve(name)) : root;
  const files = isAddress ? NO_FILES : filesIn(folder, '.');
  const file = isAddress ? name : normalize(name);
  return { label: file, contracts: contractsOf({ [only]: text }, file, files), migrations: [], only };
}

/** If one of two versions is a single contract, returns both with only this contract. Throws Unable. */
export function comparable(before: ProjectVersion, after: ProjectVersion): [ProjectVersion, ProjectVersion] {
  const only = before.only ?? after.only;
  if (only === undefined) return [before, after];
  const [single, other] = before.only === undefined ? [after, before] : [before, after];
  if (other.only !== undefined && other.only !== only)
    throw new Unable(
      `Two contracts of one kind are compared, and ${single.label} is ${KIND_NAMES[only]}, ${other.label} is ${KIND_NAMES[other.only]}.`,
    );
  if (other.contracts[only].absent)
    throw new Unable(`There is no ${FILES[only]} in ${other.label} to compare with ${single.label}.`);
  const reduced = (side: ProjectVersion) => ({ ...side, contracts: withOnly(side.contracts, only), migrations: [] });
  return [reduced(before), reduced(after)];
}
