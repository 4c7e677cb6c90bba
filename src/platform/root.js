// Plain JavaScript, for the `accord` command asks it before anything that reads TypeScript.
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The name of the platform's own package, whose folder is never the project. */
const PLATFORM = '@accord-api/platform';

/**
 * @typedef {{ name?: string, dependencies?: object, devDependencies?: object }} Package
 */

/**
 * The nearest folder upwards whose package is one that was asked for, as a file URL that ends in a slash; undefined where there is none.
 * @param {URL} folder
 * @param {(found: Package) => boolean} isIt
 * @returns {URL | undefined}
 */
function upwards(folder, isIt) {
  try {
    if (isIt(JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')))) return folder;
  } catch {
    // None is here.
  }
  const parent = new URL('../', folder);
  return parent.href === folder.href ? undefined : upwards(parent, isIt);
}

/** @type {(one: Package) => boolean} */
const isAnother = ({ name }) => name !== undefined && name !== PLATFORM;
/** @type {(one: Package) => boolean} */
const buildsOnThePlatform = ({ name, dependencies, devDependencies }) =>
  name !== PLATFORM && PLATFORM in { ...dependencies, ...devDependencies };

/** The project that this process is of: that of its bundle, of its program, or of the folder that it was started in. */
function found() {
  const here = new URL('./', import.meta.url);
  const nearest = upwards(here, ({ name }) => name !== undefined);
  const around = upwards(here, isAnother);
  if (nearest !== undefined && nearest.href === around?.href) return nearest;
  // The platform as a package, which may be linked, or installed for several projects at once.
  const [, program] = process.argv;
  const folders = [...(program === undefined ? [] : [dirname(program)]), process.cwd()];
  const project = folders.map((one) => upwards(pathToFileURL(`${one}/`), buildsOnThePlatform)).find(Boolean) ?? around;
  if (project !== undefined) return project;
  throw new Error('There is no package.json of a project in any folder above this one.');
}

/** @type {string | undefined} */
let project;

/**
 * Says which project is meant, in place of the one that this process is in.
 * @param {string | undefined} folder undefined: the one that this process is in after all
 */
export function useProject(folder) {
  project = folder === undefined ? undefined : resolve(folder);
}

/**
 * The absolute path of something in the project: `rootPath('prisma', 'schema.prisma')`.
 * @param {string[]} segments
 */
export function rootPath(...segments) {
  project ??= fileURLToPath(found());
  return join(project, ...segments);
}
