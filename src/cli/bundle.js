// Plain JavaScript, for it runs before anything that reads TypeScript: without a loader a start takes little more than half the time.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'dist');
/** What the bundle was made of, and a digest of all that. */
const RECORD = 'bundle.json';

/**
 * What is bundled, each with all that it imports of this package: the service, and the operator's commands. With `node
 * --enable-source-maps` a stack names the sources.
 */
export const BUNDLES = { service: join(FOLDER, 'main.js'), program: join(FOLDER, 'program.js') };
const ENTRIES = ['./src/main.ts', './src/cli/program.ts'];

/**
 * Packages of which the bundles have a part, so that a production install needs none of them: Prisma's client brings the
 * engines of all databases, and to read the 600 small files of the others one by one takes 0.3 s of a start.
 */
const INLINED =
  /^(@graphql-tools\/schema|@prisma\/client|@sinclair\/typebox|cockatiel|jose|pglite-prisma-adapter|uuid)(\/|$)/;

/** The platform, and what the project lends to it: packages whose sources are here. */
const OURS = /^(accord|@accord\/generated)(\/|$)/;

/** Of these there is one copy, outside: two would not know each other's types, or each bring PostgreSQL. */
const ONCE = /^(graphql|@electric-sql\/pglite)(\/|$)/;

const require = createRequire(import.meta.url);

/** Whether what builds is installed: a production install runs what was built elsewhere. */
export function canBuild() {
  try {
    return require.resolve('esbuild') !== '';
  } catch {
    return false;
  }
}

/**
 * A bundle as a module. Where it was not brought along, that is told, and ends the process.
 * @param {string} bundle
 */
export async function built(bundle) {
  if (existsSync(bundle)) return import(pathToFileURL(bundle).href);
  console.error(
    'There is no dist/, and nothing here to build it with. Run `npm ci && npm run build` where the development dependencies are, and bring dist/ along.',
  );
  process.exit(1);
}

/** Not imported, but read: the contract, the files of the pages, and what the Prisma client was made of. */
const filesRead = () => [
  'openapi.yaml',
  'prisma/schema.prisma',
  ...['@prisma/client', '@scalar/fastify-api-reference', 'react', 'react-dom', 'graphiql'].map(
    (name) => `node_modules/${name}/package.json`,
  ),
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

/** The files of packages that browsers load. */
async function vendoredFiles() {
  const { VENDOR, builtPath, installedFile } = await import('../platform/pages/vendor.js');
  const names = /** @type {(keyof typeof VENDOR)[]} */ (Object.keys(VENDOR));
  return names.map((name) => ({ path: builtPath(name), contents: installedFile(name) }));
}

/**
 * Writes the bundles, the contract as JSON, and what the pages load; the Prisma client must be there. Rejects when a source does not parse or
 * `dist` cannot be written.
 */
export async function bundle() {
  const { build } = await import('esbuild');
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    entryNames: '[name]',
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
    // For packages that are written for require(), of which Prisma's client is one.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    plugins: [
      {
        name: 'other packages stay outside',
        setup: ({ onResolve }) => {
          onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
            const inlined = OURS.test(path) || INLINED.test(path) || /[\\/]node_modules[\\/]/.test(importer);
            return inlined && !ONCE.test(path) ? undefined : { external: true };
          });
        },
      },
    ],
  });
  mkdirSync(join(FOLDER, 'pages'), { recursive: true });
  const made = [await preparedContract(), ...(await vendoredFiles()), ...outputFiles];
  // The parts are named by their content, and come before the entry: whoever starts meanwhile finds old or new ones, whole.
  const entries = Object.values(BUNDLES);
  for (const { path, contents } of made.sort(
    (a, b) => Number(entries.includes(a.path)) - Number(entries.includes(b.path)),
  )) {
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
  const written = made.map(({ path }) => relative(FOLDER, path));
  const old = readdirSync(FOLDER).filter(
    (name) => /\.(js|map|json)$/.test(name) && ![RECORD, ...written].includes(name),
  );
  for (const name of old) rmSync(join(FOLDER, name), { force: true });
  // Of a package, its version.
  const inputs = Object.keys(metafile.inputs).map((path) =>
    path.replace(/^(.*node_modules\/(@[^/]+\/)?[^/]+).*/, '$1/package.json'),
  );
  // Two thirds of what is written a start does not load, and need not read to know whether it is current.
  const run = written.filter((name) => !name.endsWith('.map') && !name.startsWith('pages'));
  const files = [...new Set([...inputs, ...filesRead(), ...run.map((name) => `dist/${name}`)])];
  writeFileSync(join(FOLDER, RECORD), JSON.stringify({ files, sha256: digest(files) }));
}
