import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The name of the package in a folder; undefined where there is none. */
function packageIn(folder: URL): string | undefined {
  try {
    return JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')).name;
  } catch {
    return undefined;
  }
}

/** The nearest folder upwards that holds a package other than the platform's: the same from its sources and from a bundle. */
function nearestProject(folder: URL): URL {
  const name = packageIn(folder);
  if (name !== undefined && name !== 'accord') return folder;
  const parent = new URL('../', folder);
  if (parent.href === folder.href) throw new Error('There is no package.json in any folder above this module.');
  return nearestProject(parent);
}

/** The folder of the project that is served, as a file URL that ends in a slash. */
export const root: URL = nearestProject(new URL('./', import.meta.url));

/** The absolute path of something in the project: `rootPath('prisma', 'schema.prisma')`. */
export const rootPath = (...segments: string[]): string => join(fileURLToPath(root), ...segments);
