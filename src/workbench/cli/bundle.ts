import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { BUNDLES, distPath, recordPath, replaceFile, writeRecord } from '@accord-api/platform/cli/built';
import { CONTRACT_FILE, filesIn, readGeneratedContract } from '@accord-api/platform/contract/project-files';
import { templatePath } from '@accord-api/platform/database/data-directory';
import { makeTemplate } from '@accord-api/platform/database/embedded';
import { readMigrations } from '@accord-api/platform/database/migrations';
import { builtPath, PAGE_FILES, sourcePath, statePath } from '@accord-api/platform/pages';
import { rootPath } from '@accord-api/platform/root';
import { build, type Plugin } from 'esbuild';
import { checkSchema } from '../model/check.js';
import { contractsIn } from '../model/contracts.js';
import { generateContract } from '../model/openapi-source.js';
import { rejectProblems } from '../model/problems.js';

/** Native packages, packages that read their own files, and optional packages. Bundling the others saves half a second of a start. */
const EXTERNAL = /^(@electric-sql\/|@node-rs\/|fs-native-extensions|pino-pretty|pg-native|bufferutil|utf-8-validate)/;

const externalPackages: Plugin = {
  name: 'external-packages',
  setup: ({ onResolve }) => onResolve({ filter: EXTERNAL }, () => ({ external: true })),
};

const VALIDATOR = '@seriousme/openapi-schema-validator';
const OPENAPI_VERSION = '3.1';

async function compiledOpenApiSchema(): Promise<string> {
  const [{ Ajv2020 }, { default: formats }, { default: standalone }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
    import('ajv/dist/standalone/index.js'),
  ]);
  const ajv = new Ajv2020({ strict: false, code: { source: true, esm: true } });
  formats.default(ajv).addFormat('media-range', true);
  const validator = createRequire(import.meta.url).resolve(VALIDATOR);
  const schema = readFileSync(join(dirname(validator), `schemas/v${OPENAPI_VERSION}/schema.json`), 'utf8');
  return standalone.default(ajv, ajv.compile(JSON.parse(schema)));
}

/** Compiles the schema of OpenAPI when the service is built. fastify-openapi-glue compiles it at each start (250 ms). */
const DEVELOPMENT_CHECK = /process\.env\.NODE_ENV === 'production'/;

/** Outside production, graphql compares the class name of each value, several times for each field. */
const graphqlInstances: Plugin = {
  name: 'graphql-instances',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]graphql[\\/]jsutils[\\/]instanceOf\.m?js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!DEVELOPMENT_CHECK.test(source)) throw new Error(`${path} does not read NODE_ENV, as graphql 16 does.`);
      return { contents: source.replace(DEVELOPMENT_CHECK, 'true') };
    });
  },
};

const openapiSchema: Plugin = {
  name: 'openapi-schema',
  setup({ onResolve, onLoad }) {
    const namespace = 'openapi-schema';
    const resolveDir = import.meta.dirname;
    onResolve({ filter: new RegExp(`^${VALIDATOR}$`) }, ({ path, namespace: from }) =>
      from === namespace ? undefined : { path, namespace },
    );
    onResolve({ filter: /^compiled$/, namespace }, ({ path }) => ({ path, namespace }));
    onLoad({ filter: /^compiled$/, namespace }, async () => ({ contents: await compiledOpenApiSchema(), resolveDir }));
    onLoad({ filter: /./, namespace }, () => ({
      contents: `
        import { Validator as Base } from '${VALIDATOR}';
        import validate from 'compiled';
        export class Validator extends Base {
          getAjvValidator(version) {
            return version === '${OPENAPI_VERSION}' ? validate : super.getAjvValidator(version);
          }
        }`,
      resolveDir,
    }));
  },
};

const QUERY_COMPILER = /query_compiler_\w+\.postgresql\.wasm-base64\.m?js$/;

/** Writes Prisma's query compiler as a binary file. Prisma has it as 4.6 MB of base64, which would be parsed and stay in memory. */
const queryCompiler: Plugin = {
  name: 'query-compiler',
  setup({ onLoad, onResolve }) {
    const namespace = 'query-compiler';
    onLoad({ filter: QUERY_COMPILER, namespace: 'file' }, ({ path }) => ({
      // Prisma passes `wasm` to Buffer.from, which calls valueOf.
      contents: `
        import { readFileSync } from 'node:fs';
        import file from ${JSON.stringify(`${path}.wasm`)};
        export const wasm = { valueOf: () => readFileSync(new URL(file, import.meta.url)) };`,
    }));
    onResolve({ filter: /\.wasm$/ }, ({ path }) =>
      QUERY_COMPILER.test(path.slice(0, -5)) ? { path, namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => {
      const [, base64] = /"([\w+/=]{1000,})"/.exec(readFileSync(path.slice(0, -5), 'utf8')) ?? [];
      if (base64 === undefined) throw new Error(`${path} contains no base64, as it does in Prisma 7.`);
      return { contents: Buffer.from(base64, 'base64'), loader: 'file' };
    });
  },
};

/** Bundles programs with all their imports, in memory. The paths are relative to the project, or absolute. */
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
    // Names stay readable in stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    define: {
      // As in Node 21. Without it, pg loads all of fetch to find out where it runs (35 ms).
      navigator: JSON.stringify({ userAgent: 'Node.js' }),
    },
    metafile: true,
    write: false,
    logLevel: 'silent',
    // Packages in CommonJS, such as Prisma's client, call require().
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    plugins: [externalPackages, graphqlInstances, openapiSchema, queryCompiler],
  });

