// Plain JavaScript, for it runs before anything that reads TypeScript: without a loader a start takes little more than half the time.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openapiSchema } from './openapi-schema.js';
import { queryCompiler } from './query-compiler.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'dist');
/** What the bundle was made of, with a digest of all that, and what was made. */
const RECORD = 'bundle.json';

/**
 * What is bundled, each with all that it imports of this package: the service, and the operator's commands. With `node
 * --enable-source-maps` a stack names the sources.
 */
export const BUNDLES = { service: join(FOLDER, 'main.js'), program: join(FOLDER, 'program.js') };
const ENTRIES = ['./src/main.ts', './src/cli/program.ts'];

/**
 * Packages that stay outside: native ones, those that read files beside them, and those that are loaded only where they are
 * installed. All else the bundles have a part of, for to find and read 1,200 small files one by one takes half a second of a
 * start; so that there is one copy of each.
 */
const OUTSIDE =
  /^(@electric-sql\/|@node-rs\/|@prisma\/schema-engine-wasm|fs-native-extensions|pino-pretty|pg-native|bufferutil|utf-8-validate)/;

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

/** Not imported, but read: what bundles, the contract, the files of the pages, and what the Prisma client was made of. */
const filesRead = () => [
  ...readdirSync(import.meta.dirname).flatMap((name) => (name.endsWith('.js') ? `src/cli/${name}` : [])),
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

/** Of what was made: whether each file is there, whole. Those with a part of a program are named by what is in them. */
const sizes = (/** @type {string[]} */ made) => made.map((file) => statSync(join(FOLDER, file)).size).join();

/**
 * Which files these are and when they were last written or changed in any way (ctime, which unlike mtime nobody can set): to look
 * takes 2 ms of a start, and to read them all 40.
 * @param {string[]} files
 */
function states(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const { ino, size, ctimeMs } = statSync(join(ROOT, file));
    hash.update(`${file} ${ino} ${size} ${ctimeMs}\n`);
  }
  return hash.digest('hex');
}

/** @param {object} record */
function writeRecord(record) {
  const path = join(FOLDER, `${RECORD}.${process.pid}`);
  writeFileSync(path, JSON.stringify(record));
  renameSync(path, join(FOLDER, RECORD));
}

/** Whether the bundle is there and made of what the sources are now; by content, where their states are not those known. */
export function bundleIsCurrent() {
  try {
    const record = JSON.parse(readFileSync(join(FOLDER, RECORD), 'utf8'));
    const { files, sha256, made, bytes } = record;
    if (sizes(made) !== bytes) return false;
    const now = states(files);
    if (now === record.states) return true;
    if (digest(files) !== sha256) return false;
    // They were copied, for instance. Where dist is not to be written, they are read at the next start as well.
    try {
      writeRecord({ ...record, states: now });
    } catch {}
    return true;
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

/** What an embedded database begins with; none where PostgreSQL in a process cannot have the migrations, as a server may. */
async function newDatabase() {
  const [{ readMigrations }, { templatePath }, { makeTemplate }] = await Promise.all([
    import('../platform/database/migration-folder.js'),
    import('../platform/database/template.js'),
    import('../platform/database/make-template.js'),
  ]);
  const migrations = readMigrations();
  const path = templatePath(migrations);
  if (existsSync(path)) return [{ path, contents: readFileSync(path) }];
  return makeTemplate(migrations).then(
    (contents) => [{ path, contents }],
    (/** @type {Error} */ { message }) => {
      console.error(`An embedded database will begin empty. ${message}`);
      return [];
    },
  );
}

/** The files of packages that browsers load. */
async function vendoredFiles() {
  const { VENDOR, builtPath, installedFile } = await import('../platform/pages/vendor.js');
  const names = /** @type {(keyof typeof VENDOR)[]} */ (Object.keys(VENDOR));
  return names.map((name) => ({ path: builtPath(name), contents: installedFile(name) }));
}

/**
 * Bundles programs with all that they import, in memory.
 * @param {string[]} entryPoints below the folder of the repository
 * @param {string} outdir its path
 */
export async function bundled(entryPoints, outdir) {
  const { build } = await import('esbuild');
  return build({
    absWorkingDir: ROOT,
    entryPoints,
    entryNames: '[name]',
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'linked',
    // What is not there is not read. Names stay, for stacks are read by people.
    minifySyntax: true,
    minifyWhitespace: true,
    // As in Node 21 and later. Where there is none, pg finds out where it runs by loading all of fetch: 35 ms.
    define: { navigator: JSON.stringify({ userAgent: 'Node.js' }) },
    metafile: true,
    write: false,
    logLevel: 'silent',
    // For packages that are written for require(), of which Prisma's client is one.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    plugins: [
      {
        name: 'some packages stay outside',
        setup: ({ onResolve }) => {
          onResolve({ filter: OUTSIDE }, () => ({ external: true }));
        },
      },
      openapiSchema,
      queryCompiler,
    ],
  });
}

/**
 * Writes the bundles, the contract as JSON, a new database, and what the pages load; the Prisma client must be there. Rejects
 * when a source does not parse or `dist` cannot be written.
 */
export async function bundle() {
  const { metafile, outputFiles } = await bundled(ENTRIES, FOLDER);
  mkdirSync(join(FOLDER, 'pages'), { recursive: true });
  const made = [await preparedContract(), ...(await newDatabase()), ...(await vendoredFiles()), ...outputFiles];
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
    (name) => /\.(js|map|json|wasm|tar\.gz)$/.test(name) && ![RECORD, ...written].includes(name),
  );
  for (const name of old) rmSync(join(FOLDER, name), { force: true });
  // Of a package, its version; what a plugin made, is made of packages.
  const read = Object.keys(metafile.inputs).filter((path) => !path.includes(':'));
  const inputs = read.map((path) => path.replace(/^(.*node_modules\/(@[^/]+\/)?[^/]+).*/, '$1/package.json'));
  const files = [...new Set([...inputs, ...filesRead()])];
  writeRecord({ files, states: states(files), sha256: digest(files), made: written, bytes: sizes(written) });
}
