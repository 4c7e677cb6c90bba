// Plain JavaScript, because the `accord` command loads it before anything that reads TypeScript.
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The name of the platform's own package, whose folder is never the project. */
const PLATFORM = '@accord-api/platform';

/**
 * @typedef {{ name?: string, dependencies?: object, devDependencies?: object }} Package
 */

/**
 * Returns the nearest folder upwards whose package matches, as a file URL with a final slash; undefined if there is none.
 * @param {URL} folder
 * @param {(found: Package) => boolean} isIt
 * @returns {URL | undefined}
 */
function upwards(folder, isIt) {
  try {
    if (isIt(JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')))) return folder;
  } catch {
    // This folder has none.
  }
  const parent = new URL('../', folder);
  return parent.href === folder.href ? undefined : upwards(parent, isIt);
}

/** @type {(read: Package) => boolean} */
const isAnother = ({ name }) => name !== undefined && name !== PLATFORM;
/** @type {(read: Package) => boolean} */
const buildsOnThePlatform = ({ name, dependencies, devDependencies }) =>
  name !== PLATFORM && PLATFORM in { ...dependencies, ...devDependencies };

/** Returns the project of the bundle, of the program, or of the current folder. */
function found() {
  const here = new URL('./', import.meta.url);
  const nearest = upwards(here, ({ name }) => name !== undefined);
  const around = upwards(here, isAnother);
  if (nearest !== undefined && nearest.href === around?.href) return nearest;
  // The platform is a package, which may be linked, or installed for several projects.
  const [, program] = process.argv;
  const folders = [...(program === undefined ? [] : [dirname(program)]), process.cwd()];
  const [project = around] = folders.flatMap((path) => upwards(pathToFileURL(`${path}/`), buildsOnThePlatform) ?? []);
  if (project !== undefined) return project;
  throw new Error('There is no package.json of a project in any folder above this one.');
}

/** @type {string | undefined} */
let project;

/**
 * Sets the project, in place of the one of this process.
 * @param {string | undefined} folder undefined for the one of this process
 */
export function useProject(folder) {
  project = folder === undefined ? undefined : resolve(folder);
}

/**
 * Returns an absolute path in the project: `rootPath('prisma', 'schema.prisma')`.
 * @param {string[]} segments
 */
export function rootPath(...segments) {
  project ??= fileURLToPath(found());
  return join(project, ...segments);
}
