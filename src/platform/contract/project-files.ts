import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

/** The files of one version of a project, as its contracts name them: with `/` between folders. */
export interface ProjectFiles {
  /** Whether something of this path would be the project's; what is not, is never read. */
  contains: (path: string) => boolean;
  /** The text of a file; undefined where there is none. Throws on one that is not in UTF-8, with the line. */
  read: (path: string) => string | undefined;
  /** The paths of all files in a folder and below it but for those of installed packages, in order; none where there is no such folder. */
  list: (folder: string) => string[];
}

/** No files: of a contract that is one text and nothing else. */
export const NO_FILES: ProjectFiles = { contains: () => false, read: () => undefined, list: () => [] };

const isWithin = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
};

/** What bytes say in UTF-8, as contracts are written. Throws on any others, with the line of the first. */
function textIn(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // What stands for bytes that are none is one character; where it is written itself, it is three bytes.
    const lines = new TextDecoder().decode(bytes).split('\n');
    const sound = Buffer.from(bytes).toString('latin1').split('\n');
    const at = lines.findIndex((line, index) => Buffer.from(line).toString('latin1') !== sound[index]);
    throw new Error(`${path}: line ${at + 1} is not in UTF-8`);
  }
}

/** The files in a folder and below it. Those of installed packages are many, and none of a project. */
const pathsBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return path;
    return entry.isDirectory() && entry.name !== 'node_modules' ? pathsBelow(path) : [];
  });

/**
 * The files in a directory. What leads out of it is not of it, be it by a link.
 * @param base what paths are relative to, where it is not the directory itself
 */
export function filesIn(directory: string, base: string = directory): ProjectFiles {
  const at = (path: string): string => resolve(base, path);
  return {
    contains(path) {
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

/** A file of the GraphQL contract. */
export interface SdlPart {
  file: string;
  text: string;
}

/** The files that the GraphQL contract is: `schema.graphql`, and after it all `.graphql` in the folder `schema`, in the order of their names. */
export function sdlParts(files: ProjectFiles): SdlPart[] {
  const named = files.list(FOLDER).filter((path) => path.endsWith('.graphql'));
  return [WHOLE, ...named].flatMap((file) => {
    const text = files.read(file);
    return text === undefined ? [] : [{ file, text }];
  });
}

/** The GraphQL contract as one document: of one file, its text. Throws where there is none. */
export function sdlText(parts: readonly SdlPart[]): string {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error(`There is no ${WHOLE}, and no .graphql in a folder ${FOLDER}.`);
  return others.length === 0 ? first.text : parts.map(({ text }) => `${text.trimEnd()}\n`).join('\n');
}
