import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import {
  BUNDLES,
  digestOf,
  distPath,
  recordPath,
  replaceFile,
  sizesOf,
  statesOf,
  writeRecord,
} from '@accord-api/platform/cli/built';
import { CONTRACT_FILE, readGeneratedContract } from '@accord-api/platform/contract/generated';
import { filesIn } from '@accord-api/platform/contract/project-files';
import { makeTemplate } from '@accord-api/platform/database/embedded';
import { readMigrations } from '@accord-api/platform/database/migrations';
import { templatePath } from '@accord-api/platform/database/template';
import { builtPath, PAGE_FILES, sourcePath, statePath } from '@accord-api/platform/pages';
import { rootPath } from '@accord-api/platform/root';
import { build } from 'esbuild';
import { generateContract } from '../generate/contract.js';
import { contractsIn } from '../model/contracts.js';
import { graphqlInstances, openapiSchema, queryCompiler } from './bundle-plugins.js';

/**
 * Packages that stay outside: native ones, those that read files beside them, and those that are loaded only where they are
 * installed. All else the bundles have a part of, for to find and read 1,200 small files one by one takes half a second of a
 * start; so that there is one copy of each.
 */
const OUTSIDE =
  /^(@electric-sql\/|@node-rs\/|@prisma\/schema-engine-wasm|fs-native-extensions|pino-pretty|pg-native|bufferutil|utf-8-validate)/;

interface Made {
  path: string;
  contents: Uint8Array;
}

/** The folders of the workbench that make the bundles and `generated/contract.json`. */
const MAKERS = ['cli', 'generate', 'model'].map((folder) => join(import.meta.dirname, '..', folder));

/** Returns files that a build reads and does not import: its own, the contract, the Prisma schema, and the files of the pages. */
const filesRead = () => [
  ...MAKERS.flatMap((folder) => readdirSync(folder).map((name) => fromRoot(join(folder, name)))),
  `generated/${CONTRACT_FILE}`,
  'prisma/schema.prisma',
  ...PAGE_FILES.map(statePath).map(fromRoot),
];

const fromRoot = (path: string) => relative(rootPath(), path);

/**
 * Returns a file of the pages with its compressed variants: those of the last build if the file has not changed, because compressing
 * all of them takes seconds.
 */
function compressedFile(name: (typeof PAGE_FILES)[number]): Made[] {
  const [path, contents] = [builtPath(name), readFileSync(sourcePath(name))];
  const isBuilt = existsSync(path) && readFileSync(path).equals(contents);
  const variant = (extension: string, compress: (bytes: Buffer) => Buffer): Made => {
    const at = `${path}.${extension}`;
    return { path: at, contents: isBuilt && existsSync(at) ? readFileSync(at) : compress(contents) };
  };
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  // The file is written last, so its variants are never older.
  return [variant('gz', gzipSync), variant('br', (bytes) => brotliCompressSync(bytes, brotli)), { path, contents }];
}

/** What an embedded database begins with; none where PostgreSQL in a process cannot have the migrations, as a server may. */
async function newDatabase(): Promise<Made[]> {
  const migrations = readMigrations();
  const path = templatePath(migrations);
  if (existsSync(path)) return [{ path, contents: readFileSync(path) }];
  try {
    return [{ path, contents: await makeTemplate(migrations) }];
  } catch (error) {
    console.error(`An embedded database will begin empty. ${(error as Error).message}`);
    return [];
  }
}

/**
 * Bundles programs with all that they import, in memory.
 * @param entryPoints paths, or paths from the project
 * @param outdir the folder they are meant for
 */
export const bundled = (entryPoints: string[], outdir: string) =>
  build({
    absWorkingDir: rootPath(),
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
      graphqlInstances,
      openapiSchema,
      queryCompiler,
    ],
  });

/**
 * Writes `generated/contract.json`, the bundles, a new database, and what the pages load; the Prisma client must be there. Rejects
 * when a source does not parse or `dist` cannot be written.
 */
export async function bundle(): Promise<void> {
  const folder = distPath();
  const program = fileURLToPath(import.meta.resolve('@accord-api/platform/cli/program'));
  const { metafile, outputFiles } = await bundled(['./src/main.ts', program], folder);
  const pages = PAGE_FILES.flatMap(compressedFile);
  const { openapi } = contractsIn(filesIn(rootPath()), ['openapi']);
  if (openapi.absent) throw new Error('There is no openapi.yaml in this project.');
  const contract = generateContract(openapi);
  const contractMade = { path: rootPath('generated', CONTRACT_FILE), contents: Buffer.from(JSON.stringify(contract)) };
  const made: Made[] = [contractMade, ...(await newDatabase()), ...pages, ...outputFiles];
  // The parts are named by their content, and come before the entry: whoever starts meanwhile finds old or new ones, whole.
  const entries = Object.values(BUNDLES).map((name) => distPath(name));
  for (const { path, contents } of made.sort(
    (a, b) => Number(entries.includes(a.path)) - Number(entries.includes(b.path)),
  )) {
    mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, contents);
  }
  const written = made.map(({ path }) => relative(folder, path));
  const kept = [relative(folder, recordPath()), ...written];
  const old = readdirSync(folder).filter((name) => /\.(js|map|json|wasm|tar\.gz)$/.test(name) && !kept.includes(name));
  for (const name of old) rmSync(distPath(name), { force: true });
  try {
    readGeneratedContract();
  } catch {
    // Somebody edited the contract during the build. Without a record the next start builds again.
    return;
  }
  // Of a package, its version; what a plugin made, is made of packages.
  const read = Object.keys(metafile.inputs).filter((path) => !path.includes(':'));
  const inputs = read.map((path) => path.replace(/^(.*node_modules\/(@[^/]+\/)?[^/]+).*/, '$1/package.json'));
  const files = [...new Set([...inputs, ...filesRead(), ...Object.keys(contract.sources)])];
  writeRecord({ files, states: statesOf(files), sha256: digestOf(files), made: written, bytes: sizesOf(written) });
}
