// Plain JavaScript, for it runs before anything that reads TypeScript: without a loader a start takes little more than half the time.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { rootPath } from '../root.js';

/** What was made of what: a digest of all that the bundles are made of, and their files. */
const RECORD = 'bundle.json';

/**
 * What is bundled, each with all that it imports: the service, and the operator's commands. With `node --enable-source-maps` a
 * stack names the sources.
 * @type {Readonly<Record<'service' | 'program', string>>}
 */
export const BUNDLES = { service: 'main.js', program: 'program.js' };

/**
 * Of what was built.
 * @param {string[]} segments
 */
export const distPath = (...segments) => rootPath('dist', ...segments);

export const recordPath = () => distPath(RECORD);

/** Whether what builds is installed: a production install runs what was built elsewhere. */
export function canBuild() {
  try {
    return import.meta.resolve('@accord-api/workbench/cli') !== '';
  } catch {
    return false;
  }
}

/**
 * A bundle as a module. Where it was not brought along, that is told, and ends the process.
 * @param {string} bundle
 */
export async function built(bundle) {
  const path = distPath(bundle);
  if (existsSync(path)) return import(pathToFileURL(path).href);
  console.error(
    'There is no dist/, and nothing here to build it with. Run `npm ci && npm run build` where the development dependencies are, and bring dist/ along.',
  );
  process.exit(1);
}

/**
 * By content, for a copied file may keep its date.
 * @param {string[]} files from the project
 */
export function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(rootPath(file)));
  return hash.digest('hex');
}

/**
 * Of what was made: whether each file is there, whole. Those with a part of a program are named by what is in them.
 * @param {string[]} made
 */
export const sizesOf = (made) => made.map((file) => statSync(distPath(file)).size).join();

/**
 * Which files these are and when they were last written or changed in any way (ctime, which unlike mtime nobody can set): to look
 * takes 2 ms of a start, and to read them all 40.
 * @param {string[]} files from the project
 */
export function statesOf(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const { ino, size, ctimeMs } = statSync(rootPath(file));
    hash.update(`${file} ${ino} ${size} ${ctimeMs}\n`);
  }
  return hash.digest('hex');
}

/**
 * Writes a file so that readers always see it complete, with the old content or the new one.
 * @param {string} path
 * @param {string | Uint8Array} contents
 */
export function replaceFile(path, contents) {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, contents);
  renameSync(unfinished, path);
}

/** @param {object} record */
export const writeRecord = (record) => replaceFile(recordPath(), JSON.stringify(record));

/** Whether the bundle is there and made of what the sources are now; by content, where their states are not those known. */
export function bundleIsCurrent() {
  try {
    const record = JSON.parse(readFileSync(recordPath(), 'utf8'));
    const { files, sha256, made, bytes } = record;
    if (sizesOf(made) !== bytes) return false;
    const states = statesOf(files);
    if (states === record.states) return true;
    if (digestOf(files) !== sha256) return false;
    // They were copied, for instance. Where dist is not to be written, they are read at the next start as well.
    try {
      writeRecord({ ...record, states });
    } catch {}
    return true;
  } catch {
    return false;
  }
}
