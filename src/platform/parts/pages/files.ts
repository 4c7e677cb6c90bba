import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rootPath } from '../../root.js';

/**
 * The page files by their published names: the path in `files/`, or the path in a package. `accord build` copies them to `dist/pages`
 * with compressed variants, so a production install does not need the packages.
 */
const FILES = {
  'page.html': ['page.html'],
  'page.css': ['page.css'],
  'icon.svg': ['icon.svg'],
  'page.js': ['page.js'],
  'reference.js': ['dist/js/standalone.js', '@scalar/fastify-api-reference'],
  'react.js': ['umd/react.production.min.js', 'react'],
  'react-dom.js': ['umd/react-dom.production.min.js', 'react-dom'],
  'graphiql.js': ['graphiql.min.js', 'graphiql'],
  'graphiql.css': ['graphiql.min.css', 'graphiql'],
} as const satisfies Record<string, readonly [path: string, owner?: string]>;

export type PageFile = keyof typeof FILES;
export const PAGE_FILES = Object.keys(FILES) as PageFile[];

export const builtPath = (name: PageFile): string => rootPath('dist', 'pages', name);

function folderOf(name: PageFile): string {
  const [, owner] = FILES[name] as readonly [string, string?];
  if (owner === undefined) return join(import.meta.dirname, 'files');
  // Some packages do not export their package.json.
  const folders = createRequire(import.meta.url).resolve.paths(owner) ?? [];
  const found = folders.map((folder) => join(folder, owner)).find((path) => existsSync(join(path, 'package.json')));
  if (found === undefined) throw new Error(`The page file ${name} is missing: install the package ${owner}.`);
  return found;
}

/** Returns the path of the original file. A production install has no packages of pages. */
export const sourcePath = (name: PageFile): string => join(folderOf(name), FILES[name][0]);

/** Returns the path of a small file that changes with a page file: the file itself, or the package.json of its package. */
export const statePath = (name: PageFile): string =>
  FILES[name].length === 1 ? sourcePath(name) : join(folderOf(name), 'package.json');

export const servedPath = (name: PageFile): string =>
  existsSync(builtPath(name)) ? builtPath(name) : sourcePath(name);

export const PREFIX = '/docs/assets';
const DIGEST_CHARACTERS = 12;
const addresses = new Map<PageFile, string>();

/** Returns the address of a file. It contains a digest of the content, so clients may keep a copy (RFC 8246). */
export function hrefOf(name: PageFile): string {
  const known = addresses.get(name);
  if (known !== undefined) return known;
  const digest = createHash('sha256')
    .update(readFileSync(servedPath(name)))
    .digest('base64url')
    .slice(0, DIGEST_CHARACTERS);
  const href = `${PREFIX}/${digest}-${name}`;
  addresses.set(name, href);
  return href;
}

/** Returns the file at an address; undefined for an unknown name, or another digest. */
export function fileAt(address: string): PageFile | undefined {
  const name = PAGE_FILES.find((file) => file === address.slice(PREFIX.length + DIGEST_CHARACTERS + 2));
  return name !== undefined && hrefOf(name) === address ? name : undefined;
}
