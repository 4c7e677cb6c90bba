// Plain JavaScript, for it runs before anything that reads TypeScript: without a loader a start takes little more than half the time.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'dist');
/** What the bundle was made of, and a digest of all that. */
const RECORD = 'bundle.json';

/** `src/main.ts` and all that it imports of this package; with `node --enable-source-maps` a stack names the sources. */
export const BUNDLE = join(FOLDER, 'main.js');

/** Packages of many small files, together 600, without state or files of their own: to read them one by one takes 0.3 s. */
const INLINED = ['@graphql-tools/schema', '@sinclair/typebox', 'cockatiel', 'jose', 'uuid'];

/** Not imported, but read: the contract, and what the Prisma client was made of, its schema and the version that is installed. */
const READ = [
  'openapi.yaml',
  'prisma/schema.prisma',
  relative(ROOT, createRequire(import.meta.url).resolve('@prisma/client/package.json')),
];

/** @param {string[]} files */
function digest(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}

/** Whether the bundle is there and made of what the sources are now; by content, for a copied file may keep its date. */
export function bundleIsCurrent() {
  try {
    const { files, sha256 } = JSON.parse(readFileSync(join(FOLDER, RECORD), 'utf8'));
    return digest(files) === sha256;
  } catch {
    return false;
  }
}

/** The contract as a start reads it. */
async function preparedContract() {
  const [{ preparedPath }, { parseYaml }] = await Promise.all([
    import('../platform/contract/prepared.js'),
    import('../platform/contract/yaml.js'),
  ]);
  const yaml = readFileSync(join(ROOT, 'openapi.yaml'));
  return { path: preparedPath(yaml), contents: Buffer.from(JSON.stringify(parseYaml(yaml.toString()))) };
}

/**
 * Writes the bundle, and the contract as JSON; the Prisma client must be there. Rejects when a source does not parse or
 * `dist` cannot be written.
 */
export async function bundle() {
  const { build } = await import('esbuild');
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['./src/main.ts'],
    outdir: FOLDER,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'linked',
    metafile: true,
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'other packages stay outside',
        setup: ({ onResolve }) => {
          onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
            const inlined = INLINED.includes(path) || /[\\/]node_modules[\\/]/.test(importer);
            // Two copies of graphql do not know each other's types.
            return inlined && !/^graphql(\/|$)/.test(path) ? undefined : { external: true };
          });
        },
      },
    ],
  });
  mkdirSync(FOLDER, { recursive: true });
  const made = [await preparedContract(), ...outputFiles];
  // The parts are named by their content, and come before the entry: whoever starts meanwhile finds old or new ones, whole.
  for (const { path, contents } of made.sort((a, b) => Number(a.path === BUNDLE) - Number(b.path === BUNDLE))) {
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
  const written = made.map(({ path }) => basename(path));
  const old = readdirSync(FOLDER).filter(
    (name) => /\.(js|map|json)$/.test(name) && ![RECORD, ...written].includes(name),
  );
  for (const name of old) rmSync(join(FOLDER, name), { force: true });
  // Of a package, its version.
  const inputs = Object.keys(metafile.inputs).map((path) =>
    path.replace(/^(.*node_modules\/(@[^/]+\/)?[^/]+).*/, '$1/package.json'),
  );
  const files = [...new Set([...inputs, ...READ, ...written.map((name) => `dist/${name}`)])];
  writeFileSync(join(FOLDER, RECORD), JSON.stringify({ files, sha256: digest(files) }));
}