interface Output {
  path: string;
  contents: Uint8Array;
}

/** Returns a page file and its compressed variants. Compression takes seconds, so variants of an unchanged file are reused. */
function compressedFile(name: (typeof PAGE_FILES)[number]): Output[] {
  const [path, contents] = [builtPath(name), readFileSync(sourcePath(name))];
  const isCurrent = existsSync(path) && readFileSync(path).equals(contents);
  const variant = (extension: string, compress: (bytes: Buffer) => Buffer): Output => {
    const file = `${path}.${extension}`;
    return { path: file, contents: isCurrent && existsSync(file) ? readFileSync(file) : compress(contents) };
  };
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  // The file is written last, so its variants are never older.
  return [variant('gz', gzipSync), variant('br', (bytes) => brotliCompressSync(bytes, brotli)), { path, contents }];
}

/** Returns a new embedded database; none if the migrations need an extension that only a PostgreSQL server has. */
async function newDatabase(): Promise<Output[]> {
  const migrations = readMigrations();
  const path = templatePath(migrations);
  if (existsSync(path)) return [{ path, contents: readFileSync(path) }];
  try {
    return [{ path, contents: await makeTemplate(migrations) }];
  } catch (error) {
    console.error(`A new embedded database will be empty. ${(error as Error).message}`);
    return [];
  }
}

const fromRoot = (path: string) => relative(rootPath(), path);

/** The folders of the workbench that make the bundles and `generated/contract.json`. */
const BUILDERS = ['cli', 'generate', 'model'].map((folder) => join(import.meta.dirname, '..', folder));

/** Returns the files that a build reads and no bundle contains. */
const otherSources = () => [
  ...BUILDERS.flatMap((folder) => readdirSync(folder).map((name) => fromRoot(join(folder, name)))),
  `generated/${CONTRACT_FILE}`,
  'package.json',
  'prisma/schema.prisma',
  ...PAGE_FILES.map(statePath).map(fromRoot),
];

function hasContractChanged(): boolean {
  try {
    readGeneratedContract();
    return false;
  } catch {
    return true;
  }
}

/**
 * Writes `generated/contract.json`, the bundles, a new embedded database, and the page files. Needs the Prisma client. Rejects if a
 * source does not parse or `dist` cannot be written.
 */
export async function bundleService(): Promise<void> {
  const folder = distPath();
  const program = fileURLToPath(import.meta.resolve('@accord-api/platform/cli/program'));
  const { metafile, outputFiles } = await bundled(['./src/main.ts', program], folder);
  const { openapi, schema } = contractsIn(filesIn(rootPath()), ['openapi', 'schema']);
  if (openapi.absent && openapi.parts.length === 0) throw new Error('There is no openapi.yaml in this project.');
  rejectProblems([...openapi.errors, ...checkSchema(schema, 'reading')]);
  const contract = generateContract(openapi, schema);
  const contractFile = { path: rootPath('generated', CONTRACT_FILE), contents: Buffer.from(JSON.stringify(contract)) };
  const outputs = [contractFile, ...(await newDatabase()), ...PAGE_FILES.flatMap(compressedFile), ...outputFiles];
  // The names of chunks contain digests. The entries come last, so a concurrent start finds complete old or new bundles.
  const entries = Object.values(BUNDLES).map((name) => distPath(name));
  outputs.sort((a, b) => Number(entries.includes(a.path)) - Number(entries.includes(b.path)));
  for (const { path, contents } of outputs) {
    mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, contents);
  }
  const written = outputs.map(({ path }) => relative(folder, path));
  const current = [relative(folder, recordPath()), ...written];
  for (const name of readdirSync(folder)) {
    if (/\.(js|map|json|wasm|tar\.gz)$/.test(name) && !current.includes(name)) rmSync(distPath(name), { force: true });
  }
  // Without a record, the next start builds again.
  if (hasContractChanged()) return;
  // The package.json of a package changes with each of its files. Paths with a colon belong to plugins.
  const inputs = Object.keys(metafile.inputs)
    .filter((path) => !path.includes(':'))
    .map((path) => path.replace(/^(.*node_modules\/(@[^/]+\/)?[^/]+).*/, '$1/package.json'));
  writeRecord([...new Set([...inputs, ...otherSources(), ...Object.keys(contract.sources)])], written);
}
