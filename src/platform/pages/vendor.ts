import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rootPath } from '../root.js';

/**
 * Files of packages that browsers load, by the name under which they are published: the package, and the file in it. `accord
 * build` copies them to `dist/pages`, so that a production install needs none of the packages.
 */
export const VENDOR = {
  'reference.js': ['@scalar/fastify-api-reference', 'dist/js/standalone.js'],
  'react.js': ['react', 'umd/react.production.min.js'],
  'react-dom.js': ['react-dom', 'umd/react-dom.production.min.js'],
  'graphiql.js': ['graphiql', 'graphiql.min.js'],
  'graphiql.css': ['graphiql', 'graphiql.min.css'],
} as const;

export type Vendored = keyof typeof VENDOR;

/** Where a file is kept once it is built. */
export const builtPath = (name: Vendored): string => rootPath('dist', 'pages', name);

/** The package.json of the package that has a file. Not every one of them exports it. */
export function packageOf(name: Vendored): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const [owner] = VENDOR[name];
  const found = folders.map((folder) => join(folder, owner, 'package.json')).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${owner} is not installed, of which a page has ${name}.`);
  return found;
}

/** A file as it is in its package, which only a development install has. */
export const installedFile = (name: Vendored): Buffer => readFileSync(join(packageOf(name), '..', VENDOR[name][1]));

/** A file, from wherever it is. */
export const vendored = (name: Vendored): Buffer =>
  existsSync(builtPath(name)) ? readFileSync(builtPath(name)) : installedFile(name);
