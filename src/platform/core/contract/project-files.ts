import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rootPath } from '../../root.js';
import type { OpenApiDocument } from './document.js';

/** A text without its `servers`, which belong between the two parts. */
type SplitText = readonly [before: string, after: string];

/** The content of `generated/contract.json`, which code generation creates from both contracts. */
export interface GeneratedContract {
  /** SHA-256 digests of the source files, by their paths in the project. */
  sources: Record<string, string>;
  openapi: OpenApiDocument;
  /** The published edition. Each address of the service has its own `servers`. */
  editions: { yaml: SplitText; json: SplitText };
  servers: { server: { url: string }; yaml: string }[];
  /** The GraphQL contract, complete with what its parts state; empty without one. */
  schema: string;
}

export const CONTRACT_FILE = 'contract.json';

export const digestOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** @throws Error if the file is missing or older than the contracts */
export function readGeneratedContract(): GeneratedContract {
  const path = rootPath('generated', CONTRACT_FILE);
  const remedy = 'Run `npm run build` or `npx accord codegen`.';
  if (!existsSync(path)) throw new Error(`There is no generated/${CONTRACT_FILE}. ${remedy}`);
  const contract = JSON.parse(readFileSync(path, 'utf8')) as GeneratedContract;
  if (contract.schema === undefined) throw new Error(`generated/${CONTRACT_FILE} is of another version. ${remedy}`);
  const { sources } = contract;
  const sdl = sdlFiles(filesIn(rootPath())).filter((file) => existsSync(rootPath(file)));
  // A new file has no digest. An installation may lack all sources; a project that has one file of the SDL lacks none.
  const stale = [...new Set([...Object.keys(sources), ...sdl])].find((file) =>
    existsSync(rootPath(file))
      ? digestOf(readFileSync(rootPath(file))) !== sources[file]
      : sdl.length > 0 && isSdl(file),
  );
  if (stale !== undefined) throw new Error(`${stale} does not match generated/${CONTRACT_FILE}. ${remedy}`);
  return contract;
}

export interface ProjectFiles {
  /** Returns false for paths outside the project, which are never read. Installed packages belong to it. */
  contains: (path: string) => boolean;
  /** Returns undefined for a missing file. @throws Error with the line of bytes that are not UTF-8 */
  read: (path: string) => string | undefined;
  /** Returns the sorted paths of all files below a folder, without installed packages. */
  list: (folder: string) => string[];
}

export const NO_FILES: ProjectFiles = { contains: () => false, read: () => undefined, list: () => [] };

const isWithin = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
};

/** This package. Its files are there also for a folder of contracts without installed packages. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));
const OWN = /^node_modules\/@accord-api\/platform\//;

/** Returns the place of a file of an installed package, where Node finds it from a folder. */
function installed(folder: string, path: string): string {
  if (existsSync(join(folder, path))) return join(folder, path);
  const above = dirname(folder);
  return above === folder ? path.replace(OWN, PACKAGE) : installed(above, path);
}

function textIn(path: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const lines = bytes.toString('latin1').split('\n');
  const at = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
  throw new Error(`${path}: line ${at + 1} is not in UTF-8`);
}

const pathsBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return path;
    return entry.isDirectory() && entry.name !== 'node_modules' ? pathsBelow(path) : [];
  });

/**
 * Returns the files of a directory. Links out of the directory are not followed. @param base the origin of paths, if it
 * is not the directory
 */
export function filesIn(directory: string, base: string = directory): ProjectFiles {
  const isInstalled = (path: string): boolean => path.startsWith('node_modules/');
  const at = (path: string): string => (isInstalled(path) ? installed(resolve(base), path) : resolve(base, path));
  return {
    contains(path) {
      if (isInstalled(path)) return true;
      if (!isWithin(resolve(directory), at(path))) return false;
      return !existsSync(at(path)) || isWithin(realpathSync(directory), realpathSync(at(path)));
    },
    read: (path) =>
      existsSync(at(path)) && statSync(at(path)).isFile() ? textIn(path, readFileSync(at(path))) : undefined,
    list(folder) {
      if (!existsSync(at(folder)) || !statSync(at(folder)).isDirectory()) return [];
      return pathsBelow(at(folder))
        .map((path) => relative(resolve(base), path).replaceAll(sep, '/'))
        .sort();
    },
  };
}

const WHOLE = 'schema.graphql';
const FOLDER = 'schema';

const isSdl = (file: string): boolean => file === WHOLE || file.startsWith(`${FOLDER}/`);

export interface SdlPart {
  file: string;
  text: string;
}

/** Returns the names of the files of the GraphQL contract: `schema.graphql`, which may be absent, and those below `schema/` by name. */
const sdlFiles = (files: ProjectFiles): string[] => [
  WHOLE,
  ...files.list(FOLDER).filter((path) => path.endsWith('.graphql')),
];

/** Returns the files of the GraphQL contract. */
export const sdlParts = (files: ProjectFiles): SdlPart[] =>
  sdlFiles(files).flatMap((file) => {
    const text = files.read(file);
    return text === undefined ? [] : [{ file, text }];
  });

/** Joins the files of the GraphQL contract. @throws Error without a file */
export function sdlText(parts: readonly SdlPart[]): string {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error(`There is no ${WHOLE}, and no .graphql in a folder ${FOLDER}.`);
  return others.length === 0 ? first.text : parts.map(({ text }) => `${text.trimEnd()}\n`).join('\n');
}

/** Returns `:12` for the first line of a file of the project that matches; nothing for a contract of several files. */
export function placeOf(file: string, line: RegExp): string {
  try {
    const at = readFileSync(rootPath(file), 'utf8')
      .split('\n')
      .findIndex((text) => line.test(text));
    return at < 0 ? '' : `:${at + 1}`;
  } catch {
    return '';
  }
}
