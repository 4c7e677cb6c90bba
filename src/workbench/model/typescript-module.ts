import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

/** Tells each module where it stands, and not where its bundle does. */
const places: Plugin = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
      const place = JSON.stringify({ url: pathToFileURL(path).href, dirname: dirname(path), filename: path });
      return { contents: `const __place = ${place}; ${await readFile(path, 'utf8')}`, loader: 'ts' };
    });
  },
};

/**
 * Imports a module of a project that is TypeScript, with what it imports of the project; packages are imported as ever. It is bundled
 * for that: a loader of TypeScript would stand before the thousand modules of the packages as well. What has not changed since it was
 * imported is not run again.
 * @param file from the root of the project
 * @returns what it exports. Rejects with the places of what cannot be read, and with what the module throws
 */
export async function importTypeScript(root: string, file: string): Promise<Record<string, unknown>> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    write: false,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    define: {
      'import.meta.url': '__place.url',
      'import.meta.dirname': '__place.dirname',
      'import.meta.filename': '__place.filename',
    },
    plugins: [places],
    logLevel: 'silent',
  });
  const text = outputFiles.map((one) => one.text).join('');
  // Where its packages are found.
  const folder = join(root, 'node_modules', '.cache', 'accord');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const path = join(folder, `${digest}-${process.pid}.mjs`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, text);
  return import(pathToFileURL(path).href).finally(() => rm(path, { force: true }));
}
