import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The nearest folder upwards that holds a package.json: the same from src/ under tsx and from dist/src after a build. */
function nearestPackage(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const parent = new URL('../', folder);
  if (parent.href === folder.href) throw new Error('There is no package.json in any folder above this module.');
  return nearestPackage(parent);
}

/** The package's folder, as a file URL that ends in a slash. */
export const root: URL = nearestPackage(new URL('./', import.meta.url));

/** The absolute path of something in the package: `rootPath('prisma', 'schema.prisma')`. */
export const rootPath = (...segments: string[]): string => join(fileURLToPath(root), ...segments);
