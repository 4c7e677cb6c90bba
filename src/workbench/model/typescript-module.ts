import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

/** Keeps the `import.meta` of each module, which a bundle would replace by its own. */
const importMeta: Plugin = {
  name: 'import-meta',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
      const meta = JSON.stringify({ url: pathToFileURL(path).href, dirname: dirname(path), filename: path });
      return { contents: `const __meta = ${meta}; ${await readFile(path, 'utf8')}`, loader: 'ts' };
    });
  },
};

/**
 * Imports a TypeScript module of a project. Bundles it, because a loader of TypeScript would slow down the imports of its packages too.
 * An unchanged module runs once per process. Rejects with the errors of the compiler, and with what the module throws.
 * @param file relative to `root`
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
      'import.meta.url': '__meta.url',
      'import.meta.dirname': '__meta.dirname',
      'import.meta.filename': '__meta.filename',
    },
    plugins: [importMeta],
    logLevel: 'silent',
  });
  const text = outputFiles.map((one) => one.text).join('');
  // The bundle must be below node_modules to find the project's packages.
  const folder = join(root, 'node_modules', '.cache', 'accord');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const path = join(folder, `${digest}-${process.pid}.mjs`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, text);
  return import(pathToFileURL(path).href).finally(() => rm(path, { force: true }));
}
